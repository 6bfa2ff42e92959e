// Messages of all lengths over MPI, in pieces of a few bytes: mpi_test.sh starts it on some ranks.
#include <cstdio>

#include "cluster/mpi_team.h"

int main(int argc, char** argv) {
  using namespace penumbra;
  const cluster::MpiSession session(argc, argv);
  bool right = true;
  for (size_t most : {size_t{64}, size_t{4096}, cluster::MpiTeam::kMost}) {
    cluster::MpiTeam team(session, most);
    for (size_t turn = 0; turn < 60; ++turn) {
      auto message = [&](int rank) {
        return Bytes(turn * turn * (rank + turn % 3), std::byte(rank));
      };
      const std::vector<Bytes> all = team.gather(message(team.rank()));
      for (int r = 0; r < team.size(); ++r) right = right && all[r] == message(r);
    }
    team.finish();
  }
  if (!right) std::printf("rank %d got something else\n", session.rank());
  return right ? 0 : 1;
}
