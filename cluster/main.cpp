// `penumbra-mpi`: the same program as `penumbra`, its work shared out over the ranks of an MPI job.
// Rank 0 reads, writes and prints; what it returns is the exit code of the job.
#include <cstdio>

#include "cli/program.h"
#include "cluster/mpi_team.h"

int main(int argc, char** argv) {
  const penumbra::cluster::MpiSession session(argc, argv);
  penumbra::cluster::MpiTeam team(session);
  if (!team.leads() &&
      (!std::freopen("/dev/null", "w", stdout) || !std::freopen("/dev/null", "w", stderr)))
    return 1;
  const int code = penumbra::cli::run_program({argv + 1, argv + argc}, team);
  return team.leads() ? code : 0;
}
