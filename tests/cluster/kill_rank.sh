#!/usr/bin/env bash
# Kills a rank at a random moment: the job must be over within 5 s, and resumed on another number of
# ranks it must end in the same bytes. `kill_rank.sh PENUMBRA_MPI [KILLS [SEED]]`.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/mpi_environment.sh"
need mpirun
program=$(realpath "$1") kills=${2:-20}
RANDOM=${3:-1}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
task=(solve 'rock-sample(n=5,k=5)' --solver nvi --start blind --backups 1500 --episodes 100 --quiet
  --checkpoint 0.05s --threads 1)

milliseconds() {
  echo $(($(date +%s%N) / 1000000))
}
start=$(milliseconds)
mpirun -n 3 "$program" "${task[@]}" --run whole >/dev/null
whole=$(($(milliseconds) - start))
good=0 longest=0
for ((k = 0; k < kills; ++k)); do
  rm -rf run
  mpirun -n 3 "$program" "${task[@]}" --run run >/dev/null 2>&1 &
  job=$!
  pause=$((RANDOM % whole))
  sleep "$(printf '%d.%03d' $((pause / 1000)) $((pause % 1000)))"
  ranks=($(pgrep -P "$job" || true))
  if [ ${#ranks[@]} -lt 3 ] || [ ! -e run/config.toml ]; then  # before or after the work
    wait "$job" || true
    k=$((k - 1))
    continue
  fi
  kill -KILL "${ranks[RANDOM % 3]}" 2>/dev/null || true
  start=$(milliseconds)
  wait "$job" 2>/dev/null || true
  took=$(($(milliseconds) - start))
  [ $took -le $longest ] || longest=$took
  if [ ! -e run/best.policy ]; then
    mpirun -n $((RANDOM % 2 + 1)) "$program" resume run --quiet >/dev/null 2>err.txt || cat err.txt
  fi
  if [ $took -le 5000 ] && cmp -s whole/best.policy run/best.policy; then
    good=$((good + 1))
  else
    echo "kill $k: over after $took ms; $(cmp whole/best.policy run/best.policy 2>&1 || true)" >&2
  fi
done
echo "$good of $kills; over after $longest ms at most"
[ "$good" = "$kills" ]
