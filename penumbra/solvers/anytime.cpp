#include "penumbra/solvers/anytime.h"

#include <algorithm>
#include <atomic>

#include "penumbra/base/memory.h"
#include "penumbra/policy/fnc.h"
#include "penumbra/solvers/best_so_far.h"

namespace penumbra {
namespace {

constexpr double kLineGrowth = 1.25;   // seconds from one line to the next, by the clock
constexpr uint64_t kMemoryEvery = 16;  // a look at the memory costs as much as a small backup

}  // namespace

Anytime::Anytime(const Limits& limits, const Solver::Report& report, const AnytimeOptions& options)
    : limits_(limits),
      report_(report),
      options_(options),
      next_evaluation_(options.at_start ? 0 : options.first) {}

double Anytime::seconds() const {
  return before_ + std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
}

bool Anytime::out_of_time() const {
  if (limits_.cancelled && limits_.cancelled()) return true;
  const double slack = std::max(options_.slack, options_.slack_share * limits_.seconds);
  return limits_.seconds > 0 && seconds() >= limits_.seconds + slack;
}

bool Anytime::out_of_memory() const {
  return limits_.memory > 0 &&
         static_cast<double>(resident_bytes()) >= options_.memory_share * limits_.memory;
}

std::string Anytime::reached_limit(const Rounds& rounds) const {
  const Standing s = rounds.standing();
  if (limits_.gap > 0 && s.gap <= limits_.gap) return "gap";
  if (limits_.cancelled && limits_.cancelled()) return "cancelled";
  if (s.converged) return "converged";
  if (limits_.backups > 0 && rounds.backups() >= limits_.backups) return "backups";
  if (limits_.nodes > 0 && s.nodes >= limits_.nodes) return "nodes";
  if (limits_.seconds > 0 && seconds() >= limits_.seconds) return "time";
  if (out_of_memory()) return "memory";
  return "";
}

bool Anytime::evaluation_due(const Rounds& rounds) const {
  if (rounds.standing().judge) return !evaluated_ || evaluated_at_ != rounds.backups();
  return options_.by_clock ? seconds() >= next_line_ : rounds.backups() >= next_evaluation_;
}

void Anytime::evaluate(Rounds& rounds) {
  const uint64_t backups = rounds.backups();
  SolveProgress line;
  rounds.evaluate(line, stop());
  evaluated_ = true;
  evaluated_at_ = backups;
  const double growth = backups < options_.early ? options_.early_growth : options_.growth;
  next_evaluation_ =
      std::max(options_.first, static_cast<uint64_t>(static_cast<double>(backups) * growth));
  next_line_ = std::max(next_line_, seconds() * kLineGrowth);
  if (!report_) return;
  line.seconds = seconds();
  line.backups = backups;
  line.nodes = rounds.standing().nodes;
  line.simulator_steps = rounds.work().simulator_steps;
  line.network_evaluations = rounds.work().network_evaluations;
  line.memory = static_cast<double>(resident_bytes());
  report_(line);
}

template <class Archive>
void Anytime::archive(Archive& a, Rounds& rounds) {
  double spent = seconds();
  a(spent, evaluated_, evaluated_at_, next_evaluation_);
  if constexpr (Archive::kLoading) {
    before_ = spent;
    next_line_ = spent + next_line_;
  }
  rounds.archive(a);
}

void Anytime::save(Rounds& rounds) {
  if (limits_.checkpoints) limits_.checkpoints->save([&](Saver& saver) { archive(saver, rounds); });
}

Solution Anytime::stopped_at_start(const Pomdp& model, ThreadPool& pool) const {
  constexpr uint64_t kEpisodes = 200;
  Solution solution;
  Score score;
  solution.policy = std::make_shared<Fnc>(Fnc{best_blind(model, kEpisodes, pool, &score)});
  solution.estimate = score.mean;
  solution.upper = {model.facts().max_reward / (1 - model.facts().discount), UpperKind::kProven};
  solution.status = limits_.cancelled && limits_.cancelled() ? "cancelled" : "time";
  solution.seconds = seconds();
  return solution;
}

Solution Anytime::run(Rounds& rounds) {
  std::atomic<uint64_t> asked = 0;
  const Stop stop = [&] {
    if (!options_.stop_within_rounds) return out_of_time();
    return out_of_time() || (limits_.backups > 0 && rounds.backups() >= limits_.backups) ||
           (++asked % kMemoryEvery == 0 && out_of_memory());
  };
  const bool resumed = limits_.checkpoints && limits_.checkpoints->resume(
                                                  [&](Loader& loader) { archive(loader, rounds); });
  if (!resumed) rounds.start();
  std::string status;
  bool stopped = false;  // within a round
  while (true) {
    status = reached_limit(rounds);
    if (status.empty() && evaluation_due(rounds)) {
      evaluate(rounds);
      status = reached_limit(rounds);
    }
    if (!status.empty()) break;
    if (!rounds.round(stop)) {
      stopped = true;
      break;
    }
    if (limits_.checkpoints && limits_.checkpoints->due()) save(rounds);
  }
  // A checkpoint comes before anything that is only done because the solve ends.
  save(rounds);
  if (stopped) {
    rounds.keep_stopped_round();
    status = reached_limit(rounds);
    if (status.empty()) status = "memory";  // it was full then and is not now
  }
  if (!evaluated_ || evaluated_at_ != rounds.backups()) evaluate(rounds);
  Solution solution;
  solution.status = status;
  solution.seconds = seconds();
  solution.backups = rounds.backups();
  solution.work = rounds.work();
  rounds.finish(solution);
  return solution;
}

}  // namespace penumbra
