// Processes that work on one job, each with threads of its own. There is one collective: every rank
// gives bytes and gets those of all. Who makes what is decided by number, everybody merges the same
// bytes in the same order, and floating point is never added up on the way: results do not depend
// on how many ranks there are.
//
// A rank that fails must not leave the others waiting. What it threw goes out in the place of its
// next message, and all ranks throw the same words. Rank 0 may go on alone: the others then end.
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <string>
#include <utility>
#include <vector>

#include "penumbra/base/archive.h"
#include "penumbra/base/error.h"

namespace penumbra {

using Bytes = std::vector<std::byte>;

// A rank failed: the same words on all ranks. `bug` tells a broken invariant from bad input.
class TeamError : public Error {
 public:
  TeamError(const std::string& words, bool is_bug) : Error(words), bug(is_bug) {}
  const bool bug;
};

// Rank 0 goes on alone: for the others there is nothing left to do.
class TeamOver : public std::exception {
 public:
  const char* what() const noexcept override { return "rank 0 goes on alone"; }
};

class Team {
 public:
  virtual ~Team() = default;

  int rank() const { return place_; }
  // 1 where rank 0 goes on alone.
  int size() const { return alone_ ? 1 : count_; }
  bool leads() const { return place_ == 0; }

  // The bytes of every rank, by rank. All ranks call it the same number of times, from the thread
  // that the team was made in. Throws TeamError on all where one of them failed, TeamOver on all
  // but rank 0 where that goes on alone.
  std::vector<Bytes> gather(Bytes mine);
  // What rank 0 has; of the others nothing is read.
  Bytes broadcast(Bytes mine);
  template <class T>
  void send_to_all(T& value);  // an archive of rank 0's

  // Tells all ranks what this one failed of, and throws it here too. The lowest `order` of several
  // ranks is told.
  static constexpr uint64_t kNoOrder = UINT64_MAX;
  [[noreturn]] void fail(const std::string& words, bool bug = false, uint64_t order = kNoOrder);
  // The same for the exception that is being handled. Those of the team itself go on.
  [[noreturn]] void fail_of_exception(uint64_t order = kNoOrder);
  // Of rank 0: the others leave at their next message. Nothing where it is alone already.
  void go_on_alone();
  // The end of a job: throws what other ranks failed of.
  void finish();

 protected:
  Team(int rank, int size) : place_(rank), count_(size) {}
  virtual std::vector<Bytes> exchange(Bytes mine) = 0;

 private:
  std::vector<Bytes> exchange_with(uint8_t kind, uint64_t order, Bytes mine);

  const int place_, count_;
  bool alone_ = false;
};

template <class T>
void Team::send_to_all(T& value) {
  if (size() == 1) return;
  BytesSink sink;
  if (leads()) {
    Saver saver(sink);
    saver(value);
  }
  const Bytes all = broadcast(std::move(sink.bytes));
  if (leads()) return;
  BytesSource source(all);
  Loader loader(source);
  loader(value);
}

// The team of one process.
class Alone final : public Team {
 public:
  Alone() : Team(0, 1) {}

 protected:
  std::vector<Bytes> exchange(Bytes mine) override { return {std::move(mine)}; }
};

// Throws TeamError on all ranks where one has another text than rank 0, for the first such of these
// pairs of a name and a text: "rank 2 has another program: 0.1 instead of 0.2. `advice`".
using NamedText = std::pair<std::string, std::string>;
void require_alike(Team& team, const std::vector<NamedText>& mine, const std::string& advice);

}  // namespace penumbra
