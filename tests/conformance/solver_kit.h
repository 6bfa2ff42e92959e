// What every solver promises, whatever it does inside. A new solver is one line in
// solvers_test.cpp: its name, a work budget, and the least it must reach with it.
#pragma once

#include <ostream>
#include <sstream>

#include "domains/registry.h"
#include "penumbra/evaluate/score.h"
#include "penumbra/io/policy_file.h"
#include "penumbra/model/seen_table.h"
#include "penumbra/policy/alpha_controller.h"
#include "penumbra/solvers/registry.h"

namespace penumbra {

// Optimal values, proven by two bounds that meet.
constexpr const char* kTiger = "tiger";
constexpr double kTigerValue = 19.371368;
constexpr const char* kRocks = "rock-sample(n=3,k=2)";
constexpr double kRocksValue = 15.087751;

struct SolverCase {
  const char* solver;
  uint64_t backups;  // the budget; solvers that have no such unit end by themselves
  double tiger;      // the least value of the policy
  double rocks;
  const char* options = "";  // "name=value ...", where the defaults would take too long
};
inline void PrintTo(const SolverCase& c, std::ostream* out) {
  *out << c.solver;
}

// Work alone decides when it ends: the same on every machine.
inline Limits work(uint64_t backups) {
  Limits limits;
  limits.seconds = 0;
  limits.backups = backups;
  return limits;
}

// Checkpoints in memory, one at every round.
class MemoryCheckpoints final : public Checkpoints {
 public:
  bool due() override { return true; }
  void save(const std::function<void(Saver&)>& write) override {
    BytesSink sink;
    Saver saver(sink);
    write(saver);
    saved_ = std::move(sink.bytes);
  }
  bool resume(const std::function<void(Loader&)>& read) override {
    if (saved_.empty()) return false;
    BytesSource source(saved_);
    Loader loader(source);
    read(loader);
    return true;
  }

 private:
  std::vector<std::byte> saved_;
};

inline Solution solve(const std::string& name, const Pomdp& model, const Limits& limits,
                      int threads = 1, uint64_t seed = 1, const std::string& settings = "") {
  ThreadPool pool(threads);
  const std::unique_ptr<Solver> solver = make_solver(name);
  OptionList options = solver->options();
  std::istringstream words(settings);
  for (std::string word; words >> word;)
    options.set(word.substr(0, word.find('=')), word.substr(word.find('=') + 1));
  return solver->solve(model, limits, seed, pool, [](const SolveProgress&) {});
}

inline PolicyFile policy_of(const Solution& s, const Pomdp& model) {
  return describe_policy(model, s.controller.fsc, s.vectors ? *s.vectors : AlphaVectors{},
                         s.recurrent);
}

// Of what plays, without simulation. Vectors are followed to every belief that they reach. Only of
// a recurrent network it is a low estimate: four standard errors below its simulated value.
inline double exact_value(const PolicyFile& policy, const Pomdp& model) {
  const Tabular table = seen_table(model);
  const std::unique_ptr<Policy> plays = playable(policy, model);
  if (policy.recurrent) {
    ThreadPool pool(1);
    const Score score = evaluate(model, *plays, {.episodes = 2000}, pool);
    return score.mean - 4 * score.standard_error;
  }
  if (const auto* alpha = dynamic_cast<const AlphaPolicy*>(plays.get()))
    return fsc_value(alpha_controller(*alpha, model.facts().num_observations), table, 1e-9);
  return fsc_value(policy.fsc, table, 1e-9);
}

}  // namespace penumbra
