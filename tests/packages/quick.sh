#!/usr/bin/env bash
# Packages of a build as it is, for this machine's processor: made, installed, used, removed. 77
# where there is nothing to make them with.
#   quick.sh BUILD
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
build=$1
command -v dpkg-shlibdeps >/dev/null && command -v file >/dev/null || exit 77
# Not below the build, where a program takes the headers of its sources.
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cpack -G DEB --config "$build/CPackConfig.cmake" -B "$scratch/debs" >"$scratch/cpack.log" 2>&1 ||
  { cat "$scratch/cpack.log" >&2; exit 1; }
"$here/use.sh" "$scratch/debs" "$scratch"
