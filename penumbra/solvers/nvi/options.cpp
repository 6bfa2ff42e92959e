#include "penumbra/solvers/nvi/options.h"

namespace penumbra::nvi {

void NviOptions::list(OptionList& l) {
  l.add("preset", preset, {"default", "paper"}, "paper: the algorithm as printed");
  rounds.list(l);
  l.add("sweep", rounds.sweep, "at the end fit every network under the final controller");
  l.add("by-value", networks.by_value, 0, 1000, "candidate successors by network value");
  l.add("by-similarity", networks.by_similarity, 0, 1000,
        "candidate successors made for similar beliefs");
  l.add("pool-states", rounds.pool_states, 0, 100'000, "states that every network is fitted on");
  l.add("features", networks.bank.features, 8, 8192, "width of the shared features");
  l.add_all(list_options(paper), "paper");
}

}  // namespace penumbra::nvi
