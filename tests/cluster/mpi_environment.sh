# For the scripts beside it: mpirun on one machine, with more ranks than cores and as any user.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_mpi_yield_when_idle=1
export OMPI_MCA_hwloc_base_binding_policy=none

# Ends with the code that ctest takes for "skipped".
need() {
  command -v "$1" >/dev/null || {
    echo "$1 is not installed: skipped"
    exit 77
  }
}
