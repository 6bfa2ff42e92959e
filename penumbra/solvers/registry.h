// Every solver that ships, by name.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "penumbra/solvers/solver.h"

namespace penumbra {

struct SolverEntry {
  const char* name;
  const char* summary;
  std::unique_ptr<Solver> (*make)();
};

std::span<const SolverEntry> solvers();
// Throws Error naming the solvers there are.
std::unique_ptr<Solver> make_solver(const std::string& name);

}  // namespace penumbra
