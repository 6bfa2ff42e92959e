#!/usr/bin/env bash
# Completion by bash as it is after a tab: the words that it makes of a line, and what it is offered.
#   bash_completion.sh PROGRAM
set -euo pipefail
program=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
source "$(dirname "${BASH_SOURCE[0]}")/../../packaging/penumbra.bash"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
mkdir runs 'my models'
touch boxes.cpp maze.pomdp notes.txt a.policy b.toml

failed=0
# offered WORDS...: what is offered for the last one.
offered() {
  COMP_WORDS=("$program" "$@") COMP_CWORD=$#
  _penumbra
  printf '%s\n' "${COMPREPLY[@]}"
}
has() {  # EXPECTED... -- WORDS...
  local expected=() word list
  while [ "$1" != -- ]; do expected+=("$1") && shift; done
  shift
  list=$(offered "$@")
  for word in "${expected[@]}"; do
    grep -qxF -- "$word" <<<"$list" && continue
    echo "penumbra $*: '$word' is not offered, but: ${list//$'\n'/ }" >&2
    failed=1
  done
}
has_not() {  # UNEXPECTED -- WORDS...
  if grep -qxF -- "$1" <<<"$(offered "${@:3}")"; then
    echo "penumbra ${*:3}: '$1' is offered" >&2
    failed=1
  fi
}

has solve resume evaluate --help help -- ''
has solve solvers -- sol
has_not evaluate -- sol
has rock-sample -- solve rock
has tiger boxes.cpp maze.pomdp runs 'my models' -- solve ''
has_not notes.txt -- solve ''
has --solver --time --output -- solve tiger --
has_not --solver -- solve tiger --solver nvi --
has --solver -- solve tiger --sol
has auto nvi sarsop -- solve tiger --solver ''
has nvi -- solve tiger --solver = nv
has nvi -- solve tiger --solver = ''
has --start -- solve tiger --solver nvi --st
has --start -- solve tiger --solver = nvi --st
has_not --start -- solve tiger --st
has cells anchors -- solve tiger --solver nvi --start ''
has 'rock-sample(n=7,map_seed=' -- solve "'rock-sample(n=7,map_s"
has_not 'rock-sample(n=7,n=' -- solve "'rock-sample(n=7,n"
has 'rock-sample(rocks=[(1,2),(3,4)],n=' -- solve "'rock-sample(rocks=[(1,2),(3,4)],n"
has random expert despot a.policy runs -- evaluate "'rock-sample(n=7)'" --policy ''
has_not b.toml -- evaluate tiger --policy ''
has 'despot(time=' -- evaluate tiger --policy "'despot(ti"
has b.toml -- bench ''
has b.toml -- solve tiger --config ''
has runs -- resume ''
has_not a.policy -- resume ''
has notes.txt -- solve tiger -o ''
has notes.txt -- solve tiger --quiet -o ''
has despot -- planners de
has evaluate -- help eval
has controller belief -- evaluate tiger --execute ''
has c dot json -- export a.policy --format ''
for line in 'nonsense ' 'solve tiger --nonsense=' 'solve tiger --time ' 'solve tiger lion '; do
  read -ra words <<<"$line"
  [[ $line == *' ' ]] && words+=('')
  list=$(offered "${words[@]}")
  [ -z "$list" ] || { echo "penumbra $line: something is offered: $list" >&2 && failed=1; }
done
exit $failed
