#!/usr/bin/env bash
# What the world does to a program: a full disk, a folder that must not be written, files that
# others replace, a clock that jumps, a process that is stopped for a while, too little memory. In
# every command: no crash, a clear line, and the last good state is kept.
#   faults.sh PROGRAM [full]     full: stopped for a minute instead of two seconds, and every limit of memory
# Prints how many scenarios of how many went well; the others are told, and it fails.
set -uo pipefail
program=$(realpath "$1") pause=2 memory="60 130" here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
[ "${2:-}" = full ] && pause=60 memory="40 60 90 130 200 400 1000"
folder=$(mktemp -d)
trap 'chmod -R u+rwX "$folder"; rm -rf "$folder"' EXIT
chmod 755 "$folder"
cd "$folder"
cp "$program" stranger  # where somebody else may reach it
scenarios=0 good=0
${CC:-cc} -shared -fPIC -O1 -o faults.so "$here/faults.c" -ldl || exit 2

# Runs a command; `said` and `out` are what it says, `code` its exit code.
try() {
  timeout 300 "$@" >out 2>said </dev/null
  code=$?
}
try_full() {  # BYTES COMMAND...: on a disk with that much room
  local room=$1
  shift
  LD_PRELOAD=$folder/faults.so FAULT_ROOM=$room timeout 300 "$@" >out 2>said </dev/null
  code=$?
}
# As somebody who may not write here. Root may write everywhere.
as_stranger() {
  if [ "$(id -u)" = 0 ]; then setpriv --reuid=65534 --regid=65534 --clear-groups "$@"; else "$@"; fi
}
scenario() {  # NAME: counts it; `check` says whether it went well
  name=$1 well=1
  scenarios=$((scenarios + 1))
}
want() {  # DESCRIPTION COMMAND...
  local what=$1
  shift
  "$@" || {
    well=0
    echo "FAILED: $name: $what; exit code $code: $(tail -c 300 said)" >&2
  }
}
done_with() {
  good=$((good + well))
}
no_crash() { [ "$code" -lt 124 ] || [ "$code" = 130 ]; }
refused() { [ "$code" = 1 ]; }
says() { grep -qiE "$1" said; }
not_a_bug() { ! grep -q 'internal error' said; }
same() { cmp -s "$1" "$2"; }
fails_clearly() {  # PATTERN: exit code 1, one line with the reason
  want "does not end with exit code 1" refused
  want "does not say $1" says "$1"
  want "speaks of a bug" not_a_bug
}

"$program" solve tiger --solver sarsop --time 2s --gap 0.001 --episodes 100 -o tiger.policy --quiet >/dev/null
"$program" solve tiger --solver nvi --backups 30 --time 0 --episodes 100 -o nvi.policy --quiet >/dev/null
"$program" convert tiger tiger.pomdp >/dev/null
"$program" solve tiger.pomdp --solver nvi --backups 30 --time 0 --episodes 100 --run run --checkpoint 0.001s \
  --quiet >/dev/null
cat >bench.toml <<'T'
name = "tiny"
[defaults]
episodes = 20
threads = 1
time = "0"
backups = 20
[scales.smoke]
seeds = 1
[[models]]
name = "tiger"
domain = "tiger"
[[solvers]]
name = "sarsop"
solver = "sarsop"
T
cat >space.toml <<'T'
[space]
proposals = [2, 8]
T
for each in tiger.policy nvi.policy tiger.pomdp run/best.policy; do
  [ -s "$each" ] || { echo "cannot set the stage: no $each" >&2; exit 2; }
done

