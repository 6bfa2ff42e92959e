// Threads that hand out fixed chunks. The split depends on the work alone, never on the number of
// threads; a caller that stores one result per chunk and adds them in chunk order gets the same
// bits with any number of threads. A pool belongs to one rank of a team of processes (team.h),
// which whoever gets the pool can share work out to (share_out.h).
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace penumbra {

class Team;

// How many cores this process may use: a batch system or `taskset` may have bound it to a few.
int available_cores();

class ThreadPool {
 public:
  // 0 means available_cores(). The calling thread counts as one of them.
  explicit ThreadPool(int num_threads = 0);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  int num_threads() const { return static_cast<int>(workers_.size()) + 1; }

  // Calls body(chunk, begin, end) for every chunk of `grain` items of [0, count), and returns when
  // all are done. The first exception (lowest chunk) is thrown again here. Not re-entrant: a body
  // that calls for_chunks of the same pool runs the inner chunks by itself, in order.
  using Body = std::function<void(size_t chunk, size_t begin, size_t end)>;
  void for_chunks(size_t count, size_t grain, const Body& body);

  // The team that this process is of; alone unless it was set. It outlives the pool.
  Team& team() const { return *team_; }
  void set_team(Team& team) { team_ = &team; }
  // Whether this thread is within a chunk of any pool: then it speaks for itself, not for the rank.
  static bool within_chunk();

  static size_t num_chunks(size_t count, size_t grain) { return (count + grain - 1) / grain; }

 private:
  void work();
  void take_chunks();

  Team* team_;
  std::vector<std::thread> workers_;
  std::mutex mutex_;
  std::condition_variable wake_, done_;
  bool stopping_ = false;
  uint64_t generation_ = 0;
  int active_ = 0;  // workers inside take_chunks

  // The job at hand.
  const Body* body_ = nullptr;
  size_t count_ = 0, grain_ = 1, chunks_ = 0;
  std::atomic<size_t> next_{0};
  std::exception_ptr error_;
  size_t error_chunk_ = 0;
};

}  // namespace penumbra
