#!/usr/bin/env bash
# Fuzzes the readers of files with clang's libFuzzer, address and undefined-behaviour sanitizers:
# .pomdp and .pomdpx, and where the folder of a build is given policy files of this and of other programs,
# checkpoints, logs of runs, TOML and JSON, whose readers are instrumented and linked with the rest of that build.
#   tests/fuzz/run.sh [SECONDS for a reader = 10] [FOLDER for programs and corpus] [BUILD] [READERS at a time = 1]
# Called again with the same folder it goes on with what it has learned, and FOLDER/processor adds up how
# long each reader was fuzzed in all. tests/fuzz/keep.sh FOLDER puts a small part of it into the repository.
# Without clang++ it says so; where no build is given it succeeds, because the mutation tests run everywhere.
set -euo pipefail
seconds=${1:-10}
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
work=${2:-$(mktemp -d)}
build=${3:-}
at_once=${4:-1}
mkdir -p "$work"
clang=$(command -v clang++ || command -v clang++-14 || true)
flags=(-std=c++20 -O1 -g -fno-omit-frame-pointer -fsanitize=fuzzer,address,undefined
  -fno-sanitize-recover=all -I"$root")
if [ -z "$clang" ] ||
  ! echo 'extern "C" int LLVMFuzzerTestOneInput(const char*, unsigned long) { return 0; }' |
    "$clang" "${flags[@]}" -x c++ - -o "$work/probe" 2>/dev/null; then
  echo "clang++ with libFuzzer is not there: nothing is fuzzed"
  [ -z "$build" ]
  exit
fi
# Vectors are also filled by code that is not instrumented.
export ASAN_OPTIONS=${ASAN_OPTIONS:-detect_container_overflow=0}

newest_header=$(find "$root/penumbra" "$root/cli" "$root/domains" -name '*.h' -printf '%T@ %p\n' | sort -n | tail -n 1 | cut -d' ' -f2-)
compile() {  # SOURCE...: sets `objects`; as many at a time as there are cores
  local source object stale=()
  objects=()
  for source in "$@"; do
    object="$work/$(basename "$source" .cpp).o"
    objects+=("$object")
    [ "$object" -nt "$root/$source" ] && [ "$object" -nt "$newest_header" ] ||
      stale+=("$root/$source" -o "$object")
  done
  [ ${#stale[@]} -eq 0 ] ||
    printf '%s\0' "${stale[@]}" | xargs -0 -n 3 -P "$(nproc)" "$clang" "${flags[@]}" -c
}
link() {  # READER LIBRARIES...: with `objects`; the corpus is $work/READER
  local reader=$1
  shift
  "$clang" "${flags[@]}" "$root/tests/fuzz/${reader}_fuzz.cpp" "${objects[@]}" "$@" -o "$work/${reader}_fuzz"
  mkdir -p "$work/$reader"
  [ ! -d "$root/tests/fuzz/corpus/$reader" ] || cp "$root/tests/fuzz/corpus/$reader"/* "$work/$reader/"
  readers+=("$reader")
}
fuzz() {  # READER
  local reader=$1 dict=() took TIMEFORMAT=%U
  [ ! -e "$root/tests/fuzz/$reader.dict" ] || dict=(-dict="$root/tests/fuzz/$reader.dict")
  took=$({
    time "$work/${reader}_fuzz" -max_total_time="$seconds" -max_len=16384 -timeout=10 -rss_limit_mb=1024 \
      "${dict[@]}" -print_final_stats=1 -verbosity=0 -artifact_prefix="$work/$reader-" "$work/$reader" \
      >"$work/$reader.log" 2>&1
  } 2>&1) || {
    tail -n 40 "$work/$reader.log"
    echo "$reader: FOUND something; the input is in $work/$reader-*"
    return 1
  }
  echo "$reader $took" >>"$work/processor"
  awk -v reader="$reader" -v took="$took" '
    FILENAME ~ /processor$/ { if ($1 == reader) all += $2; next }
    /number_of_executed_units/ { inputs = $2 }
    END { printf "%s: nothing found in %d inputs, %.0f s of processor; %.1f min in all\n", reader, inputs, took, all / 60 }
  ' "$work/processor" "$work/$reader.log"
}
fuzz_all() {  # the readers that are linked, `at_once` of them at a time
  local reader failed=0 running=0
  for reader in "${readers[@]}"; do
    if [ $running = "$at_once" ]; then
      wait -n || failed=1
      running=$((running - 1))
    fi
    fuzz "$reader" &
    running=$((running + 1))
  done
  while [ $running -gt 0 ]; do
    wait -n || failed=1
    running=$((running - 1))
  done
  return $failed
}
readers=()

compile penumbra/io/{diagram,factored_model,factoring,flat_table,pattern_table}.cpp \
  penumbra/io/{pomdp_file,pomdp_scanner,pomdp_writer,pomdpx_dag,pomdpx_file}.cpp \
  penumbra/io/{pomdpx_variables,pomdpx_writer,row_product,source_text,text,xml_reader}.cpp \
  penumbra/base/{error,spec}.cpp penumbra/model/tabular.cpp
for format in pomdp pomdpx; do
  mkdir -p "$work/$format"
  find "$root/tests/data" -iname "*.$format" -exec cp {} "$work/$format/" \;
  link $format -lfmt
done
if [ -z "$build" ]; then
  fuzz_all
  echo "fuzz: 2 of 8 readers, $seconds s each: the others need the folder of a build"
  exit 0
fi

# Several sources are one object of a build: what is instrumented stands in there too, and comes first.
rest=(-Wl,--allow-multiple-definition "$build/libpenumbra_runs.a" "$build/libpenumbra_domains.a" "$build/libpenumbra.a" -lfmt -lhwy -ldl -lpthread)
compile penumbra/io/policy_{decode,encode,file}.cpp penumbra/policy/fsc.cpp penumbra/io/export_{c,dot,json}.cpp \
  penumbra/nn/{bytes,value_bank,head_bank,network_bank}.cpp
mkdir -p "$work/policy"
cp "$root"/tests/data/*.policy "$work/policy/"
link policy "${rest[@]}"
compile penumbra/io/{any_policy,cassandra_policy,sarsop_policy,number_words,source_text,xml_reader}.cpp \
  penumbra/policy/{alpha_vectors,fsc}.cpp
link foreign_policy "${rest[@]}"
compile penumbra/io/checkpoint_file.cpp
link checkpoint "${rest[@]}"
compile penumbra/runs/{report_runs,run_watch,run_state}.cpp
link run_log "${rest[@]}"
compile penumbra/runs/{config,experiment_file,search_space}.cpp
link toml "${rest[@]}"
compile penumbra/runs/{report_runs,trials}.cpp \
  cli/bench/{bench_folder,cell_result,experiment_json,figures,table,table_text}.cpp
link json "${rest[@]}"
fuzz_all
echo "fuzz: nothing found in 8 of 8 readers, $seconds s each"
