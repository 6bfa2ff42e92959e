// Independent pieces of work over all ranks of a pool's team, and over the threads of each.
#pragma once

#include <vector>

#include "penumbra/base/team.h"
#include "penumbra/base/thread_pool.h"

namespace penumbra {

// make(0), ..., make(count - 1) of type T, in order, on every rank: rank r makes those with
// i % ranks == r and sends them to the others as archives (archive.h). make only reads what all
// ranks have alike, and depends on i alone. What the first of them throws is thrown on all ranks.
// Within a chunk of a pool all are made here.
template <class T, class Make>
std::vector<T> share_out(ThreadPool& pool, size_t count, const Make& make) {
  Team& team = pool.team();
  const bool alone = team.size() == 1 || ThreadPool::within_chunk();
  const size_t ranks = alone ? 1 : team.size(), rank = alone ? 0 : team.rank();
  const size_t own = count > rank ? (count - rank - 1) / ranks + 1 : 0;
  std::vector<T> all(count);
  if (alone) {
    pool.for_chunks(count, 1, [&](size_t i, size_t, size_t) { all[i] = make(i); });
    return all;
  }
  std::vector<std::exception_ptr> thrown(own);
  pool.for_chunks(own, 1, [&](size_t k, size_t, size_t) {
    try {
      all[rank + k * ranks] = make(rank + k * ranks);
    } catch (...) {
      thrown[k] = std::current_exception();
    }
  });
  for (size_t k = 0; k < own; ++k)
    if (thrown[k]) try {
        std::rethrow_exception(thrown[k]);
      } catch (...) {
        team.fail_of_exception(rank + k * ranks);
      }
  BytesSink sink;
  Saver saver(sink);
  for (size_t i = rank; i < count; i += ranks) saver(all[i]);
  const std::vector<Bytes> gathered = team.gather(std::move(sink.bytes));
  for (size_t r = 0; r < ranks; ++r) {
    if (r == rank) continue;
    BytesSource source(gathered[r]);
    Loader loader(source);
    try {
      for (size_t i = r; i < count; i += ranks) loader(all[i]);
      if (loader.left() > 0) throw Error("it is too long");
    } catch (const Error& error) {
      throw Error("ranks have come apart: rank " + std::to_string(r) +
                  " sent something else than was expected (" + error.what() + ")");
    }
  }
  return all;
}

}  // namespace penumbra
