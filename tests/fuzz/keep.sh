#!/usr/bin/env bash
# Puts what the fuzzers have learned into tests/fuzz/corpus, as few and short inputs as show it.
#   tests/fuzz/keep.sh FOLDER [BYTES of an input at most = 400] [READER...]      FOLDER: the one that run.sh filled
# Longer inputs are cut, so that the repository stays small.
set -euo pipefail
work=$(realpath "$1")
bytes=${2:-400}
shift $(($# > 2 ? 2 : $#))
corpus=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)/corpus
export ASAN_OPTIONS=${ASAN_OPTIONS:-detect_container_overflow=0}
for program in "$work"/*_fuzz; do
  reader=$(basename "$program" _fuzz)
  [ $# = 0 ] || [[ " $* " == *" $reader "* ]] || continue
  mkdir -p "$corpus/$reader"
  "$program" -set_cover_merge=1 -max_len="$bytes" -verbosity=0 "$corpus/$reader" "$work/$reader" >"$work/$reader-keep.log" 2>&1 ||
    { tail -n 20 "$work/$reader-keep.log"; exit 1; }
  echo "$reader: $(find "$corpus/$reader" -type f | wc -l) inputs, $(du -sb "$corpus/$reader" | cut -f1) bytes"
done
