#include "penumbra/base/thread_team.h"

#include <condition_variable>
#include <mutex>
#include <thread>

namespace penumbra {
namespace {

// Where the ranks meet.
struct Table {
  explicit Table(int size) : given(size) {}
  std::mutex mutex;
  std::condition_variable all_there;
  std::vector<Bytes> given, taken;
  size_t there = 0;
  uint64_t meeting = 0;
};

class ThreadTeam final : public Team {
 public:
  ThreadTeam(Table& table, int rank, int size) : Team(rank, size), table_(table) {}

 protected:
  std::vector<Bytes> exchange(Bytes mine) override {
    std::unique_lock lock(table_.mutex);
    table_.given[rank()] = std::move(mine);
    if (++table_.there < table_.given.size()) {
      const uint64_t meeting = table_.meeting;
      table_.all_there.wait(lock, [&] { return table_.meeting != meeting; });
    } else {
      // Nobody comes to the next meeting before all have copied this one's: they are all here.
      table_.taken = table_.given;
      table_.there = 0;
      ++table_.meeting;
      table_.all_there.notify_all();
    }
    return table_.taken;
  }

 private:
  Table& table_;
};

}  // namespace

std::vector<std::exception_ptr> run_as_team(int size, const std::function<void(Team&)>& body) {
  Table table(size);
  std::vector<std::exception_ptr> thrown(size);
  std::vector<std::thread> ranks;
  for (int r = 0; r < size; ++r)
    ranks.emplace_back([&, r] {
      ThreadTeam team(table, r, size);
      try {
        try {
          body(team);
          team.finish();
        } catch (...) {
          team.fail_of_exception();
        }
      } catch (...) {
        thrown[r] = std::current_exception();
      }
    });
  for (std::thread& rank : ranks) rank.join();
  return thrown;
}

}  // namespace penumbra
