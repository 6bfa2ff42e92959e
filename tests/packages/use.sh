#!/usr/bin/env bash
# Packages in a root of their own: installed one after the other, used, removed without a trace. The
# root knows what this machine has installed, so that dependencies count.
#   use.sh FOLDER_OF_DEBS SCRATCH
set -euo pipefail
debs=$(cd "$1" && pwd)
mkdir -p "$2"
scratch=$(cd "$2" && pwd)
source=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
root=$scratch/root

fail() {
  echo "$*" >&2
  exit 1
}
# Some images leave out man pages and documents; ours are looked at here.
in_root() {
  dpkg --root="$root" --force-not-root --force-script-chrootless --log=/dev/null \
    --path-include='/usr/share/*' "$@" >"$scratch/dpkg.log" 2>&1 ||
    { grep -v 'files list file' "$scratch/dpkg.log" >&2; fail "dpkg $* failed"; }
}
listing() { (cd "$root" && find . -path ./var -prune -o -print | sort); }
deb_of() { echo "$debs/$1"_*.deb; }

rm -rf "$root"
mkdir -p "$root"/var/lib/dpkg/{info,updates,triggers}
cp /var/lib/dpkg/status "$root/var/lib/dpkg/status"
listing >"$scratch/before"

echo "== control fields"
for package in penumbra libpenumbra-dev python3-penumbra; do
  [ -f "$(deb_of $package)" ] || fail "there is no package $package in $debs"
  for field in Package Version Architecture Maintainer Section Description Depends Installed-Size
  do
    [ -n "$(dpkg-deb -f "$(deb_of $package)" $field)" ] || fail "$package has no $field"
  done
  documents=$(dpkg-deb -c "$(deb_of $package)")
  for file in copyright changelog.Debian.gz changelog.gz; do
    grep -q " ./usr/share/doc/$package/$file\$" <<<"$documents" || fail "$package has no $file"
  done
done
# Needed by the loader: said in words, or the package would not start where it is installed.
for library in libc6 libstdc++6; do
  for package in penumbra python3-penumbra; do
    dpkg-deb -f "$(deb_of $package)" Depends | grep -qF "$library " ||
      fail "$package does not depend on $library"
  done
done
dpkg-deb -f "$(deb_of penumbra)" Depends | grep -qi mpi && fail "penumbra depends on MPI"

echo "== the program"
in_root -i "$(deb_of penumbra)"
program=$root/usr/bin/penumbra
export XDG_CACHE_HOME=$scratch/cache
rm -rf "$XDG_CACHE_HOME"
cd "$scratch"
"$program" --version
"$program" convert tiger tiger.pomdp --quiet
"$program" solve tiger.pomdp --backups 200 --episodes 1000 --quiet -o tiger.policy >/dev/null
"$program" evaluate tiger.pomdp --policy tiger.policy --episodes 1000 --quiet |
  grep -q 'standard error' || fail "evaluate printed no score"
# Without the headers the way out is named.
said=$("$program" check "$source/examples/plugins/boxes.cpp" 2>&1) && fail "compiled without headers"
grep -q 'libpenumbra-dev' <<<"$said" || fail "does not say which package is missing: $said"

echo "== man pages and completion"
pages=("$root"/usr/share/man/man1/penumbra*.1.gz)
commands=$("$program" complete '' | cut -f 1 | grep -v -e '^-' -e '^help$')
[ ${#pages[@]} -eq $(($(wc -w <<<"$commands") + 1)) ] || fail "there are ${#pages[@]} man pages"
if command -v man >/dev/null; then
  for page in "${pages[@]}"; do
    warnings=$(LC_ALL=C.UTF-8 MANROFFSEQ='' MANWIDTH=80 man --warnings -E UTF-8 -l -Tutf8 -Z \
      "$page" 2>&1 >/dev/null)
    [ -z "$warnings" ] || fail "$page: $warnings"
  done
fi
for file in bash-completion/completions/penumbra zsh/vendor-completions/_penumbra; do
  [ -f "$root/usr/share/$file" ] || fail "there is no $file"
done

echo "== headers and libraries"
in_root -i "$(deb_of libpenumbra-dev)"
cp "$source/examples/plugins/boxes.cpp" boxes.cpp
"$program" check boxes.cpp --quiet
"$program" evaluate boxes.cpp --policy random --episodes 1000 --quiet >/dev/null

echo "== Python"
in_root -i "$(deb_of python3-penumbra)"
packages=$root/usr/lib/python3/dist-packages
env -u PYTHONDONTWRITEBYTECODE -u PYTHONPYCACHEPREFIX PYTHONPATH="$packages" \
  /usr/bin/python3 - "$packages" "$("$program" --version)" <<'PYTHON'
import importlib.metadata, sys
import penumbra as pn
assert pn.__file__.startswith(sys.argv[1]), pn.__file__
assert importlib.metadata.version("penumbra") == sys.argv[2].split()[1]
score = pn.evaluate(pn.make("tiger"), "random", episodes=1000)
assert score.mean < 0, score
PYTHON
[ -d "$packages/penumbra/__pycache__" ] || fail "Python compiled nothing: the next check is empty"

echo "== removed"
in_root -P python3-penumbra libpenumbra-dev penumbra
listing >"$scratch/after"
diff "$scratch/before" "$scratch/after" || fail "these files were left"
echo "installed, used and removed"
