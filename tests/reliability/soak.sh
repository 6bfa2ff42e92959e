#!/usr/bin/env bash
# A long solve: memory stays flat and the best score never falls.
#   soak.sh PROGRAM [DURATION = 3h, of each model] [MODEL...]
# Flat: in the second half of the run the memory of the process grows by less than a tenth; nodes of
# the controller are part of it. The score of the best controller is on the same episodes every time.
set -euo pipefail
program=$(realpath "$1") duration=${2:-3h}
shift $(($# > 2 ? 2 : $#))
models=("$@")
[ ${#models[@]} -gt 0 ] || models=('rock-sample(n=20,k=20)' lidar-roomba)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
failed=0
for model in "${models[@]}"; do
  run="$folder/run"
  "$program" solve "$model" --solver nvi --time "$duration" --run "$run" --quiet >/dev/null
  # memory and simulated score of every line of the log
  grep '"event":"progress"' "$run/log.jsonl" |
    sed -E 's/.*"seconds":([0-9.e+-]+).*"simulated":([0-9.e+-]+).*"standard_error":([0-9.e+-]+).*"memory":([0-9.e+-]+).*/\1 \2 \3 \4/' |
    awk -v model="$model" -v duration="$duration" '
      NF == 4 { t[++n] = $1; v[n] = $2; e[n] = $3; m[n] = $4; if ($4 > peak) peak = $4 }
      END {
        if (n < 3) { printf "soak: %s: only %d lines in %s\n", model, n, duration; exit 1 }
        half = 1
        while (half < n && t[half] < t[n] / 2) ++half
        growth = m[n] / m[half] - 1
        best = v[1]; falls = 0
        # The score of what is kept: the best so far never falls by more than its noise.
        for (i = 2; i <= n; ++i) { if (v[i] > best) best = v[i] }
        if (v[n] < best - 4 * (e[n] + 1e-9)) falls = 1
        printf "soak: %s, %s: memory %.0f MB at half, %.0f MB at the end (%+.1f %%), score %.3f to %.3f, last %.3f +- %.3f%s\n",
          model, duration, m[half] / 1e6, m[n] / 1e6, 100 * growth, v[1], best, v[n], e[n],
          (growth > 0.1 || falls) ? "; FAILED" : ""
        exit growth > 0.1 || falls
      }' || failed=1
  rm -rf "$run"
done
exit $failed
