#!/usr/bin/env bash
# Ends runs at random moments, resumes them, and compares their policies byte for byte with those of
# runs that were left alone. `kill_and_resume.sh PROGRAM [KILLS [SEED]]`; most ends are kill -9, some
# SIGTERM, and half of the runs are hit a second time after they were resumed.
set -euo pipefail
program=$(realpath "$1") kills=${2:-50}
RANDOM=${3:-1}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

# solver | domain | budget of work; every solver that there is
cases=(
  "nvi|rock-sample(n=2,k=1)|--backups 120"
  "sarsop|rock-sample(n=4,k=4)|--backups 3000"
  "mcvi|rock-sample(n=3,k=2)|--backups 80"
  "hsvi2|rock-sample(n=4,k=3)|--backups 1500"
  "nvi|light-dark|--backups 100"
  "pbvi|rock-sample(n=4,k=3)|--backups 3000"
  "cells|light-dark|--backups 60"
  "nvi|rock-sample(n=3,k=2)|--backups 100"
  "perseus|rock-sample(n=4,k=3)|--backups 3000"
  "ppo|tiger|--backups 40 --hidden 16 --lanes 32 --steps 32 --evaluations 100"
  "pomcgs|rock-sample(n=4,k=3)|--backups 300"
  "qmdp|rock-sample(n=6,k=6)|"
  "fib|rock-sample(n=6,k=6)|"
)
# Each sets the array `command`.
solve_command() {  # NUMBER RUN
  IFS='|' read -r solver domain budget <<<"${cases[$1]}"
  # shellcheck disable=SC2206
  command=("$program" solve "$domain" --solver "$solver" $budget --time 0 --episodes 10 --quiet
    --checkpoint 0.001s --run "$2" --threads $((RANDOM % 3 + 1)))
}
resume_command() {  # RUN
  command=("$program" resume "$1" --quiet --threads $((RANDOM % 3 + 1)))
}
# Starts the command and ends it somewhere in its first `$1` milliseconds. Fails where it had ended before.
cut_short() {
  local signal=KILL pid
  "${command[@]}" >/dev/null 2>&1 &
  pid=$!
  sleep "$(printf '%d.%03d' $((RANDOM % $1 / 1000)) $((RANDOM % $1 % 1000)))"
  if [ $((RANDOM % 5)) -eq 0 ]; then signal=TERM; fi
  kill -$signal $pid 2>/dev/null || true
  ! wait $pid 2>/dev/null
}

milliseconds=()
for i in "${!cases[@]}"; do
  solve_command "$i" "whole-$i"
  start=$(date +%s%N)
  "${command[@]}" >/dev/null
  milliseconds[i]=$((($(date +%s%N) - start) / 1000000 + 1))
done
from_checkpoint=0
for ((k = 0; k < kills; ++k)); do
  i=$((k % ${#cases[@]}))
  solve_command "$i" run
  if ! cut_short "${milliseconds[i]}"; then  # it had ended: does not count
    rm -rf run
    k=$((k - 1))
    continue
  fi
  if [ ! -e run/config.toml ]; then  # it had not even begun: nor does that
    milliseconds[i]=$((milliseconds[i] * 5 / 4 + 1))  # slower than when it was timed
    rm -rf run
    k=$((k - 1))
    continue
  fi
  if ls run/checkpoint-? >/dev/null 2>&1; then from_checkpoint=$((from_checkpoint + 1)); fi
  resume_command run
  if [ $((RANDOM % 2)) -eq 0 ]; then cut_short "${milliseconds[i]}" || true; fi
  "${command[@]}" >/dev/null
  cmp "whole-$i/best.policy" run/best.policy || {
    echo "the policy of ${cases[i]} differs after kill $k" >&2
    cat run/log.jsonl >&2
    exit 1
  }
  rm -rf run
done
echo "$kills runs were cut short, $from_checkpoint of them after a checkpoint: all policies agree"
