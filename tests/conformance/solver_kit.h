// What every solver promises, whatever it does inside. A new solver is one line in
// solvers_test.cpp: its name, a work budget, and the least it must reach with it. A form of a
// solver that runs other code (a preset) is a line of its own.
#pragma once

#include <ostream>
#include <sstream>

#include "domains/registry.h"
#include "penumbra/base/thread_team.h"
#include "penumbra/evaluate/score.h"
#include "penumbra/io/policy_file.h"
#include "penumbra/model/seen_table.h"
#include "penumbra/policy/alpha_controller.h"
#include "penumbra/policy/fnc.h"
#include "penumbra/solvers/checkpoints.h"
#include "penumbra/solvers/registry.h"

namespace penumbra {

// Optimal values, proven by two bounds that meet.
constexpr const char* kTiger = "tiger";
constexpr double kTigerValue = 19.371368;
constexpr const char* kRocks = "rock-sample(n=3,k=2)";
constexpr double kRocksValue = 15.087751;

// For solvers that cannot do with a table: the best known value of this one is 4.08.
constexpr const char* kLight = "light-dark";
constexpr double kLightValue = 4.08;

struct SolverCase {
  const char* solver;
  uint64_t backups;    // the budget; solvers that have no such unit end by themselves
  double least_first;  // value of the policy for the first model
  double least_second;
  const char* options = "";  // "name=value ...", where the defaults would take too long
  const char* form = "";     // what the options make of it, where that is something else
  const char* first = kTiger;
  const char* second = kRocks;

  std::string name() const { return std::string(solver) + (*form ? "_" : "") + form; }
};
inline void PrintTo(const SolverCase& c, std::ostream* out) {
  *out << c.name();
}
// The most that a policy for this model can be worth.
inline double optimum(const std::string& model) {
  return model == kTiger ? kTigerValue : model == kRocks ? kRocksValue : kLightValue + 0.05;
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

// "name=value ..."
inline void set_options(Solver& solver, const std::string& settings) {
  OptionList options = solver.options();
  std::istringstream words(settings);
  for (std::string word; words >> word;)
    options.set(word.substr(0, word.find('=')), word.substr(word.find('=') + 1));
}

inline Solution solve(const std::string& name, const Pomdp& model, const Limits& limits,
                      int threads = 1, uint64_t seed = 1, const std::string& settings = "") {
  ThreadPool pool(threads);
  const std::unique_ptr<Solver> solver = make_solver(name);
  set_options(*solver, settings);
  return solver->solve(model, limits, seed, pool, [](const SolveProgress&) {});
}

// What rank 0 of so many ranks finds. Only it has checkpoints.
inline Solution solve_as_team(const std::string& name, const Pomdp& model, const Limits& limits,
                              int ranks, int threads, const std::string& settings = "") {
  Solution first;
  const auto thrown = run_as_team(ranks, [&](Team& team) {
    ThreadPool pool(threads);
    pool.set_team(team);
    const std::unique_ptr<Solver> solver = make_solver(name);
    set_options(*solver, settings);
    Limits own = limits;
    if (!team.leads()) own.checkpoints = nullptr;
    Solution found = solver->solve(model, own, 1, pool, {});
    if (team.leads()) first = std::move(found);
  });
  for (const std::exception_ptr& what : thrown)
    if (what) try {
        std::rethrow_exception(what);
      } catch (const TeamOver&) {
        continue;  // the others may leave before the end
      }
  return first;
}

// The controller of a solution: the policy itself, or the one beside its vectors.
inline const Fsc& controller_of(const Solution& s) {
  if (const auto* fnc = policy_as<Fnc>(s.policy)) return fnc->fsc;
  return policy_as<VectorPolicy>(s.policy)->controller;
}

inline PolicyFile policy_of(const Solution& s, const Pomdp& model) {
  return describe_policy(model, s.policy);
}

// Of what plays, without simulation. Vectors are followed to every belief that they reach. Only of
// a recurrent network, or without a table, it is a low estimate: four standard errors below its
// simulated value.
inline double exact_value(const PolicyFile& policy, const Pomdp& model) {
  const std::unique_ptr<Policy> plays = playable(policy, model);
  if (policy_as<RecurrentActor>(policy.policy) || !model.has(Capability::kTable)) {
    ThreadPool pool(1);
    const Score score = evaluate(model, *plays, {.episodes = 2000}, pool);
    return score.mean - 4 * score.standard_error;
  }
  const Tabular table = seen_table(model);
  if (const auto* alpha = dynamic_cast<const AlphaPolicy*>(plays.get()))
    return fsc_value(alpha_controller(*alpha, model.facts().num_observations), table, 1e-9);
  return fsc_value(policy.controller(), table, 1e-9);
}

}  // namespace penumbra
