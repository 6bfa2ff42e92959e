#!/usr/bin/env bash
# A long solve: memory stays flat and the best score never falls.
#   soak.sh PROGRAM [DURATION = 3h] [MODEL...]
#   SOAK=FOLDER soak.sh PROGRAM ...     in pieces: runs of that folder go on where they were, up to DURATION in all
# The models run side by side, a thread each. Flat: in the second half of the run the memory of the
# process is at most a tenth above what it was in the first; nodes of the controller are part of it. Every line of a log has the score of the
# controller at that time on the same episodes: none is below one before it by more than its noise.
set -euo pipefail
program=$(realpath "$1") duration=${2:-3h}
shift $(($# > 2 ? 2 : $#))
models=("$@")
[ ${#models[@]} -gt 0 ] || models=('rock-sample(n=20,k=20)' lidar-roomba)
if [ -n "${SOAK:-}" ]; then
  folder=$SOAK
  mkdir -p "$folder"
else
  folder=$(mktemp -d)
  trap 'rm -rf "$folder"' EXIT
fi

judge() {  # MODEL RUN: a line with what its log shows
  grep '"event":"progress"' "$2/log.jsonl" |
    awk -v model="$1" -v duration="$duration" '
      function field(name) {
        return match($0, "\"" name "\":[0-9.e+-]+") ? substr($0, RSTART + length(name) + 3, RLENGTH - length(name) - 3) + 0 : ""
      }
      field("simulated") != "" {
        t[++n] = field("seconds"); cpu[n] = field("cpu_seconds"); m[n] = field("memory")
        v[n] = field("simulated"); e[n] = field("standard_error")
      }
      END {
        if (n < 3) { printf "soak: %s: only %d lines in %s\n", model, n, duration; exit 1 }
        for (i = 1; i <= n; ++i) {
          if (t[i] <= t[n] / 2) { if (m[i] > first) first = m[i] }
          else if (m[i] > second) second = m[i]
        }
        growth = first > 0 ? second / first - 1 : 1
        best = v[1]; falls = 0
        for (i = 2; i <= n; ++i) {
          if (v[i] < best - 4 * (e[i] + 1e-9)) ++falls
          if (v[i] > best) best = v[i]
        }
        printf "soak: %s, %s (%.0f min of processor): memory %.0f MB at most in the first half, %.0f MB in the second (%+.1f %%), score %.3f to %.3f, last %.3f +- %.3f, %d falls in %d lines%s\n",
          model, duration, cpu[n] / 60, first / 1e6, second / 1e6, 100 * growth, v[1], best, v[n], e[n], falls, n,
          (growth > 0.1 || falls) ? "; FAILED" : ""
        exit growth > 0.1 || falls > 0
      }'
}

runs=()
for i in "${!models[@]}"; do
  if [ -d "$folder/$i" ]; then
    "$program" resume "$folder/$i" --threads 1 --time "$duration" --quiet >/dev/null &
  else
    "$program" solve "${models[i]}" --solver nvi --threads 1 --time "$duration" --run "$folder/$i" --quiet >/dev/null &
  fi
  runs+=($!)
done
failed=0
for i in "${!models[@]}"; do
  wait "${runs[i]}" || { echo "soak: ${models[i]}: ended with code $?"; failed=1; }
  judge "${models[i]}" "$folder/$i" || failed=1
done
exit $failed
