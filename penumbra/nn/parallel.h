// Chunks on a pool, or one after the other on the calling thread: the same chunks either way.
#pragma once

#include <algorithm>

#include "penumbra/base/thread_pool.h"

namespace penumbra::nn {

inline void for_chunks(ThreadPool* pool, size_t count, size_t grain, const ThreadPool::Body& body) {
  if (pool) return pool->for_chunks(count, grain, body);
  for (size_t c = 0, begin = 0; begin < count; ++c, begin += grain) {
    body(c, begin, std::min(count, begin + grain));
  }
}

}  // namespace penumbra::nn
