#include "penumbra/base/thread_pool.h"

#include <algorithm>

namespace penumbra {
namespace {
thread_local bool inside_pool = false;
}

ThreadPool::ThreadPool(int num_threads) {
  if (num_threads <= 0) num_threads = std::max(1u, std::thread::hardware_concurrency());
  for (int i = 1; i < num_threads; ++i) workers_.emplace_back([this] { work(); });
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
  if (workers_.empty() || chunks == 1 || inside_pool) {
    for (size_t c = 0; c < chunks; ++c) {
      body(c, c * grain, std::min(count, (c + 1) * grain));
    }
    return;
  }
  {
    std::lock_guard lock(mutex_);
    body_ = &body;
    count_ = count;
    grain_ = grain;
    chunks_ = chunks;
    next_ = 0;
    error_ = nullptr;
    ++generation_;
  }
  wake_.notify_all();
  inside_pool = true;
  take_chunks();
  inside_pool = false;
  std::unique_lock lock(mutex_);
  done_.wait(lock, [this] { return active_ == 0; });
  body_ = nullptr;
  if (error_) std::rethrow_exception(error_);
}

void ThreadPool::take_chunks() {
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
  inside_pool = true;
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
