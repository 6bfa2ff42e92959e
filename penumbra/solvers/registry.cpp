#include "penumbra/solvers/registry.h"

#include <fmt/format.h>

#include "penumbra/base/error.h"
#include "penumbra/base/spec.h"
#include "penumbra/solvers/nvi/nvi.h"

namespace penumbra {
namespace {

constexpr SolverEntry kSolvers[] = {
    {"nvi", "neural value iteration: a controller whose nodes keep alpha-vectors as networks",
     [] { return std::unique_ptr<Solver>(std::make_unique<nvi::NviSolver>()); }},
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
  const std::string near = nearest_name(name, names);
  throw Error(fmt::format("there is no solver '{}'{}; there are {}", name,
                          near.empty() ? "" : " (did you mean '" + near + "'?)",
                          fmt::join(names, ", ")));
}

}  // namespace penumbra
