#!/usr/bin/env bash
# Same seed, same bytes: every solver, and every planner with a budget of work, on three domains with
# two seeds and 1, 2, 3, 5, 8 and 16 threads.
#   same_bytes.sh PROGRAM [short | quick] [OTHER PROGRAM]
# Short: one seed, 1, 3 and 8 threads. Quick, for the tests: of three domains the first, 1 and 3 threads.
# With another program (another compiler, the same instruction set) what that makes with one thread
# is compared too: how many of its cells agree, and which do not. That does not fail.
set -euo pipefail
program=$(realpath "$1")
threads="2 3 5 8 16" seeds="1 2" domains=3 other=
for word in "${@:2}"; do
  case $word in
    short) threads="3 8" seeds=1 ;;
    quick) threads=3 seeds=1 domains=1 ;;
    *) other=$(realpath "$word") ;;
  esac
done
first() { printf '%s\n' "$@" | head -n $domains; }  # of the domains
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

# solver | options; those of tables have domains with tables.
table="tiger rock-sample(n=4,k=3) t-maze(length=5)"
solvers=(
  "nvi|--backups 100" "nvi|--backups 40 --preset paper --paper-form heads --paper-particles 300 --paper-samples 200 --paper-sims 10"
  "nvi|--backups 60 --start anchors" "nvi|--backups 60 --start cells"
  "mcvi|--backups 60" "mcvi|--backups 20 --preset paper --paper-particles 300"
  "cells|--backups 60" "ppo|--backups 100 --hidden 16 --lanes 32 --steps 32" "pomcgs|--backups 300"
  "sarsop|--backups 400" "hsvi2|--backups 400" "pbvi|--backups 400" "perseus|--backups 400" "fib|" "qmdp|"
)
planners=("pomcp(simulations=200)" "pomcpow(simulations=100)" "pft-dpw(simulations=40)" "sparse-pft(simulations=40)" "despot(simulations=40)"
  "adaops(simulations=40)")
domains_of() {
  case $1 in
    cells* | *cells*) echo "light-dark lidar-roomba light-dark(clusters=10)" ;;
    *anchors*) echo "light-dark lidar-roomba vdp-tag" ;;
    nvi* | mcvi* | ppo* | pomcgs*) echo "tiger rock-sample(n=4,k=3) light-dark" ;;
    *) echo "$table" ;;
  esac
}

cells=0 same=0 cases=0 agree=0 refused=0
hash_of_policy() { sha256sum <a.policy | cut -c1-16; }
solve() {  # PROGRAM THREADS: leaves a.policy
  rm -f a.policy
  # shellcheck disable=SC2086
  "$1" solve "$domain" --solver $solver $options --time 0 --episodes 50 --seed "$seed" --threads "$2" --quiet \
    -o a.policy >/dev/null 2>said
}
play() {  # PROGRAM THREADS: prints everything that is no time
  "$1" evaluate "$domain" --policy "$planner" --episodes 12 --max-steps 12 --seed "$seed" --threads "$2" --json \
    --quiet | grep -oE '"(mean|standard_error|low|high|steps)":[^,}]*' | sha256sum | cut -c1-16
}
compare() {  # WHAT: the case as it is now, with `one` thread's hash and a function `again PROGRAM THREADS`
  local n hash
  cases=$((cases + 1))
  for n in $threads; do
    cells=$((cells + 1))
    hash=$(again "$program" "$n")
    if [ "$hash" = "$one" ]; then same=$((same + 1)); else echo "DIFFERS with $n threads: $1" >&2; fi
  done
  [ -n "$other" ] || return 0
  hash=$(again "$other" 1)
  if [ "$hash" = "$one" ]; then agree=$((agree + 1)); else echo "the other program differs: $1"; fi
}

again() { solve "$1" "$2" && hash_of_policy; }
for entry in "${solvers[@]}"; do
  solver=${entry%%|*} options=${entry#*|}
  for domain in $(first $(domains_of "$entry")); do
    for seed in $seeds; do
      if ! solve "$program" 1; then
        echo "REFUSED: $entry on $domain: $(tail -n 1 said)" >&2
        refused=$((refused + 1))
        break
      fi
      one=$(hash_of_policy)
      compare "$entry on $domain, seed $seed"
    done
  done
done
again() { play "$1" "$2"; }
for planner in "${planners[@]}"; do
  for domain in $(first tiger 'rock-sample(n=5,k=5)' light-dark); do
    for seed in $seeds; do
      one=$(play "$program" 1)
      compare "$planner on $domain, seed $seed"
    done
  done
done
[ -z "$other" ] || echo "two builds: $agree of $cases agree"
echo "same bytes: $same of $cells ($cases cases of solver or planner, domain and seed)"
[ "$same" = "$cells" ] && [ "$refused" = 0 ]