# ---- A full disk.
full_over() {  # NAME GOOD-FILE COMMAND...: the command would replace the good file
  scenario "disk full: $1"
  local file=$2
  shift 2
  cp "$file" before
  try_full 100 "$program" "$@"
  fails_clearly 'no space left'
  want "the file that was there has changed" same before "$file"
  want "leaves a temporary file" [ -z "$(find . -name '*.tmp')" ]
  done_with
}
full_over "solve -o" nvi.policy solve tiger --solver nvi --backups 20 --time 0 --episodes 10 -o nvi.policy
cp tiger.pomdp copy.pomdp
full_over "convert" copy.pomdp convert tiger copy.pomdp
"$program" export tiger.policy -o tiger.h >/dev/null
full_over "export" tiger.h export tiger.policy -o tiger.h
"$program" report run -o report.html --visits 100 >/dev/null
full_over "report" report.html report run -o report.html --visits 100
scenario "disk full: solve --run"
try_full 100 "$program" solve tiger --solver nvi --backups 20 --time 0 --episodes 10 --run full-run
fails_clearly 'no space left'
done_with
scenario "disk full: checkpoints on the way"
try_full 12000 "$program" solve tiger --solver nvi --backups 30 --time 0 --episodes 10 --run half-run \
  --checkpoint 0.001s
fails_clearly 'no space left'
try "$program" resume half-run --quiet
want "does not resume with room again" [ "$code" = 0 ]
done_with
scenario "disk full: resume"
cp -r run again
cp again/best.policy before
try_full 100 "$program" resume again --backups 50
fails_clearly 'no space left'
want "the policy has changed" same before again/best.policy
try "$program" resume again --backups 50
want "does not resume with room again" [ "$code" = 0 ]
done_with
scenario "disk full: bench"
try_full 2000 "$program" bench bench.toml --out full-bench
want "does not fail" refused
want "does not say why" says 'no space left'
done_with
scenario "disk full: tune"
try_full 300 "$program" tune space.toml tiger --solver nvi --trials 1 --backups 10 --time 0 --run full-tune
want "does not fail" refused
want "does not say why" says 'no space left'
done_with
scenario "disk full: new"
try_full 100 "$program" new full-project
fails_clearly 'no space left'
done_with
for command in "domains" "solvers" "planners" "check tiger" "evaluate tiger --policy tiger.policy --episodes 10" \
  "simulate tiger --policy tiger.policy" "inspect tiger.policy" "watch run --once" \
  "solve tiger --solver sarsop --backups 20 --time 0 --episodes 10 --json"; do
  scenario "no room for the answer of: $command"
  timeout 300 "$program" $command >/dev/full 2>said
  code=$?
  fails_clearly 'cannot write the result'
  done_with
done
scenario "a limit on the size of files"
cp nvi.policy before
(ulimit -f 1; exec "$program" solve tiger --solver nvi --backups 30 --time 0 --episodes 10 -o nvi.policy) >out 2>said
code=$?
fails_clearly 'too large'
want "the file that was there has changed" same before nvi.policy
done_with

# ---- A folder that must not be written.
mkdir locked
cp -r run tiger.policy locked/
cp "$here/../../examples/plugins/boxes.cpp" boxes.cpp
chmod -R a+rX . && chmod a-w locked locked/run
for command in "solve tiger --backups 10 --time 0 --episodes 10 -o locked/new.policy" \
  "solve tiger --backups 10 --time 0 --episodes 10 --run locked/new-run" "resume locked/run" \
  "convert tiger locked/new.pomdp" "export tiger.policy -o locked/new.h" \
  "report run -o locked/new.html --visits 100" "new locked/project" "build boxes.cpp -o locked/boxes.so" \
  "bench bench.toml --out locked/bench" \
  "tune space.toml tiger --solver nvi --trials 1 --backups 10 --time 0 --run locked/tune"; do
  scenario "read-only folder: $command"
  ls -lR locked >before
  as_stranger timeout 300 ./stranger $command >out 2>said
  code=$?
  fails_clearly 'permission denied|cannot write into|no folder that can be written'
  ls -lR locked >after
  want "the folder has changed" same before after
  done_with
done

# ---- Files that others replace.
scenario "replaced: the policy, again and again, while it is read"
head -c 200 tiger.policy >cut.policy
for i in 1 2 3 4 5 6 7 8; do
  (for j in 1 2 3 4 5 6; do for one in tiger nvi cut; do cp $one.policy other && mv other live.policy; done; done) &
  cp tiger.policy new && mv new live.policy
  try "$program" evaluate tiger --policy live.policy --episodes 100
  wait $!
  want "crashes" no_crash
  want "neither a score nor a reason" test "$code" = 0 -o -s said
  want "speaks of a bug" not_a_bug
