#include "penumbra/solvers/registry.h"

#include <fmt/format.h>

#include "penumbra/base/error.h"
#include "penumbra/base/spec.h"
#include "penumbra/model/audited.h"
#include "penumbra/model/tabular_pomdp.h"
#include "penumbra/solvers/action_value_solver.h"
#include "penumbra/solvers/cells/cells.h"
#include "penumbra/solvers/hsvi2.h"
#include "penumbra/solvers/mcvi/mcvi.h"
#include "penumbra/solvers/nvi/nvi.h"
#include "penumbra/solvers/pbvi.h"
#include "penumbra/solvers/perseus.h"
#include "penumbra/solvers/pomcgs/pomcgs.h"
#include "penumbra/solvers/ppo/ppo.h"
#include "penumbra/solvers/sarsop/sarsop.h"

namespace penumbra {
namespace {

constexpr SolverEntry kSolvers[] = {
    {"nvi", "neural value iteration: a controller whose nodes keep alpha-vectors as networks",
     make_nvi},
    {"mcvi", "Monte Carlo value iteration: a controller whose nodes are valued by simulation alone",
     make_mcvi},
    {"cells", "value iteration on a grid of the state's coordinates, estimated by simulation",
     make_cells},
    {"ppo", "learning by trial: recurrent proximal policy optimisation", make_ppo},
    {"pomcgs", "graph search over beliefs of particles, guided by QMDP; close beliefs are merged",
     make_pomcgs},
    {"sarsop", "beliefs that optimal plans reach, with proven bounds from both sides", make_sarsop},
    {"hsvi2", "paths by the gap of the bounds alone, with proven bounds", make_hsvi2},
    {"pbvi", "a growing set of far-apart beliefs, backed up in turn", make_pbvi},
    {"perseus", "a fixed set of random beliefs, backed up at random until all have risen",
     make_perseus},
    {"fib", "acts on the fast informed bound: as if the state were known after two steps",
     make_fib},
    {"qmdp", "acts on the values of known states: as if the state were known after one step",
     make_qmdp},
};

// Looks at every answer of the model, so that a broken one ends the solve with an error and not in
// a number. Tables were checked when they were made.
class AuditingSolver final : public Solver {
 public:
  explicit AuditingSolver(std::unique_ptr<Solver> inner) : inner_(std::move(inner)) {}

  OptionList options() override { return inner_->options(); }
  Capabilities needs() const override { return inner_->needs(); }
  PolicyForm makes() const override { return inner_->makes(); }
  Solution solve(const Pomdp& model, const Limits& limits, uint64_t seed, ThreadPool& pool,
                 const Report& report) override {
    if (dynamic_cast<const TabularPomdp*>(&model))
      return inner_->solve(model, limits, seed, pool, report);
    const Audited audited(model);
    check_first_steps(audited);
    return inner_->solve(audited, limits, seed, pool, report);
  }

 private:
  std::unique_ptr<Solver> inner_;
};

}  // namespace

std::span<const SolverEntry> solvers() {
  return kSolvers;
}

std::unique_ptr<Solver> make_solver(const std::string& name) {
  std::vector<std::string> names;
  for (const SolverEntry& entry : kSolvers) {
    if (name == entry.name) return std::make_unique<AuditingSolver>(entry.make());
    names.push_back(entry.name);
  }
  throw Error(fmt::format("there is no solver '{}'{}; there are {}", name,
                          did_you_mean(name, names), fmt::join(names, ", ")));
}

}  // namespace penumbra
