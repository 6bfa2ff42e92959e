#include "penumbra/base/team.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <span>

#include "penumbra/base/share_out.h"
#include "penumbra/base/thread_team.h"

namespace penumbra {
namespace {

using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;

Bytes bytes_of(const std::string& text) {
  const auto all = std::as_bytes(std::span(text));
  return {all.begin(), all.end()};
}

std::string text_of(const Bytes& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// What each rank ended with: the words of an Error, "over", or "" for nothing.
std::vector<std::string> ends(int size, const std::function<void(Team&)>& body) {
  std::vector<std::string> words;
  for (const std::exception_ptr& thrown : run_as_team(size, body)) {
    std::string& text = words.emplace_back();
    if (thrown) try {
        std::rethrow_exception(thrown);
      } catch (const TeamError& error) {
        text = (error.bug ? "bug: " : "") + std::string(error.what());
      } catch (const TeamOver&) {
        text = "over";
      }
  }
  return words;
}

TEST(Teams, GiveEveryRankTheBytesOfAll) {
  for (int size = 1; size <= 4; ++size) {
    std::atomic<int> right = 0;
    EXPECT_THAT(ends(size,
                     [&](Team& team) {
                       for (int turn = 0; turn < 50; ++turn) {
                         const std::string mine(team.rank() * turn, 'a');
                         const std::vector<Bytes> all = team.gather(bytes_of(mine));
                         for (int r = 0; r < size; ++r)
                           right += text_of(all[r]) == std::string(r * turn, 'a');
                       }
                     }),
                Each(""));
    EXPECT_EQ(right, 50 * size * size);
  }
}

TEST(Teams, HearRankZero) {
  std::atomic<int> heard = 0;
  run_as_team(3, [&](Team& team) {
    std::vector<int> value{team.rank() + 7, 1};
    team.send_to_all(value);
    heard += value == std::vector<int>{7, 1};
    heard += text_of(team.broadcast(bytes_of(std::to_string(team.rank())))) == "0";
  });
  EXPECT_EQ(heard, 6);
}

TEST(Teams, ThrowTheWordsOfARankThatFailedEverywhere) {
  EXPECT_THAT(ends(3,
                   [](Team& team) {
                     if (team.rank() == 2) throw Error("there is no file");
                     for (int turn = 0; turn < 9; ++turn) team.gather({});
                   }),
              Each("rank 2: there is no file"));
}

TEST(Teams, HearOfAFailureAtTheirEnd) {
  EXPECT_THAT(ends(3,
                   [](Team& team) {
                     if (team.rank() == 1) throw InvariantError("broken");
                   }),
              Each("bug: rank 1: broken"));
}

TEST(Teams, NameNoRankForWhatAllRefuse) {
  EXPECT_THAT(ends(3, [](Team&) { throw Error("there is no option"); }),
              Each("there is no option"));
}

TEST(Teams, LetRankZeroGoOnAlone) {
  std::atomic<int> alone = 0;
  EXPECT_THAT(ends(3,
                   [&](Team& team) {
                     if (team.leads()) {
                       team.go_on_alone();
                       team.go_on_alone();
                       alone = team.size();
                       EXPECT_THAT(text_of(team.gather(bytes_of("x"))[0]), "x");
                       return;
                     }
                     while (true) team.gather({});
                   }),
              ElementsAre("", "over", "over"));
  EXPECT_EQ(alone, 1);
}

TEST(Teams, RefuseWhatIsNotAlike) {
  const auto check = [](const std::vector<std::string>& versions) {
    return ends(static_cast<int>(versions.size()), [&](Team& team) {
      require_alike(team, {{"model", "tiger"}, {"program", versions[team.rank()]}}, "Mend it.");
    });
  };
  EXPECT_THAT(check({"1", "1", "1"}), Each(""));
  EXPECT_THAT(check({"1", "2", "1"}),
              Each("rank 1 has another program than rank 0: '2', not '1'. Mend it."));
  EXPECT_THAT(check({"1", "2", "2"}), Each(HasSubstr("ranks 1, 2 have another program")));
}

TEST(SharedOutWork, IsTheSameForAnyRanksAndThreads) {
  for (int size = 1; size <= 4; ++size)
    for (int threads = 1; threads <= 2; ++threads)
      for (size_t count : {0, 1, 3, 10}) {
        std::atomic<int> made = 0, right = 0;
        EXPECT_THAT(ends(size,
                         [&](Team& team) {
                           ThreadPool pool(threads);
                           pool.set_team(team);
                           const auto all =
                               share_out<std::vector<float>>(pool, count, [&](size_t i) {
                                 ++made;
                                 return std::vector<float>(i, 0.1f);
                               });
                           bool same = all.size() == count;
                           for (size_t i = 0; i < count; ++i)
                             same = same && all[i] == std::vector<float>(i, 0.1f);
                           right += same;
                         }),
                    Each(""));
        EXPECT_EQ(made, count);
        EXPECT_EQ(right, size);
      }
}

TEST(SharedOutWork, FailsWithTheWordsOfTheFirstPieceThatDoes) {
  for (int size = 2; size <= 4; ++size)
    EXPECT_THAT(ends(size,
                     [&](Team& team) {
                       ThreadPool pool(2);
                       pool.set_team(team);
                       share_out<int>(pool, 20, [&](size_t i) -> int {
                         if (i >= 5) throw Error("piece " + std::to_string(i));
                         return 0;
                       });
                     }),
                Each("rank " + std::to_string(5 % size) + ": piece 5"));
}

TEST(SharedOutWork, WithinAChunkIsDoneHere) {
  std::atomic<int> made = 0;
  EXPECT_THAT(ends(2,
                   [&](Team& team) {
                     ThreadPool pool(2);
                     pool.set_team(team);
                     pool.for_chunks(3, 1, [&](size_t, size_t, size_t) {
                       share_out<int>(pool, 5, [&](size_t) { return ++made; });
                     });
                   }),
              Each(""));
  EXPECT_EQ(made, 2 * 3 * 5);
}

}  // namespace
}  // namespace penumbra
