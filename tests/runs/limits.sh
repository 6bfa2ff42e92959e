#!/usr/bin/env bash
# Limits with loading, writing and scoring included, on ten pairs of model and limit; and Ctrl-C.
#   limits.sh PROGRAM           all of them, with the promised seconds
#   limits.sh PROGRAM untimed   a few, and only that they end with a policy, not when
set -euo pipefail
program=$1 slack=3 few=
if [ "${2:-}" = untimed ]; then few=1 slack=100000; fi
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
failed=0
complain() {
  echo "FAILED: $*" >&2
  failed=1
}

timed() {  # SECONDS ARGUMENTS...
  local limit=$1 start took
  shift
  start=$(date +%s%N)
  "$program" solve "$@" --time "${limit}s" --quiet --json -o a.policy >result.json
  took=$((($(date +%s%N) - start) / 1000000))
  echo "limit $limit s: $took ms: $*"
  if [ $took -gt $(((limit + 2 + slack) * 1000)) ]; then complain "$took ms for $*"; fi
  if [ ! -s a.policy ]; then complain "no policy of $*"; fi
  rm -f a.policy
}
timed 2 tiger --solver nvi
timed 4 light-dark --solver cells
timed 2 'rock-sample(n=5,k=5)' --solver sarsop
if [ -z "$few" ]; then
  timed 5 tiger --solver mcvi
  timed 3 'rock-sample(n=7,k=8)' --solver nvi
  timed 5 'rock-sample(n=20,k=20)'
  timed 8 lidar-roomba --solver cells
  timed 3 'rock-sample(n=7,k=8)' --solver sarsop
  timed 2 'rock-sample(n=5,k=5)' --solver perseus
  timed 2 'rock-sample(n=5,k=5)' --solver hsvi2
fi

bounded() {  # MEGABYTES ARGUMENTS...: the most memory it ever had
  local limit=$1 peak
  shift
  "$program" solve "$@" --memory "$limit" --time $((few ? 5 : 15))s --quiet --json --run run >result.json
  peak=$(grep -o '"peak_memory":[0-9]*' result.json | cut -d: -f2)
  echo "limit $limit MB: $((peak / 1000000)) MB: $*"
  if [ "$peak" -gt $((limit * 1000000)) ]; then complain "$peak bytes for $*"; fi
  rm -rf run
}
bounded 60 'rock-sample(n=7,k=8)' --solver sarsop
bounded 120 'rock-sample(n=7,k=8)' --solver hsvi2
bounded 100 'rock-sample(n=7,k=8)' --solver nvi
bounded 30 tiger --solver sarsop --episodes 20000

if "$program" solve 'rock-sample(n=7,k=8)' --memory 5 2>said; then complain "5 MB were enough"; fi
grep -q 'alone needs about' said || complain "no estimate in: $(cat said)"

interrupted() {
  local start took pid
  "$program" solve "$@" --time 1h --quiet --json --run run >result.json &
  pid=$!
  sleep 3  # at work, on an idle machine
  start=$(date +%s%N)
  kill -INT $pid
  wait $pid && complain "no exit code 130: $*"
  took=$((($(date +%s%N) - start) / 1000000))
  echo "Ctrl-C: $took ms: $*"
  if [ $took -gt $(((5 + slack) * 1000)) ]; then complain "$took ms after Ctrl-C: $*"; fi
  if [ ! -s run/best.policy ]; then complain "no policy after Ctrl-C: $*"; fi
  ls run/checkpoint-? >/dev/null || complain "no checkpoint after Ctrl-C: $*"
  rm -rf run
}
interrupted 'rock-sample(n=20,k=20)'
interrupted light-dark --solver cells
interrupted 'rock-sample(n=7,k=8)' --solver sarsop
exit $failed
