#!/usr/bin/env bash
# check_layers.sh must accept a good tree and refuse each kind of bad one.
set -euo pipefail
check=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)/check_layers.sh
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# expect CODE FILE INCLUDE: a tree whose FILE has this include line.
expect() {
  rm -rf "$scratch/tree"
  mkdir -p "$scratch/tree/penumbra/base" "$scratch/tree/domains" "$(dirname "$scratch/tree/$2")"
  echo '#include <vector>' >"$scratch/tree/penumbra/base/a.h"
  echo "$3" >"$scratch/tree/$2"
  local code=0
  "$check" "$scratch/tree" >/dev/null 2>&1 || code=$?
  if [ "$code" -ne "$1" ]; then
    echo "$2 with $3: expected exit code $1, got $code" >&2
    exit 1
  fi
}

expect 0 domains/tiger.h '#include "penumbra/model/model.h"'
expect 0 penumbra/nn/simd/x.cpp '#include "penumbra/base/error.h"'
expect 0 penumbra/nn/mlp.cpp '#include <Eigen/Dense>'
expect 1 domains/tiger.h '#include "penumbra/solvers/nvi.h"'
expect 1 penumbra/evaluate/score.cpp '#include "penumbra/solvers/nvi.h"'
expect 0 penumbra/solvers/nvi.cpp '#include "penumbra/evaluate/score.h"'
expect 1 penumbra/nn/mlp.cpp '#include "penumbra/model/model.h"'
expect 1 penumbra/nn/simd/x.cpp '#  include <penumbra/model/model.h>'
expect 0 yardsticks/expert.h '#include "domains/tiger.h"'
expect 1 domains/tiger.cpp '#include "yardsticks/expert.h"'
expect 1 penumbra/base/rng.cpp '#include "penumbra/nn/mlp.h"'
expect 1 penumbra/model/facts.cpp '#include "domains/tiger.h"'
expect 1 penumbra/policy/fsc.cpp '#include "cli/json.h"'
expect 0 penumbra/runs/load.cpp '#include "domains/registry.h"'
expect 0 penumbra/runs/solve_job.cpp '#include "penumbra/solvers/registry.h"'
expect 1 penumbra/runs/load.cpp '#include "cli/interrupt.h"'
expect 1 penumbra/solvers/anytime.cpp '#include "penumbra/runs/run_folder.h"'
expect 1 penumbra/io/policy_file.cpp '#include "penumbra/runs/json.h"'
expect 1 penumbra/model/facts.cpp '#include "facts.h"'
expect 1 penumbra/novel/x.cpp '#include "penumbra/base/error.h"'

# MPI stays in one place.
expect 0 cluster/mpi_team.cpp '#include <mpi.h>'
expect 0 cluster/main.cpp '#include "cli/program.h"'
expect 1 cluster/mpi_team.h '#include "penumbra/solvers/solver.h"'
expect 1 penumbra/base/team.cpp '#include <mpi.h>'
expect 1 cli/program.cpp '#include <mpi.h>'

# Inside penumbra/solvers.
expect 0 penumbra/solvers/nvi/nvi.cpp '#include "penumbra/solvers/nvi/options.h"'
expect 0 penumbra/solvers/nvi/nvi.cpp '#include "penumbra/solvers/anytime.h"'
for shared in controller cells value_iteration points; do
  for solver in nvi mcvi pomcgs ppo sarsop; do
    expect 0 penumbra/solvers/$solver/x.cpp "#include \"penumbra/solvers/$shared/x.h\""
    expect 1 penumbra/solvers/$shared/x.cpp "#include \"penumbra/solvers/$solver/x.h\""
  done
  expect 0 penumbra/solvers/$shared/x.cpp '#include "penumbra/solvers/solver.h"'
done
expect 1 penumbra/solvers/nvi/nvi.cpp '#include "penumbra/solvers/mcvi/race.h"'
expect 1 penumbra/solvers/mcvi/race.h '#include "penumbra/solvers/nvi/options.h"'
expect 1 penumbra/solvers/pomcgs/x.cpp '#include "penumbra/solvers/sarsop/trial.h"'
expect 1 penumbra/solvers/controller/rounds.cpp '#include "penumbra/solvers/cells/plan.h"'
expect 1 penumbra/solvers/cells/plan.cpp '#include "penumbra/solvers/controller/rounds.h"'
expect 1 penumbra/solvers/cells/plan.cpp '#include "penumbra/solvers/points/sawtooth.h"'
expect 1 penumbra/solvers/value_iteration/loop.cpp '#include "penumbra/solvers/controller/rounds.h"'
expect 1 penumbra/solvers/points/sawtooth.cpp '#include "penumbra/solvers/value_iteration/loop.h"'
expect 0 penumbra/solvers/hsvi2.cpp '#include "penumbra/solvers/points/point_solver.h"'
expect 1 penumbra/solvers/anytime.cpp '#include "penumbra/solvers/nvi/nvi.h"'
expect 1 penumbra/solvers/anytime.cpp '#include "penumbra/solvers/cells/plan.h"'
expect 0 penumbra/solvers/registry.cpp '#include "penumbra/solvers/nvi/nvi.h"'
expect 1 penumbra/solvers/registry.cpp '#include "penumbra/io/policy_file.h"'
expect 1 penumbra/solvers/registry.h '#include "penumbra/solvers/nvi/nvi.h"'
expect 1 penumbra/solvers/novel/x.cpp '#include "penumbra/solvers/solver.h"'
echo "the layer check accepts and refuses as it should"