done
done_with
scenario "replaced: one checkpoint by another file"
cp -r run again2
newest=$(ls -t again2/checkpoint-? | head -1)
echo rubbish >"$newest"
try "$program" resume again2 --backups 50
want "does not go on from the other one" [ "$code" = 0 ]
want "does not say that one is damaged" says 'checkpoint'
done_with
scenario "replaced: both checkpoints"
cp -r run again3
for each in again3/checkpoint-?; do echo rubbish >"$each"; done
cp again3/best.policy before
try "$program" resume again3 --backups 50
fails_clearly 'checkpoint'
want "the policy has changed" same before again3/best.policy
done_with
scenario "replaced: the model of a run"
cp -r run again4
cp tiger.pomdp keep.pomdp
sed -i 's/0\.85/0.75/g; s/0\.15/0.25/g' tiger.pomdp
try "$program" resume again4 --backups 50
fails_clearly 'not the same problem'
mv keep.pomdp tiger.pomdp
done_with
scenario "replaced: the configuration of a run"
cp -r run again5
head -c 40 run/config.toml >again5/config.toml
try "$program" resume again5
want "does not fail" refused
want "says nothing" test -s said
want "speaks of a bug" not_a_bug
done_with
scenario "replaced: the log of a run"
cp -r run again6
head -c 1000 /dev/urandom >again6/log.jsonl
try "$program" report again6 -o log.html --visits 100
want "crashes" no_crash
want "speaks of a bug" not_a_bug
done_with
scenario "the folder of a run vanishes under it"
("$program" solve tiger --solver nvi --backups 400 --time 0 --episodes 10 --run gone --checkpoint 0.001s \
  >out 2>said; echo $? >code) &
for ((i = 0; i < 200; ++i)); do [ -e gone/checkpoint-a ] && break; sleep 0.05; done
rm -rf gone
wait $!
code=$(cat code)
fails_clearly 'gone'
done_with

# ---- A clock that jumps.
plain() { "$program" solve tiger --solver nvi --backups 40 --time 0 --episodes 10 --quiet -o "$1" >/dev/null; }
plain plain.policy
jumping() { LD_PRELOAD=$folder/faults.so FAULT_CLOCK=1000000000 timeout 300 "$@" >out 2>said; code=$?; }
scenario "clock jumps: solve"
jumping "$program" solve tiger --solver nvi --backups 40 --time 0 --episodes 10 -o jumped.policy
want "fails" [ "$code" = 0 ]
want "another policy" same plain.policy jumped.policy
done_with
scenario "clock jumps: solve with a limit of time"
start=$(date +%s)
jumping "$program" solve tiger --solver mcvi --time 3s -o timed.policy
want "fails" [ "$code" = 0 ]
want "ends too early or never" [ $(($(date +%s) - start)) -ge 2 ]
done_with
scenario "clock jumps: a run and its resumption"
jumping "$program" solve tiger --solver nvi --backups 20 --time 0 --episodes 10 --run jump-run --checkpoint 0.001s
want "fails" [ "$code" = 0 ]
jumping "$program" resume jump-run --backups 40
want "fails when resumed" [ "$code" = 0 ]
want "another policy" same plain.policy jump-run/best.policy
done_with
scenario "clock jumps: a planner with time per step"
jumping "$program" evaluate tiger --policy 'pomcp(time=0.02s)' --episodes 2 --max-steps 10
want "fails" [ "$code" = 0 ]
done_with

