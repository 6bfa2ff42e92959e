#!/usr/bin/env bash
# Limits with everything included: loading, solving, writing and scoring.
#   limits.sh PROGRAM [short]
# Time: 34 pairs of model and solver, two of them with large checkpoints and two that were resumed, each within 2 % or 0.5 s of
# what it was given (what planners take for a step is told by reliability_step_times). Memory: 20
# pairs, the peak of the process. On a busy machine a process waits for others: what it waited beyond
# its own work from a second before the limit on (neither on its processor nor asleep,
# /proc/PID/schedstat) is told and not held against it.
set -uo pipefail
program=$(realpath "$1")
short=$([ "${2:-}" = short ] && echo 1)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
failed=0
now() { date +%s%N; }

# model | solver | seconds | options
pairs=(
  "tiger|nvi|5" "tiger|mcvi|5" "tiger|sarsop|5" "tiger|ppo|8" "rock-sample(n=5,k=5)|sarsop|5"
  "rock-sample(n=5,k=5)|hsvi2|5" "rock-sample(n=5,k=5)|pbvi|5" "rock-sample(n=5,k=5)|perseus|5"
  "rock-sample(n=5,k=5)|pomcgs|5" "rock-sample(n=5,k=5)|ppo|8" "rock-sample(n=7,k=8)|nvi|10"
  "rock-sample(n=7,k=8)|mcvi|10" "rock-sample(n=7,k=8)|sarsop|10" "rock-sample(n=7,k=8)|hsvi2|10"
  "rock-sample(n=7,k=8)|qmdp|10" "rock-sample(n=7,k=8)|fib|20" "rock-sample(n=11,k=11)|nvi|10"
  "rock-sample(n=20,k=20)|nvi|20" "rock-sample(n=20,k=20)|mcvi|20" "light-dark|nvi|10" "light-dark|cells|10"
  "light-dark|mcvi|10" "light-dark|ppo|10" "light-dark|pomcgs|10" "lidar-roomba|nvi|30" "lidar-roomba|cells|30"
  "lidar-roomba|ppo|20" "vdp-tag|nvi|30" "laser-tag|nvi|20" "rock-sample(n=7,k=8)|nvi|20|--preset paper"
  "rock-sample(n=7,k=8)|sarsop|60|--run run" "rock-sample(n=11,k=11)|sarsop|60|--run run"
)
[ -z "$short" ] || pairs=("tiger|nvi|3" "rock-sample(n=5,k=5)|sarsop|3" "light-dark|cells|4")
# Seconds that a process and its threads stood in the queue for a processor, so far.
waited_of() { awk '{ w += $2 } END { printf "%d", w / 1e6 }' /proc/"$1"/task/*/schedstat 2>/dev/null; }
kept=0
for pair in "${pairs[@]}"; do
  IFS='|' read -r model solver seconds options <<<"$pair"
  start=$(now)
  # shellcheck disable=SC2086
  "$program" solve "$model" --solver "$solver" --time "${seconds}s" $options --threads 2 --quiet --json \
    -o a.policy >result.json 2>said &
  pid=$!
  waited=0 before=0  # before: up to a second before the limit
  while kill -0 $pid 2>/dev/null; do
    more=$(waited_of $pid)
    [ -z "$more" ] || waited=$more
    [ $((($(now) - start) / 1000000)) -ge $((seconds * 1000 - 1000)) ] || before=$waited
    sleep 0.1
  done
  wait $pid
  code=$?
  took=$((($(now) - start) / 1000000)) allowed=$((seconds * 20 > 500 ? seconds * 20 : 500))
  over=$((took - seconds * 1000))
  cpu=$(grep -o '"cpu_seconds":[0-9.]*' result.json | head -1 | cut -d: -f2)
  # Two threads wait side by side. Who has waited earlier can stop in time all the same.
  excuse=$(((waited - before) / 2))
  word=kept
  if [ $code != 0 ] || [ ! -s a.policy ]; then
    word="FAILED: exit code $code: $(tail -n 1 said)"
  elif [ $over -gt $allowed ]; then
    word="OVER by $over ms"
    if [ $((over - excuse)) -le $allowed ]; then word="over by $over ms, waited $excuse ms for a processor"; fi
  fi
  case $word in FAILED* | OVER*) failed=1 ;; *) kept=$((kept + 1)) ;; esac
  printf '  %-28s %-8s limit %3d s  took %6d ms  processor %6s s  %s\n' "$model" "$solver $options" "$seconds" "$took" \
    "${cpu:-?}" "$word"
  rm -rf a.policy run
done
# Stopped half way and resumed: what is left of the limit, scoring included. With a belief one episode a
# thread is played whatever the time, so not where episodes are long.
resumed=("rock-sample(n=7,k=8)|nvi|20|" "rock-sample(n=7,k=8)|nvi|20|--execute belief")
[ -z "$short" ] || resumed=("rock-sample(n=5,k=5)|nvi|4|--execute belief")
for pair in "${resumed[@]}"; do
  IFS='|' read -r model solver seconds options <<<"$pair"
  # shellcheck disable=SC2086
  "$program" solve "$model" --solver "$solver" --time "${seconds}s" $options --threads 2 --quiet --run run >/dev/null 2>&1 &
  sleep $((seconds / 2))
  kill -TERM $!
  wait $!
  used=$(grep '"event":"end"' run/log.jsonl | grep -oE '"seconds":[0-9.]+' | head -1 | cut -d: -f2)
  start=$(now)
  "$program" resume run --threads 2 --quiet >/dev/null 2>said
  code=$?
  took=$((($(now) - start) / 1000000)) allowed=$((seconds * 20 > 500 ? seconds * 20 : 500))
  left=$(awk -v s="$seconds" -v u="${used:-0}" 'BEGIN { printf "%d", 1000 * (s - u) }')
  word=kept
  if [ $code != 0 ]; then word="FAILED: exit code $code: $(tail -n 1 said)"; fi
  [ $((took - left)) -le $allowed ] || word="OVER by $((took - left)) ms"
  case $word in FAILED* | OVER*) failed=1 ;; *) kept=$((kept + 1)) ;; esac
  printf '  %-28s %-8s left  %6d ms took %6d ms  resumed  %s\n' "$model" "$solver $options" "$left" "$took" "$word"
  rm -rf run
done
echo "limits: time kept by $kept of $((${#pairs[@]} + ${#resumed[@]})) pairs"

# model | solver | megabytes
memory=(
  "rock-sample(n=7,k=8)|sarsop|60" "rock-sample(n=7,k=8)|hsvi2|120" "rock-sample(n=7,k=8)|pbvi|60"
  "rock-sample(n=7,k=8)|perseus|60" "rock-sample(n=7,k=8)|nvi|60" "rock-sample(n=7,k=8)|mcvi|60"
  "rock-sample(n=7,k=8)|pomcgs|80" "rock-sample(n=7,k=8)|ppo|80" "rock-sample(n=7,k=8)|qmdp|80"
  "rock-sample(n=7,k=8)|fib|80" "rock-sample(n=5,k=5)|sarsop|30" "rock-sample(n=5,k=5)|hsvi2|30"
  "rock-sample(n=5,k=5)|pomcgs|40" "rock-sample(n=11,k=11)|nvi|80" "rock-sample(n=20,k=20)|nvi|120"
  "light-dark|cells|60" "light-dark|nvi|60" "lidar-roomba|nvi|250" "lidar-roomba|cells|250" "tiger|sarsop|30"
)
time=15
[ -z "$short" ] || { memory=("rock-sample(n=7,k=8)|sarsop|60" "rock-sample(n=7,k=8)|nvi|60"); time=4; }
within=0 refused=0
for row in "${memory[@]}"; do
  IFS='|' read -r model solver megabytes <<<"$row"
  "$program" solve "$model" --solver "$solver" --memory "$megabytes" --time ${time}s --threads 2 --quiet --json \
    --run run >result.json 2>said
  code=$?
  peak=$(grep -o '"peak_memory":[0-9]*' result.json | cut -d: -f2)
  if [ $code = 1 ] && grep -q 'alone needs about' said; then
    word="refused: $(tail -n 1 said)"
    within=$((within + 1)) refused=$((refused + 1))
  elif [ -z "$peak" ] || [ "$peak" -gt $((megabytes * 1000000)) ]; then
    word="OVER: $(tail -n 1 said)"
    failed=1
  else
    word=$(grep -o '"status":"[a-z]*"' result.json | head -1)
    within=$((within + 1))
  fi
  printf '  %-26s %-8s limit %4d MB  peak %4s MB  %s\n' "$model" "$solver" "$megabytes" "$((${peak:-0} / 1000000))" "$word"
  rm -rf run
done
echo "limits: memory kept by $within of ${#memory[@]} pairs, $refused of them refused because the model alone is too large"
exit $failed
