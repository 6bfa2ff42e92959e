#!/usr/bin/env bash
# Installs packages into a copy of this system that is written to memory and gone at the end, uses
# them from there as anybody would, and removes them. Run by root in a mount namespace of its own.
#   unshare --mount copy_of_system.sh FOLDER_OF_DEBS SCRATCH MODEL
set -euo pipefail
debs=$(cd "$1" && pwd) model=$3
layer=$2/layer
mkdir -p "$layer"
mount -t tmpfs tmpfs "$layer"
mkdir "$layer"/{upper,work,system,debs}
mount -t overlay overlay -o "lowerdir=/,upperdir=$layer/upper,workdir=$layer/work" "$layer/system"
mount --rbind /dev "$layer/system/dev"
mount -t proc proc "$layer/system/proc"
mkdir -p "$layer/system/srv/packages"
cp "$debs"/*.deb "$model" "$layer/system/srv/packages"

exec chroot "$layer/system" /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LANG=C.UTF-8 \
  /bin/bash -euo pipefail <<'SYSTEM'
cd /srv/packages
# What dpkg's own bookkeeping and caches of others change is not ours.
listing() {
  find /usr /etc /opt /lib -xdev ! -path '/usr/lib/python3*/__pycache__*' ! -name '*.cache' | sort
}
listing >/tmp/before
apt-get -qq -o Dpkg::Use-Pty=0 --no-install-recommends install -y ./*.deb >/tmp/apt.log 2>&1 ||
  dpkg --path-include='/usr/share/*' -i ./*.deb >/tmp/apt.log 2>&1 || { cat /tmp/apt.log >&2; exit 1; }
[ "$(command -v penumbra)" = /usr/bin/penumbra ]
ls /usr/lib/python3/dist-packages/penumbra/__pycache__ >/dev/null  # compiled when it was installed

user=(setpriv --reuid=65534 --regid=65534 --clear-groups env HOME=/tmp/nobody)
mkdir -m 777 /tmp/nobody
cd /tmp/nobody
"${user[@]}" penumbra solve tiger --backups 200 --episodes 1000 --quiet -o tiger.policy
# A model against /usr/include, and a project against the package of CMake.
"${user[@]}" penumbra evaluate /srv/packages/*.cpp --policy random \
  --episodes 1000 --quiet
"${user[@]}" penumbra new my-problem >/dev/null
"${user[@]}" cmake -S my-problem -B my-problem/build -G Ninja >/dev/null
"${user[@]}" cmake --build my-problem/build >/dev/null
"${user[@]}" ctest --test-dir my-problem/build | tail -3
"${user[@]}" python3 -c '
import penumbra as pn
assert pn.__file__.startswith("/usr/lib/python3/dist-packages/"), pn.__file__
print(pn.evaluate(pn.make("tiger"), "random", episodes=1000))'
# As bash-completion loads it at the first tab.
bash --norc -c '
  source /usr/share/bash-completion/bash_completion
  _completion_loader penumbra
  COMP_WORDS=(penumbra solve rock) COMP_CWORD=2
  _penumbra
  [ "${COMPREPLY[*]}" = rock-sample ]'

apt-get -qq -o Dpkg::Use-Pty=0 purge -y penumbra libpenumbra-dev python3-penumbra >/dev/null 2>&1
listing >/tmp/after
diff /tmp/before /tmp/after
[ ! -e /usr/lib/python3/dist-packages/penumbra ]  # not even what Python compiled
echo "installed, used and removed in a copy of this system"
SYSTEM
