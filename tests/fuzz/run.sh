#!/usr/bin/env bash
# Fuzzes both readers with clang's libFuzzer, address and undefined-behaviour sanitizers.
#   tests/fuzz/run.sh [SECONDS per reader = 10] [FOLDER for programs and corpus]
# Without clang++ it says so and succeeds: the mutation tests run everywhere.
set -euo pipefail
seconds=${1:-10}
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
work=${2:-$(mktemp -d)}
mkdir -p "$work"
clang=$(command -v clang++ || command -v clang++-14 || true)
flags=(-std=c++20 -O1 -g -fno-omit-frame-pointer -fsanitize=fuzzer,address,undefined
  -fno-sanitize-recover=all -I"$root")
if [ -z "$clang" ] ||
  ! echo 'extern "C" int LLVMFuzzerTestOneInput(const char*, unsigned long) { return 0; }' |
    "$clang" "${flags[@]}" -x c++ - -o "$work/probe" 2>/dev/null; then
  echo "clang++ with libFuzzer is not there: nothing is fuzzed"
  exit 0
fi

sources=("$root"/penumbra/io/{diagram,factored_model,factoring,flat_table,pattern_table}.cpp
  "$root"/penumbra/io/{pomdp_file,pomdp_scanner,pomdp_writer,pomdpx_dag,pomdpx_file}.cpp
  "$root"/penumbra/io/{pomdpx_variables,pomdpx_writer,row_product,source_text,xml_reader}.cpp
  "$root"/penumbra/base/{error,spec}.cpp "$root"/penumbra/model/tabular.cpp)
objects=()
for source in "${sources[@]}"; do
  object="$work/$(basename "$source" .cpp).o"
  objects+=("$object")
  [ "$object" -nt "$source" ] || "$clang" "${flags[@]}" -c "$source" -o "$object"
done
for format in pomdp pomdpx; do
  "$clang" "${flags[@]}" "$root/tests/fuzz/${format}_fuzz.cpp" "${objects[@]}" -lfmt \
    -o "$work/${format}_fuzz"
  mkdir -p "$work/$format"
  find "$root/tests/data" -iname "*.$format" -exec cp {} "$work/$format/" \;
  "$work/${format}_fuzz" -max_total_time="$seconds" -max_len=8192 -timeout=10 -rss_limit_mb=1024 \
    -dict="$root/tests/fuzz/$format.dict" -print_final_stats=1 -verbosity=0 \
    -artifact_prefix="$work/$format-" "$work/$format" 2>&1 | tail -n 12
done
echo "both readers: nothing found in $seconds s each"
