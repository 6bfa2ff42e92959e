#!/usr/bin/env bash
# What a round costs more on four hosts than on one: the same solve of nvi, four ranks, in turn on one
# host and on four emulated ones that are joined by a network of 0.5 ms and 1 Gbit/s. For a machine
# that has nothing else to do; needs root, OpenMPI, python3 and TAP devices.
#   bench/hosts.sh build/release/penumbra-mpi [TURNS [BACKUPS [MICROSECONDS [MBIT]]]]
set -euo pipefail
folder=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
source "$folder/../tests/cluster/mpi_environment.sh"
for tool in mpirun ip unshare python3; do need $tool; done
program=$(realpath "$1") turns=${2:-5} backups=${3:-4000} delay=${4:-500} mbit=${5:-1000}
scratch=$(mktemp -d)
switch=
name() { echo "penumbra$$-$1"; }
stop() {
  [ -z "$switch" ] || kill "$switch" 2>/dev/null || true
  for i in 1 2 3 4; do ip netns delete "$(name $i)" 2>/dev/null || true; done
  rm -rf "$scratch"
}
trap stop EXIT

for i in 1 2 3 4; do ip netns add "$(name $i)"; done
python3 "$folder/delay_switch.py" "$delay" "$mbit" "$(name 1)" "$(name 2)" "$(name 3)" "$(name 4)" \
  >"$scratch/switch.log" 2>&1 &
switch=$!
for ((i = 0; i < 100; ++i)); do
  grep -qs ready "$scratch/switch.log" && break
  sleep 0.1
done
grep -qs ready "$scratch/switch.log" || { cat "$scratch/switch.log" >&2; exit 1; }
for i in 1 2 3 4; do
  ip -n "$(name $i)" addr add 10.77.0.$i/24 dev tap0
  ip -n "$(name $i)" link set tap0 up
  ip -n "$(name $i)" link set lo up
done
# What mpirun takes for ssh. Another host name keeps OpenMPI from going through shared memory.
cat >"$scratch/agent" <<END
#!/bin/bash
host=\$1
shift
exec ip netns exec "penumbra$$-\${host##*.}" unshare --uts \\
  sh -c "hostname host\${host##*.} && exec \"\\\$@\"" sh sh -c "\$*"
END
chmod +x "$scratch/agent"

# HOSTS: prints the seconds of the solve, its setting up excluded.
solve() {
  ip netns exec "$(name 1)" unshare --uts sh -c 'hostname host1 && exec "$@"' sh \
    timeout 1800 mpirun --host "$1" --mca plm rsh --mca plm_rsh_agent "$scratch/agent" \
    --mca oob_tcp_if_include tap0 --mca btl_tcp_if_include tap0 --mca btl tcp,self,vader \
    --mca pml ob1 -n 4 "$program" solve 'rock-sample(n=11,k=11)' --solver nvi --start blind \
    --backups "$backups" --episodes 100 --threads 1 --evaluations 100 --json --quiet |
    python3 -c 'import json, sys; print(json.load(sys.stdin)["seconds"])'
}
# Bytes that have come to the second host.
received() { ip netns exec "$(name 2)" cat /proc/net/dev | awk '/tap0/ { print $2 }'; }
for ((turn = 0; turn < turns; ++turn)); do
  one=$(solve 10.77.0.1:4)
  before=$(received)
  four=$(solve 10.77.0.1:1,10.77.0.2:1,10.77.0.3:1,10.77.0.4:1)
  echo "one host $one s, four hosts $four s, $(($(received) - before)) bytes to each"
  echo "$one $four" >>"$scratch/times"
done
python3 - "$scratch/times" <<'END'
import statistics, sys
rows = [[float(x) for x in line.split()] for line in open(sys.argv[1])]
one, four = (min(column) for column in zip(*rows))
print(f"least: one host {one:.2f} s, four hosts {four:.2f} s: {100 * (four / one - 1):+.1f} %")
print(f"median of ratios: {100 * (statistics.median(f / o for o, f in rows) - 1):+.1f} %")
END
