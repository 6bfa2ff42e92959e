#include "penumbra/solvers/registry.h"

#include <fmt/format.h>

#include "penumbra/base/error.h"
#include "penumbra/base/spec.h"
#include "penumbra/solvers/action_value_solver.h"
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
     [] { return std::unique_ptr<Solver>(std::make_unique<nvi::NviSolver>()); }},
    {"mcvi", "Monte Carlo value iteration: a controller whose nodes are valued by simulation alone",
     [] { return std::unique_ptr<Solver>(std::make_unique<mcvi::McviSolver>()); }},
    {"ppo", "learning by trial: recurrent proximal policy optimisation",
     [] { return std::unique_ptr<Solver>(std::make_unique<PpoSolver>()); }},
    {"pomcgs", "graph search over beliefs of particles, guided by QMDP; close beliefs are merged",
     [] { return std::unique_ptr<Solver>(std::make_unique<pomcgs::PomcgsSolver>()); }},
    {"sarsop", "beliefs that optimal plans reach, with proven bounds from both sides",
     [] { return std::unique_ptr<Solver>(std::make_unique<SarsopSolver>()); }},
    {"hsvi2", "paths by the gap of the bounds alone, with proven bounds",
     [] { return std::unique_ptr<Solver>(std::make_unique<Hsvi2Solver>()); }},
    {"pbvi", "a growing set of far-apart beliefs, backed up in turn",
     [] { return std::unique_ptr<Solver>(std::make_unique<PbviSolver>()); }},
    {"perseus", "a fixed set of random beliefs, backed up at random until all have risen",
     [] { return std::unique_ptr<Solver>(std::make_unique<PerseusSolver>()); }},
    {"fib", "acts on the fast informed bound: as if the state were known after two steps",
     [] {
       return std::unique_ptr<Solver>(
           std::make_unique<ActionValueSolver>(ActionValueSolver::Bound::kInformed));
     }},
    {"qmdp", "acts on the values of known states: as if the state were known after one step",
     [] {
       return std::unique_ptr<Solver>(
           std::make_unique<ActionValueSolver>(ActionValueSolver::Bound::kMdp));
     }},
};

}  // namespace

std::span<const SolverEntry> solvers() {
  return kSolvers;
}

std::unique_ptr<Solver> make_solver(const std::string& name) {
  std::vector<std::string> names;
  for (const SolverEntry& entry : kSolvers) {
    if (name == entry.name) return entry.make();
    names.push_back(entry.name);
  }
  throw Error(fmt::format("there is no solver '{}'{}; there are {}", name,
                          did_you_mean(name, names), fmt::join(names, ", ")));
}

}  // namespace penumbra
