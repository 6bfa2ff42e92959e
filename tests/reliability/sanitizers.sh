#!/usr/bin/env bash
# The whole suite under the sanitizers, address and undefined behaviour first, then threads: hours. A
# quick subset is part of .ci/run.
#   sanitizers.sh [asan|tsan|both = both] [FILTER of ctest = .]
# Prints how many tests ran and how many findings there were.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
source cmake/packages.sh
which=${1:-both} filter=${2:-.}
[ "$which" = both ] && which="asan tsan"
failed=0
for preset in $which; do
  configure "$preset" -DPENUMBRA_TESTS=ON >/dev/null && cmake --build "build/$preset" >"build/$preset/build.log" 2>&1 || {
    echo "sanitizers: $preset does not build: build/$preset/build.log" >&2
    exit 2
  }
  # Left to ./test: readers are fuzzed under their own sanitizers; pages need a browser; Python, MPI and
  # packages bring programs that were built without; and sanitizers neither bear a limit of memory
  # nor another library before their own.
  ctest --test-dir "build/$preset" -R "$filter" -j "$(nproc)" --timeout 7200 --output-on-failure \
    -E '^(python|docs|packages|cluster)\.|fuzz.readers|report.page|install|signature|faults|runs.limits' >"build/$preset/suite.log" 2>&1 || failed=1
  ran=$(grep -E '^ *[0-9]+/[0-9]+ Test' "build/$preset/suite.log" | grep -vc 'Not Run')
  found=$(grep -cE 'ERROR: (Address|Leak)Sanitizer|runtime error:|WARNING: ThreadSanitizer' "build/$preset/suite.log")
  [ "$found" = 0 ] || failed=1
  unwell=$(grep -cE '\*\*\*(Failed|Timeout|Exception)' "build/$preset/suite.log")
  echo "sanitizers: $preset: $found findings in $ran tests, $unwell failed or out of time (build/$preset/suite.log)"
done
exit $failed
