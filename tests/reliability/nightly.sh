#!/usr/bin/env bash
# All figures of trust at full length, one line or a few each: many hours on a machine with nothing
# else to do. tests/reliability/README.md says what each promises.
#   nightly.sh BUILD [short]      BUILD: the folder of a release build with tests, such as build/release
set -uo pipefail
build=$(realpath "$1") short=${2:-}
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
program=$build/penumbra root=$(cd "$here/../.." && pwd)
# The same with clang, for the same processor.
two_compilers() {
  local other=$root/build/clang
  command -v clang++ >/dev/null || { echo "clang++ is not there"; return 1; }
  (cd "$root" && cmake --preset release -B "$other" -DCMAKE_CXX_COMPILER=clang++ -DCMAKE_C_COMPILER=clang) >/dev/null &&
    cmake --build "$other" --target penumbra_cli >/dev/null &&
    "$here/same_bytes.sh" "$program" short "$other/penumbra"
}
failed=()
step() {  # NAME COMMAND...
  local name=$1
  shift
  echo "== $name: $(date -u +%FT%TZ)"
  "$@" || failed+=("$name")
}
if [ -n "$short" ]; then
  step "hostile models" "$build/conformance_tests" --gtest_brief=1 --gtest_filter='*Hostile*'
  step "damaged files" "$build/io_tests" --gtest_brief=1 --gtest_filter='*Damage*:*Checkpoint*'
  step "intervals" "$build/reliability_intervals" 100
  step "same bytes" "$here/same_bytes.sh" "$program" short
  step "kill and resume" "$here/../runs/kill_and_resume.sh" "$program" 10
  step "faults" "$here/faults.sh" "$program"
  step "limits" "$here/limits.sh" "$program" short
  step "time per step" "$build/reliability_step_times" 10
  step "fuzz" "$here/../fuzz/run.sh" 5 "$build/tests/fuzz" "$build"
  step "soak" "$here/soak.sh" "$program" 30s
else
  step "hostile models" "$build/conformance_tests" --gtest_brief=1 --gtest_filter='*Hostile*'
  step "damaged files" "$build/io_tests" --gtest_brief=1 --gtest_filter='*Damage*:*Checkpoint*'
  step "intervals" "$build/reliability_intervals" 1000
  step "same bytes" "$here/same_bytes.sh" "$program"
  step "two compilers" two_compilers
  step "kill and resume" "$here/../runs/kill_and_resume.sh" "$program" 500 2
  step "faults" "$here/faults.sh" "$program" full
  step "limits" "$here/limits.sh" "$program"
  step "time per step" "$build/reliability_step_times"
  step "fuzz" "$here/../fuzz/run.sh" 14400 "$build/tests/fuzz" "$build" "$(nproc)"
  step "soak" "$here/soak.sh" "$program" 3h
  step "sanitizers" "$here/sanitizers.sh"
fi
echo "nightly: ${#failed[@]} failed${failed[*]:+: ${failed[*]}}"
[ ${#failed[@]} = 0 ]