# ---- A process that is stopped for a while.
paused() {  # COMMAND...
  timeout 900 "$@" >out 2>said &
  local pid=$!
  sleep 0.3
  want "had ended before it was stopped" pkill -STOP -P $pid
  sleep "$pause"
  pkill -CONT -P $pid 2>/dev/null
  wait $pid
  code=$?
}
scenario "stopped for $pause s: work"
long=(solve 'rock-sample(n=7,k=8)' --solver nvi --backups 3000 --time 0 --episodes 10 --threads 1 --quiet)
"$program" "${long[@]}" -o long.policy >/dev/null
paused "$program" "${long[@]}" -o paused.policy
want "fails" [ "$code" = 0 ]
want "another policy" same long.policy paused.policy
done_with
scenario "stopped for $pause s: a limit of time"
paused "$program" solve 'rock-sample(n=5,k=5)' --solver nvi --time 3s --run paused-run --checkpoint 0.5s
want "fails" [ "$code" = 0 ]
want "no policy" [ -s paused-run/best.policy ]
done_with
scenario "stopped for $pause s: evaluate"
long=(evaluate 'rock-sample(n=7,k=8)' --policy random --episodes 3000000 --threads 1 --json --quiet)
try "$program" "${long[@]}"
grep -o '"mean":[^,]*' out | head -1 >before
paused "$program" "${long[@]}"
grep -o '"mean":[^,]*' out | head -1 >after
want "fails" [ "$code" = 0 ]
want "another score" same before after
done_with

# ---- Too little memory: whatever the limit, an answer or a reason, and no file is harmed.
reason() { tail -n 1 said | grep -qiE 'memory|too little|allocate|no more threads'; }
kept() { local each; for each in big.pomdp memory.h memory.html mem-old.policy; do cmp -s $each good/$each || return 1; done; }
mkdir good
cp tiger.pomdp good/big.pomdp && cp tiger.h good/memory.h && cp report.html good/memory.html && cp nvi.policy good/mem-old.policy
for command in "solve rock-sample(n=7,k=8) --solver sarsop --time 3s --episodes 100" \
  "solve rock-sample(n=7,k=8) --solver nvi --time 3s --episodes 100 --run mem-run" \
  "solve rock-sample(n=4,k=3) --solver ppo --time 2s --episodes 100 -o mem-old.policy" \
  "solve lidar-roomba --solver cells --time 3s --episodes 100" \
  "resume mem-again --backups 60" "evaluate rock-sample(n=11,k=11) --policy pomcp --episodes 2 --max-steps 5" \
  "evaluate tiger --policy tiger.policy --episodes 100" \
  "simulate rock-sample(n=7,k=8) --policy random" "inspect tiger.policy" "check rock-sample(n=7,k=8)" \
  "convert rock-sample(n=7,k=8) big.pomdp" "export tiger.policy -o memory.h" "domains" "solvers" "planners" "new mem-project" "watch run --once" \
  "report run -o memory.html" "bench bench.toml --out mem-bench" \
  "tune space.toml tiger --solver nvi --trials 1 --backups 10 --time 0 --run mem-tune"; do
  scenario "little memory: $command"
  for megabytes in $memory; do
    rm -rf mem-again mem-run mem-bench mem-tune mem-project
    cp -r run mem-again
    cp good/* .
    (ulimit -v $((megabytes * 1000)); ulimit -c 0; exec timeout 120 "$program" $command --threads 2) >out 2>said
    code=$?
    [ $code = 1 ] && grep -q "no option '--threads'" said && {
      (ulimit -v $((megabytes * 1000)); ulimit -c 0; exec timeout 120 "$program" $command) >out 2>said
      code=$?
    }
    # Below that the loader itself cannot map the program.
    [ $code = 127 ] && grep -q 'error while loading shared libraries' said && continue
    want "crashes with $megabytes MB" no_crash
    [ $code = 0 ] || {
      want "neither an answer nor a reason with $megabytes MB" reason
      want "a file that was there has changed with $megabytes MB" kept
      want "the policy of the run has changed with $megabytes MB" same run/best.policy mem-again/best.policy
    }
    want "speaks of a bug with $megabytes MB" not_a_bug
  done
  done_with
done

echo "faults: $good of $scenarios scenarios"
[ "$good" = "$scenarios" ]
