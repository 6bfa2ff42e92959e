#include "penumbra/base/thread_pool.h"

#include <sched.h>

#include <algorithm>
#include <system_error>
#include <utility>

#include "penumbra/base/team.h"

namespace penumbra {
namespace {

thread_local const ThreadPool* inside_pool = nullptr;
thread_local int chunk_depth = 0;

struct WithinChunk {
  WithinChunk() { ++chunk_depth; }
  ~WithinChunk() { --chunk_depth; }
};

Team& nobody_else() {
  static Alone alone;
  return alone;
}

}  // namespace

bool ThreadPool::within_chunk() {
  return chunk_depth > 0;
}

int available_cores() {
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  if (::sched_getaffinity(0, sizeof allowed, &allowed) == 0 && CPU_COUNT(&allowed) > 0)
    return CPU_COUNT(&allowed);
  return static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
}

ThreadPool::ThreadPool(int num_threads) : team_(&nobody_else()) {
  if (num_threads <= 0) num_threads = available_cores();
  workers_.reserve(num_threads - 1);
  try {
    for (int i = 1; i < num_threads; ++i) workers_.emplace_back([this] { work(); });
  } catch (const std::system_error&) {
    // No more threads are to be had here. Results do not depend on their number.
  }
}

ThreadPool::~ThreadPool() {
  {
    std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_all();
  for (std::thread& worker : workers_) worker.join();
}

void ThreadPool::for_chunks(size_t count, size_t grain, const Body& body) {
  if (count == 0) return;
  grain = std::max<size_t>(grain, 1);
  const size_t chunks = num_chunks(count, grain);
  // False: it is at work already.
  const auto begin = [&] {
    const std::lock_guard lock(mutex_);
    if (body_) return false;
    body_ = &body;
    count_ = count;
    grain_ = grain;
    chunks_ = chunks;
    next_ = 0;
    error_ = nullptr;
    ++generation_;
    return true;
  };
  if (workers_.empty() || chunks == 1 || inside_pool == this || !begin()) {
    const WithinChunk within;
    for (size_t c = 0; c < chunks; ++c) {
      body(c, c * grain, std::min(count, (c + 1) * grain));
    }
    return;
  }
  wake_.notify_all();
  const ThreadPool* const outer = std::exchange(inside_pool, this);
  take_chunks();
  inside_pool = outer;
  std::unique_lock lock(mutex_);
  done_.wait(lock, [this] { return active_ == 0; });
  body_ = nullptr;
  if (error_) std::rethrow_exception(error_);
}

void ThreadPool::take_chunks() {
  const WithinChunk within;
  while (true) {
    const size_t chunk = next_.fetch_add(1);
    if (chunk >= chunks_) return;
    try {
      (*body_)(chunk, chunk * grain_, std::min(count_, (chunk + 1) * grain_));
    } catch (...) {
      std::lock_guard lock(mutex_);
      if (!error_ || chunk < error_chunk_) {
        error_ = std::current_exception();
        error_chunk_ = chunk;
      }
    }
  }
}

void ThreadPool::work() {
  inside_pool = this;
  uint64_t seen = 0;
  std::unique_lock lock(mutex_);
  while (true) {
    wake_.wait(lock, [&] { return stopping_ || (generation_ != seen && body_ != nullptr); });
    if (stopping_) return;
    seen = generation_;
    ++active_;
    lock.unlock();
    take_chunks();
    lock.lock();
    if (--active_ == 0) done_.notify_one();
  }
}

}  // namespace penumbra
