#!/usr/bin/env bash
# The solver of docs/write-a-solver.md: clearly better than any blind policy (its exit code says
# so), and the same lines with any number of threads.
#   own_solver.sh PROGRAM
set -euo pipefail
one=$("$1" 1)
three=$("$1" 3)
if [ "$one" != "$three" ]; then
  diff <(echo "$one") <(echo "$three") >&2 || true
  echo "one and three threads differ" >&2
  exit 1
fi
tail -n 2 <<<"$one"
