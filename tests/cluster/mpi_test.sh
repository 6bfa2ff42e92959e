#!/usr/bin/env bash
# The same bytes from `penumbra` and from `penumbra-mpi` on 1, 2 and 3 ranks, stopped on 3 ranks and
# resumed on 2; what is refused, in words. `mpi_test.sh PENUMBRA PENUMBRA_MPI MPI_TEAM_CHECK`.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/mpi_environment.sh"
need mpirun
alone=$(realpath "$1") program=$(realpath "$2") check=$(realpath "$3")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

fail() {
  echo "$*" >&2
  exit 1
}
on() {  # RANKS ARGUMENTS...
  mpirun -n "$1" "$program" "${@:2}"
}

mpirun -n 3 "$check" || fail "messages do not arrive as they were sent"
for solver in nvi mcvi ppo islands; do
  begin=(solve "rock-sample(n=4,k=3)" --solver ${solver/islands/nvi} --episodes 20000 --threads 1 --quiet)
  whole=400
  if [ $solver = islands ]; then begin+=(--islands 2 --exchange 60 --start blind); fi
  if [ $solver = ppo ]; then
    whole=24
    begin+=(--hidden 16 --lanes 48 --steps 16 --minibatches 2 --epochs 2)
  fi
  task=("${begin[@]}" --backups $whole)
  "$alone" "${task[@]}" -o alone.policy >alone.txt
  for ranks in 1 2 3; do
    on $ranks "${task[@]}" -o ranks.policy >ranks.txt
    cmp alone.policy ranks.policy || fail "$solver: another policy on $ranks ranks"
    # Only rank 0 prints, and the score is the same to the last digit.
    [ "$(grep -c 'ended by' ranks.txt)" = 1 ] || fail "$solver: more than one rank prints"
    [ "$(grep value alone.txt)" = "$(grep value ranks.txt)" ] || fail "$solver: another score"
  done
  on 3 "${begin[@]}" --backups $((whole / 2)) --run "run-$solver" >/dev/null
  on 2 resume "run-$solver" --backups $whole --quiet >/dev/null
  cmp alone.policy "run-$solver/best.policy" || fail "$solver: another policy after resuming"
done

"$alone" evaluate tiger --policy random --episodes 50000 --quiet >alone.txt
on 3 evaluate tiger --policy random --episodes 50000 --quiet >ranks.txt
[ "$(grep value alone.txt)" = "$(grep value ranks.txt)" ] || fail "evaluate: another score"

# In time, and rank 0 goes on alone to the end.
on 3 solve 'rock-sample(n=7,k=8)' --time 2s --run timed --quiet --threads 1 >timed.txt
grep -q 'ended by time' timed.txt || fail "not ended by time"
[ -s timed/best.policy ] || fail "no policy after the time limit"

# A TERM to the whole job: saved, and resumed to the same bytes.
long=(solve 'rock-sample(n=5,k=5)' --solver nvi --start blind --backups 4000 --episodes 100 --threads 1
  --quiet --checkpoint 0)
"$alone" "${long[@]}" -o alone.policy >/dev/null
mpirun -n 3 "$program" "${long[@]}" --run ended >/dev/null 2>&1 &
job=$!
for ((i = 0; i < 100; ++i)); do
  grep -qs '"progress"' ended/log.jsonl && break
  sleep 0.1
done
sleep 0.5
kill -TERM $job
wait $job || true
ls ended/checkpoint-? >/dev/null || fail "nothing was saved at a TERM"
on 2 resume ended --quiet >/dev/null
cmp alone.policy ended/best.policy || fail "another policy after a TERM"

# Episodes of a planner, one by one.
planner=(evaluate tiger --policy 'pomcp(simulations=50,particles=500)' --episodes 7 --quiet --threads 1)
"$alone" "${planner[@]}" >alone.txt
on 3 "${planner[@]}" >ranks.txt
[ "$(grep value alone.txt)" = "$(grep value ranks.txt)" ] || fail "a planner: another score"

# Words, once.
if on 2 solve 'rock-sample(n=4,k=3)' --run timed >/dev/null 2>refused.txt; then fail "taken twice"; fi
[ "$(grep -c 'penumbra: rank 0:' refused.txt)" = 1 ] || fail "no words: $(cat refused.txt)"
if on 2 solve no-such-model >/dev/null 2>refused.txt; then fail "no such model"; fi
[ "$(grep -c "penumbra: there is no" refused.txt)" = 1 ] || fail "no words: $(cat refused.txt)"
# One rank that has other options.
if mpirun -n 1 "$program" solve tiger --backups 100 : -n 1 "$program" solve tiger --backups 100 \
  --seed 2 >/dev/null 2>refused.txt; then fail "other options were taken"; fi
grep -q "rank 1 has another option than rank 0: 'seed=2, where rank 0 has seed=1'" refused.txt ||
  fail "no words: $(cat refused.txt)"
echo "penumbra-mpi gives the same bytes on 1, 2 and 3 ranks"
