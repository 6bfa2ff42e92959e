#!/usr/bin/env bash
# Puts a small part of what the fuzzers have learned into tests/fuzz/corpus, where fuzz.corpus reads it in every build.
#   tests/fuzz/keep.sh FOLDER [INPUTS of a reader at most = 100] [READER...]      FOLDER: the one that run.sh filled
# Of as few inputs as show all that is known, cut to 400 bytes, the shortest. Inputs with a name of their own stay.
set -euo pipefail
work=$(realpath "$1")
most=${2:-100}
shift $(($# > 2 ? 2 : $#))
corpus=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)/corpus
export ASAN_OPTIONS=${ASAN_OPTIONS:-detect_container_overflow=0}
for program in "$work"/*_fuzz; do
  reader=$(basename "$program" _fuzz)
  [ $# = 0 ] || [[ " $* " == *" $reader "* ]] || continue
  found=$work/$reader-found
  rm -rf "$found"
  mkdir -p "$corpus/$reader" "$found"
  "$program" -set_cover_merge=1 -max_len=400 -verbosity=0 "$found" "$corpus/$reader" "$work/$reader" >"$work/$reader-keep.log" 2>&1 ||
    { tail -n 20 "$work/$reader-keep.log"; exit 1; }
  find "$corpus/$reader" -type f -regextype posix-extended -regex '.*/[0-9a-f]{40}' -delete
  find "$found" -type f -printf '%s %f\n' | sort -n | awk -v most="$most" 'NR <= most' |
    while read -r _ name; do cp "$found/$name" "$corpus/$reader/"; done
  rm -rf "$found"
  echo "$reader: $(find "$corpus/$reader" -type f | wc -l) inputs, $(du -sb "$corpus/$reader" | cut -f1) bytes"
done
