#include "penumbra/solvers/nvi/as_printed.h"

#include "penumbra/solvers/nvi/network_backup.h"

namespace penumbra::nvi {
namespace {

constexpr int kStartCandidates = 10;  // of start = simulation

}  // namespace

Solution solve_as_printed(const Pomdp& model, const PaperOptions& given, const MdpValue& mdp,
                          const Limits& limits, uint64_t seed, ThreadPool& pool,
                          const Solver::Report& report) {
  const PaperOptions options = given.of("paper");
  value_iteration::LoopOptions loop = options;
  loop.start_candidates = options.start == "simulation" ? kStartCandidates : 1;
  return value_iteration::run_loop(
      model, loop, "nvi paper",
      [&](RngKey key, Work& work) {
        return std::make_unique<NetworkBackup>(model, options, key, pool, work);
      },
      mdp, limits, seed, pool, report);
}

}  // namespace penumbra::nvi
