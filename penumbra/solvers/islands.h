// Several controllers that improve apart, each with random numbers of its own, and now and then
// learn from the best of them. An island is the rounds of one controller; all of them together are
// rounds again, so that the frame (anytime.h) knows nothing of it.
//
// A round of the whole: every island goes on until it has done so many backups, then its
// controller is simulated, on the same episodes for all. Where there have been `exchange` backups
// of each since the last time, the best controller is then offered to the others, which take from
// it what they can use at the beginning of the next round. The best policy of all is given in the
// end.
//
// Rank r of a team has islands r, r + ranks, ...; the threads of a rank are divided among its
// islands. After each round all ranks have the state of all islands, as bytes: rank 0 saves it, and
// a resumed run may have another number of ranks.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "penumbra/base/thread_pool.h"
#include "penumbra/solvers/anytime.h"
#include "penumbra/solvers/archive_parts.h"
#include "penumbra/solvers/island_options.h"

namespace penumbra {

// What to say where a form of a solver has none.
std::string no_islands(const std::string& solver, const std::string& preset);

class Island : public Rounds {
 public:
  // The controller as it is now, for other islands.
  virtual void offer(Saver& saver) = 0;
  // That of another island, to learn from.
  virtual void take(Loader& loader) = 0;
  // The best policy so far, which is all that finish() needs, and its score.
  virtual void archive_best(Saver& saver) = 0;
  virtual void archive_best(Loader& loader) = 0;
  virtual const Score& best_score() const = 0;
};

// Island 0 has the key of the run; only it needs an upper value.
RngKey island_key(RngKey run, int number);
using MakeIsland = std::function<std::unique_ptr<Island>(int number, ThreadPool& pool)>;

class Islands final : public Rounds {
 public:
  // `backups`: the limit of the solve, of all islands together; 0: none. `stop` is for the start.
  Islands(const IslandOptions& options, uint64_t backups, ThreadPool& pool, const Stop& stop,
          MakeIsland make);

  void start() override;
  bool round(const Stop& stop) override;
  void keep_stopped_round() override;
  uint64_t backups() const override;
  Standing standing() const override;
  void evaluate(SolveProgress& line, const Stop& stop) override;
  const Work& work() const override { return work_; }
  void finish(Solution& solution) override;
  void archive(Saver& saver) override;
  void archive(Loader& loader) override;

 private:
  // What all ranks know of an island.
  struct Place {
    uint64_t backups = 0;
    int nodes = 0;
    Work work;
    Estimate simulated, best;  // of its controller, and of its best so far
    double estimate = 0, training_error = -1;
    UpperValue upper;
    Bytes policy, offer, state;  // the best so far, the controller, and everything
    uint64_t taken = 0;          // exchanged_at_ of the last one that it has been through
    bool judged = false;         // as it is now
    bool complete = false;       // it has done the backups of the round
    bool stopped = false;        // on the way there

    template <class Archive>
    void archive(Archive& a);
  };

  bool owned(size_t i) const { return pools_[i] != nullptr; }
  Island& live(size_t i);
  Place begin(size_t i);
  Place go_on(size_t i, const Stop& stop);
  void judge(Island& island, Place& place, const Stop& stop) const;
  void keep(Island& island, Place& place) const;
  void exchange();
  size_t best_by(Estimate Place::*score) const;
  void add_work();
  template <class Archive>
  void archive_all(Archive& a);

  const IslandOptions options_;
  const uint64_t limit_;  // backups of each island
  ThreadPool& pool_;
  const Stop stop_;
  const MakeIsland make_;
  std::vector<std::unique_ptr<ThreadPool>> pools_;  // of this rank's islands
  std::vector<std::unique_ptr<Island>> live_;       // of this rank, where they are at work
  std::vector<Place> places_;
  uint64_t target_;            // backups of each island at the end of the round
  uint64_t exchanged_at_ = 0;  // the target of the last round with an exchange
  uint64_t offering_ = 0;      // the island that offered its controller then
  Bytes offer_;
  Work work_;
};

}  // namespace penumbra
