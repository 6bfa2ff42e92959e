#!/usr/bin/env bash
# The batch files of docs/cluster.md on a Slurm of four virtual nodes, which this script starts and
# stops by process id, all in one folder. Needs root, munge and slurm-wlm; skipped without them.
#   slurm_test.sh PENUMBRA PENUMBRA_MPI
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/mpi_environment.sh"
for tool in munged slurmctld slurmd sbatch srun unshare; do need $tool; done
if [ "$(id -u)" -ne 0 ]; then
  echo "virtual nodes need root: skipped"
  exit 77
fi
alone=$(realpath "$1") program=$(realpath "$2")
folder=$(mktemp -d)
pids=()
stop() {
  for pid in "${pids[@]}"; do kill "$pid" 2>/dev/null || true; done
  for pid in "${pids[@]}"; do
    for ((i = 0; i < 50; ++i)); do
      kill -0 "$pid" 2>/dev/null || break
      sleep 0.1
    done
    kill -KILL "$pid" 2>/dev/null || true
  done
  rm -rf "$folder"
}
trap stop EXIT
fail() {
  echo "$*" >&2
  tail -n 20 "$folder"/*.log >&2 || true
  exit 1
}
# until_true WHAT COMMAND...: tries until the command succeeds. The bound is for what never comes, not
# for what is slow: daemons and ranks may have to wait long for a core.
until_true() {
  local what=$1 end=$((SECONDS + 600))
  shift
  until "$@" >/dev/null 2>&1; do
    [ $SECONDS -lt $end ] || fail "in ten minutes: no $what"
    sleep 0.2
  done
}

# A key and a socket of its own for munge.
mkdir -p "$folder"/{munge,state,spool,tmp}
chmod 711 "$folder"
chmod 700 "$folder/munge"
head -c 1024 /dev/urandom >"$folder/munge/key"
chmod 400 "$folder/munge/key"
munged --force --foreground --key-file="$folder/munge/key" --socket="$folder/munge.socket" \
  --pid-file="$folder/munged.pid" --log-file="$folder/munged.log" \
  --seed-file="$folder/munge/seed" >"$folder/munge-out.log" 2>&1 &
pids+=($!)

host=$(hostname)
# Five ports in a row that nobody listens on.
port_is_free() { ! (exec 3<>"/dev/tcp/127.0.0.1/$1") 2>/dev/null; }
ports_are_free() {
  first=$((20000 + RANDOM % 12000))
  for ((port = first; port < first + 5; ++port)); do port_is_free $port || return 1; done
}
until_true "free ports" ports_are_free
cat >"$folder/slurm.conf" <<END
ClusterName=penumbra
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=$first
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket=$folder/munge.socket
CredType=cred/munge
StateSaveLocation=$folder/state
SlurmdSpoolDir=$folder/spool/%n
SlurmctldPidFile=$folder/slurmctld.pid
SlurmdPidFile=$folder/slurmd-%n.pid
SlurmctldLogFile=$folder/slurmctld.log
SlurmdLogFile=$folder/slurmd-%n.log
TmpFS=$folder/tmp/%n
SlurmdParameters=config_overrides
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SchedulerParameters=sched_interval=1,bf_interval=1
ReturnToService=2
SlurmdTimeout=600
MessageTimeout=100
TCPTimeout=60
BatchStartTimeout=600
MpiDefault=pmix
NodeName=n[1-4] NodeHostname=$host NodeAddr=127.0.0.1 Port=$((first + 1))-$((first + 4)) CPUs=2
PartitionName=all Nodes=n[1-4] Default=YES MaxTime=INFINITE State=UP
END
sed -i "s/Port=\($((first + 1))\)-\($((first + 4))\)/Port=[\1-\2]/" "$folder/slurm.conf"
export SLURM_CONF=$folder/slurm.conf
until_true "socket of munge" test -S "$folder/munge.socket"
slurmctld -D -i >"$folder/ctld-out.log" 2>&1 &
pids+=($!)
for n in n1 n2 n3 n4; do
  mkdir -p "$folder/spool/$n" "$folder/tmp/$n"
  # Its own /dev/shm and host name: segments of shared memory have the same names on all nodes.
  unshare --mount --uts sh -c "hostname $n && mount -t tmpfs tmpfs /dev/shm &&
    exec slurmd -D -N $n -f $folder/slurm.conf" >"$folder/$n-out.log" 2>&1 &
  pids+=($!)
done
nodes_are_idle() { [ "$(sinfo -h -t idle -o %D)" = 4 ]; }
until_true "nodes that are idle" nodes_are_idle
cd "$folder"
task="solve 'rock-sample(n=4,k=3)' --solver nvi --backups 400 --episodes 1000 --threads 1 --quiet"
eval "$alone $task -o alone.policy" >/dev/null

# One solve on four machines, by srun and by mpirun.
cat >solve.sbatch <<END
#!/bin/bash
#SBATCH --nodes=4 --ntasks-per-node=1 --cpus-per-task=1
srun --mpi=pmix --kill-on-bad-exit=1 $program $task --run srun
mpirun $program $task --run mpirun
END
sbatch --wait --output=solve.log solve.sbatch >/dev/null || fail "one solve: $(cat solve.log)"
for run in srun mpirun; do
  cmp alone.policy $run/best.policy || fail "another policy by $run: $(cat solve.log)"
done

# Two ranks on each of two machines.
cat >pairs.sbatch <<END
#!/bin/bash
#SBATCH --nodes=2 --ntasks-per-node=2 --cpus-per-task=1
srun --mpi=pmix --kill-on-bad-exit=1 $program $task --run pairs
END
sbatch --wait --output=pairs.log pairs.sbatch >/dev/null || fail "pairs: $(cat pairs.log)"
cmp alone.policy pairs/best.policy || fail "another policy of pairs"

# Cells of a bench, one task of an array each.
cat >bench.toml <<END
name = "cluster"
[scales.smoke]
maps = 4
backups = 100
episodes = 1000
[[models]]
name = "RS(3,2)"
domain = "rock-sample(n=3,k=2)"
maps = [1, 2, 3, 4]
[[solvers]]
name = "NVI"
solver = "nvi"
END
cat >array.sbatch <<END
#!/bin/bash
#SBATCH --array=1-4 --cpus-per-task=1
$alone bench bench.toml --out cells --quiet --shard \$SLURM_ARRAY_TASK_ID/\$SLURM_ARRAY_TASK_COUNT
END
sbatch --wait --output=array-%a.log array.sbatch >/dev/null || fail "array: $(cat array-*.log)"
"$alone" bench cells | grep -q '4 of 4 cells done, 0 failed' || fail "cells: $("$alone" bench cells)"

# Ended before its time and requeued: the batch script goes on where it was.
cat >requeue.sbatch <<END
#!/bin/bash
#SBATCH --nodes=2 --ntasks-per-node=1 --requeue --open-mode=append
if [ -e requeued/config.toml ]; then
  srun --mpi=pmix --kill-on-bad-exit=1 $program resume requeued --quiet
else
  srun --mpi=pmix --kill-on-bad-exit=1 $program solve 'rock-sample(n=5,k=5)' --solver nvi --start blind \
    --backups 3000 --episodes 100 --threads 1 --quiet --checkpoint 0.1s --run requeued
fi
END
$alone solve 'rock-sample(n=5,k=5)' --solver nvi --start blind --backups 3000 --episodes 100 --quiet \
  -o long.policy >/dev/null
job=$(sbatch --parsable --output=requeue.log requeue.sbatch)
until_true "checkpoint of the job" compgen -G 'requeued/checkpoint-?'
scontrol requeue "$job"
scontrol update JobId="$job" StartTime=now 2>/dev/null || true
# It is over when the controller says so: one that is too busy to answer has not said anything.
state_is_known() { state=$(squeue -h -t all -j "$job" -o %T); }
is_over() {
  state_is_known || return 1
  case $state in COMPLETED | FAILED | CANCELLED | TIMEOUT | NODE_FAIL) ;; *) return 1 ;; esac
}
until_true "end of the requeued job" is_over
[ "$state" = COMPLETED ] || fail "the requeued job ended as $state: $(cat requeue.log)"
cmp long.policy requeued/best.policy || fail "another policy after requeueing: $(cat requeue.log)"
echo "srun, mpirun, an array and a requeued job give the same bytes on four virtual nodes"
