#include "penumbra/runs/check_ranks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "domains/registry.h"
#include "penumbra/base/thread_team.h"

namespace penumbra {
namespace {

using testing::Each;
using testing::HasSubstr;

std::vector<std::string> words(const std::vector<std::string>& models,
                               const std::vector<std::string>& seeds) {
  std::vector<std::string> said;
  const int ranks = static_cast<int>(models.size());
  for (const std::exception_ptr& thrown : run_as_team(ranks, [&](Team& team) {
         const int r = team.rank();
         check_ranks(team, *load_domain(models[r]), {{"solver", "nvi"}, {"seed", seeds[r]}});
       }))
    try {
      said.emplace_back();
      if (thrown) std::rethrow_exception(thrown);
    } catch (const TeamError& error) {
      said.back() = error.what();
    }
  return said;
}

TEST(CheckRanks, TakesThoseThatAreAlike) {
  EXPECT_THAT(words({"tiger", "tiger", "tiger"}, {"1", "1", "1"}), Each(""));
}

TEST(CheckRanks, NamesTheRanksThatDiffer) {
  EXPECT_THAT(words({"tiger", "tiger", "light-dark"}, {"1", "1", "1"}),
              Each(HasSubstr("rank 2 has another model than rank 0")));
  EXPECT_THAT(
      words({"tiger", "tiger", "tiger"}, {"1", "2", "3"}),
      Each(HasSubstr("ranks 1, 2 have another option than rank 0: 'seed=2, where rank 0 has "
                     "seed=1'. All ranks must")));
}

TEST(CheckRanks, FindsTheSameMathematicsTwice) {
  EXPECT_EQ(mathematics_hash(), mathematics_hash());
}

}  // namespace
}  // namespace penumbra
