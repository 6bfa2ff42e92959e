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
expect 1 penumbra/model/facts.cpp '#include "facts.h"'
expect 1 penumbra/novel/x.cpp '#include "penumbra/base/error.h"'
echo "the layer check accepts and refuses as it should"
