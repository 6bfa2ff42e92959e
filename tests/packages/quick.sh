#!/usr/bin/env bash
# Packages of a build as it is, for this machine's processor: made, installed, used, removed. 77
# where there is nothing to make them with.
#   quick.sh BUILD SCRATCH
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
build=$1 scratch=$2
command -v dpkg-shlibdeps >/dev/null && command -v file >/dev/null || exit 77
rm -rf "$scratch"
mkdir -p "$scratch"
cpack -G DEB --config "$build/CPackConfig.cmake" -B "$scratch/debs" >"$scratch/cpack.log" 2>&1 ||
  { cat "$scratch/cpack.log" >&2; exit 1; }
"$here/use.sh" "$scratch/debs" "$scratch"
