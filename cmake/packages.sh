# For ./run and ./test: the Debian packages they need, and how to install, configure and build.

BUILD_PACKAGES=(g++ cmake ninja-build libeigen3-dev libhwy-dev librandom123-dev libcli11-dev
  nlohmann-json3-dev libtomlplusplus-dev libfmt-dev)
MPI_PACKAGES=(libopenmpi-dev openmpi-bin)
PYTHON_PACKAGES=(python3-dev pybind11-dev python3-numpy python3-venv python3-pip python3-setuptools
  python3-wheel python3-matplotlib)
DEBIAN_PACKAGES=(dpkg-dev file)
DOCS_PACKAGES=(mkdocs mkdocs-material doxygen)
TEST_PACKAGES=(libgtest-dev libgmock-dev libbenchmark-dev clang clang-format chromium
  "${PYTHON_PACKAGES[@]}" python3-pytest python3-pytest-timeout mypy python3-nbclient
  python3-ipykernel "${MPI_PACKAGES[@]}" "${DEBIAN_PACKAGES[@]}" man-db zsh "${DOCS_PACKAGES[@]}")

# Installs those of its arguments that are not there; does nothing when all are.
install_missing() {
  local package missing=()
  if ! command -v dpkg-query >/dev/null; then
    echo "this is not a Debian system: the build needs what the packages $* hold" >&2
    return 0  # the configuration names what it does not find
  fi
  for package in "$@"; do
    dpkg-query -W -f '${db:Status-Status}\n' "$package" 2>/dev/null | grep -qx installed ||
      missing+=("$package")
  done
  [ ${#missing[@]} -eq 0 ] && return 0

  local as_root=()
  if [ "$(id -u)" -ne 0 ]; then
    if ! command -v sudo >/dev/null || ! { sudo -n apt-get --version >/dev/null 2>&1 || sudo -v; }
    then
      echo "missing packages: ${missing[*]}" >&2
      echo "installing them needs root; run this, then try again:" >&2
      echo "  apt-get install ${missing[*]}" >&2
      return 1
    fi
    as_root=(sudo)
  fi
  echo "installing ${missing[*]}" >&2
  local apt=(env DEBIAN_FRONTEND=noninteractive apt-get -qq
    -o Dpkg::Use-Pty=0 -o DPkg::Lock::Timeout=120)
  # The package lists may be old or absent: they are fetched when the first try fails.
  "${as_root[@]}" "${apt[@]}" install -y --no-install-recommends "${missing[@]}" >&2 2>/dev/null ||
    { "${as_root[@]}" "${apt[@]}" update >&2 &&
      "${as_root[@]}" "${apt[@]}" install -y --no-install-recommends "${missing[@]}" >&2; } || {
    echo "could not install: ${missing[*]}" >&2
    echo "install them by hand, then try again:  apt-get install ${missing[*]}" >&2
    return 1
  }
}

# configure PRESET [-DNAME=VALUE...]: shows its output only when it fails. Warnings are errors in
# every build of these scripts, so that ./run and ./test share theirs.
configure() {
  local log
  log=$(cmake --preset "$@" -DPENUMBRA_WERROR=ON 2>&1) || {
    echo "$log" >&2
    return 1
  }
}

# build PRESET TARGET: silent when there is nothing to do.
build() {
  cmake --build "build/$1" --target "$2" |
    { grep --line-buffered -v -e 'Re-checking globbed' -e 'no work to do' \
      -e 'Looking up the commit' || true; }
}
