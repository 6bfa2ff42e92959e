#!/usr/bin/env bash
# The experiments at their smallest scale: every solver, every figure, every planner, no failure.
#   bench_smoke.sh PROGRAM
set -euo pipefail
program=$1
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

"$program" bench "$root/experiments/table.toml" --scale smoke --out "$folder/bench" \
  --results "$folder/results.md" >"$folder/said.txt" 2>&1 || {
  cat "$folder/said.txt" >&2
  exit 1
}
for solver in $("$program" solvers --json | grep -o '"name":"[^"]*"' | cut -d'"' -f4); do
  grep -q "\"solver_name\": \"$solver\"" "$folder/bench/bench.json" ||
    { echo "experiments/table.toml leaves out the solver $solver" >&2; exit 1; }
done
for figure in "$folder"/results/*.svg; do
  ! grep -q 'no data yet' "$figure" || { echo "$figure shows nothing" >&2; exit 1; }
done
tail -n 1 "$folder/said.txt"

# Every planner too.
"$program" bench "$root/experiments/online.toml" --scale smoke --out "$folder/online" \
  >"$folder/said.txt" 2>&1 || {
  cat "$folder/said.txt" >&2
  exit 1
}
for planner in $("$program" planners --json | grep -o '"name":"[^"]*"' | cut -d'"' -f4); do
  grep -q "\"solver_name\": \"$planner\"" "$folder/online/bench.json" ||
    { echo "experiments/online.toml leaves out the planner $planner" >&2; exit 1; }
done
tail -n 1 "$folder/said.txt"
