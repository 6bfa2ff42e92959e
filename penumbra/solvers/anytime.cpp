#include "penumbra/solvers/anytime.h"

#include <algorithm>

#include "penumbra/base/memory.h"
#include "penumbra/policy/fnc.h"
#include "penumbra/solvers/best_so_far.h"

namespace penumbra {
namespace {

constexpr double kLineGrowth = 1.25;   // seconds from one line to the next, by the clock
constexpr uint64_t kMemoryEvery = 16;  // a look at the memory costs as much as a small backup
constexpr double kBytesASecond = 6e7;  // of a policy: read out, encoded, written and set up to play

}  // namespace

// What rank 0 finds at the end of a round.
struct Anytime::Verdict {
  std::string status;  // empty: go on
  bool evaluate = false;

  template <class Archive>
  void archive(Archive& a) {
    a(status, evaluate);
  }
};

Anytime::Anytime(const Limits& limits, const Solver::Report& report, ThreadPool& pool,
                 const AnytimeOptions& options)
    : limits_(limits),
      report_(report),
      pool_(pool),
      options_(options),
      next_evaluation_(options.at_start ? 0 : options.first) {}

double Anytime::seconds() const {
  return before_ + std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
}

double Anytime::slack() const {
  return std::max(options_.slack, options_.slack_share * limits_.seconds);
}

// Of the time that is left the last evaluation needs as much as the one before, and more; the last
// checkpoint grows with the time; and the policy must be written. What the slack has no room for is
// kept for them, but never more than a tenth of the whole.
double Anytime::last_round_at() const {
  const double saving = saved_at_ > 0 ? saving_ * seconds() / saved_at_ : 0;
  const double needed = options_.growth * (evaluation_ + saving) + bytes_ / kBytesASecond;
  const double kept = std::max(0.0, needed - slack());
  return limits_.seconds - std::min(kept, 0.1 * limits_.seconds);
}

bool Anytime::out_of_time() const {
  if (limits_.cancelled && limits_.cancelled()) return true;
  return limits_.seconds > 0 && seconds() >= last_round_at() + slack();
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
  if (limits_.seconds > 0 && seconds() >= last_round_at()) return "time";
  if (out_of_memory()) return "memory";
  return "";
}

Anytime::Verdict Anytime::verdict(const Rounds& rounds) const {
  Verdict found{reached_limit(rounds)};
  found.evaluate = found.status.empty() && evaluation_due(rounds);
  Team& team = pool_.team();
  if (team.size() == 1) return found;
  BytesSink sink;
  Saver saver(sink);
  if (team.leads()) saver(found);
  const std::vector<Bytes> all = team.gather(std::move(sink.bytes));
  // A rank that was stopped within its round has nothing to go on from.
  if (std::any_of(all.begin() + 1, all.end(), [](const Bytes& b) { return !b.empty(); })) {
    if (!team.leads()) wait_for_the_end();
    team.go_on_alone();
  }
  BytesSource source(all[0]);
  Loader loader(source);
  loader(found);
  return found;
}

// Of a rank that was stopped: until rank 0 goes on alone.
void Anytime::wait_for_the_end() const {
  while (true) pool_.team().gather(Bytes(1));
}

bool Anytime::evaluation_due(const Rounds& rounds) const {
  if (rounds.standing().judge) return !evaluated_ || evaluated_at_ != rounds.backups();
  return options_.by_clock ? seconds() >= next_line_ : rounds.backups() >= next_evaluation_;
}

void Anytime::evaluate(Rounds& rounds) {
  const uint64_t backups = rounds.backups();
  const double start = seconds();
  SolveProgress line;
  rounds.evaluate(line, stop());
  evaluation_ = seconds() - start;
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

// A solve that is half over saves once whatever its interval says, to learn what that takes.
bool Anytime::checkpoint_due() const {
  if (!limits_.checkpoints || !pool_.team().leads()) return false;
  return limits_.checkpoints->due() ||
         (saved_at_ == 0 && limits_.seconds > 0 && seconds() >= 0.5 * limits_.seconds);
}

void Anytime::save(Rounds& rounds) {
  if (!limits_.checkpoints || !pool_.team().leads()) return;
  const double start = seconds();
  limits_.checkpoints->save([&](Saver& saver) { archive(saver, rounds); });
  saving_ = seconds() - start;
  saved_at_ = start;
}

bool Anytime::resume(Rounds& rounds) {
  Team& team = pool_.team();
  const bool found = team.leads() && limits_.checkpoints &&
                     limits_.checkpoints->resume([&](Loader& loader) { archive(loader, rounds); });
  if (team.size() == 1) return found;
  BytesSink sink;
  Saver saver(sink);
  if (found) archive(saver, rounds);
  const Bytes state = team.broadcast(std::move(sink.bytes));
  if (team.leads() || state.empty()) return found;
  BytesSource source(state);
  Loader loader(source);
  archive(loader, rounds);
  return true;
}

Solution Anytime::stopped_at_start(const Pomdp& model) const {
  constexpr uint64_t kEpisodes = 200;
  if (!pool_.team().leads()) wait_for_the_end();
  pool_.team().go_on_alone();
  Solution solution;
  Score score;
  solution.policy = std::make_shared<Fnc>(Fnc{best_blind(model, kEpisodes, pool_, &score)});
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
  Team& team = pool_.team();
  if (!resume(rounds)) rounds.start();
  running_ = true;
  std::string status;
  bool stopped = false;  // within a round
  while (true) {
    bytes_ = rounds.standing().bytes;
    Verdict now = verdict(rounds);
    if (now.evaluate) {
      evaluate(rounds);
      now = verdict(rounds);
    }
    status = now.status;
    if (!status.empty()) break;
    if (!rounds.round(stop)) {
      if (!team.leads()) wait_for_the_end();
      stopped = true;
      break;
    }
    if (checkpoint_due()) save(rounds);
  }
  // A checkpoint comes before anything that is only done because the solve ends.
  save(rounds);
  if (stopped) {
    const bool was_alone = team.size() == 1;
    team.go_on_alone();
    rounds.keep_stopped_round();
    status = reached_limit(rounds);
    // Memory was full then and is not now; or another rank's clock is ahead.
    if (status.empty()) status = was_alone ? "memory" : limits_.seconds > 0 ? "time" : "cancelled";
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
