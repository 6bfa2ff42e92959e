#!/usr/bin/env bash
# Completion by zsh, with the three functions of its own that ours calls replaced: what they are
# given is printed. 77 where there is no zsh.
#   zsh_completion.sh PROGRAM
set -euo pipefail
command -v zsh >/dev/null || exit 77
program=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
completion=$(cd "$(dirname "${BASH_SOURCE[0]}")/../../packaging" && pwd)/_penumbra
PROGRAM=$program COMPLETION=$completion exec zsh -f <<'ZSH'
compadd() { print -l -- ${(P)@[-1]} }
_files() { print -- files "$@" }
_call_program() { shift; eval "$@" }
integer failed=0
# has EXPECTED WORDS...
has() {
  local expected=$1 list
  words=($PROGRAM "${@[2,-1]}") CURRENT=$#
  list=$(source $COMPLETION)
  [[ $'\n'$list$'\n' == *$'\n'$expected$'\n'* ]] && return
  print -u 2 -- "penumbra ${@[2,-1]}: '$expected' is not offered, but: ${list//$'\n'/ }"
  failed=1
}
has solve ''
has rock-sample solve rock
has 'files -g *(.pomdp|.pomdpx|.cpp|.so)' solve ''
has --time solve tiger --t
has --solver=nvi solve tiger --solver=nv
has cells solve tiger --solver nvi --start ''
has 'rock-sample(n=7,map_seed=' solve "'rock-sample(n=7,map_s"
has 'rock-sample(n=7,map_seed=' solve 'rock-sample\(n=7,map_s'
has despot evaluate "'rock-sample(n=7)'" --policy de
has 'files -/' resume ''
exit $failed
ZSH
