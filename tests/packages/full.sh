#!/usr/bin/env bash
# The packages for any processor: built, judged by lintian, used in a root of their own, installed
# into a copy of this system, and run on a processor without newer vector units. Half an hour and
# more, nearly all of it the build. DEBS names packages that are made already.
#   full.sh
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
source=$(cd "$here/../.." && pwd)
# Not below a build, where a program takes the headers of its sources.
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

source "$source/cmake/packages.sh"
install_missing lintian qemu-user man-db bash-completion "${PYTHON_PACKAGES[@]}"
if [ -z "${DEBS:-}" ]; then
  "$source/run" packages
  DEBS=$source/build/packages
fi

echo "== lintian"
lintian --allow-root --no-cfg --fail-on error "$DEBS"/*.deb

"$here/use.sh" "$DEBS" "$scratch/use"

echo "== on a processor with no more than SSE3"
rm -rf "$scratch/plain"
dpkg-deb -x "$DEBS"/penumbra_*.deb "$scratch/plain"
# Three kinds of networks are fitted; an instruction that the processor lacks ends the program.
for problem in "light-dark --solver nvi --start anchors" "rock-sample --solver nvi" "tiger --solver ppo"
do
  # shellcheck disable=SC2086
  timeout 900 qemu-x86_64 -cpu qemu64 "$scratch/plain/usr/bin/penumbra" solve $problem --time 5s \
    --episodes 100 --threads 1 --quiet >"$scratch/plain.log" 2>&1 || {
    cat "$scratch/plain.log" >&2
    echo "penumbra solve $problem failed on a plain processor" >&2
    exit 1
  }
done

if [ "$(id -u)" -eq 0 ]; then
  echo "== in a copy of this system"
  unshare --mount "$here/copy_of_system.sh" "$DEBS" "$scratch" "$source/examples/plugins/boxes.cpp"
else
  echo "not root: nothing is installed into a copy of this system"
fi
