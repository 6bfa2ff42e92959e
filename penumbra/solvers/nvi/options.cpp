#include "penumbra/solvers/nvi/options.h"

namespace penumbra::nvi {

void NviOptions::list(OptionList& l) {
  l.add("preset", preset, {"default", "paper", "paper-mended"},
        "paper: the algorithm as printed; paper-mended: with the departures that it needs");
  l.add("networks", networks, "alpha functions; false: rounds of simulation alone");
  l.add("start", start, {"auto", "blind", "gated", "anchors", "habits", "cells"},
        "the first controller: a plan with gated alpha functions, with some at anchors, by habits, "
        "on "
        "cells, blind policies, or by the model's features");
  l.add("heads", heads.most_heads, 16, 1'000'000, "that are kept per category, at most");
  l.add("head-samples", heads.samples.samples, 4, 100'000, "states per category that heads fit");
  anchors.list(l);
  habits.list(l);
  cells.list(l);
  rounds.list(l);
  l.add("sweep", rounds.sweep, "at the end fit every network under the final controller");
  l.add("by-value", candidates.by_value, 0, 1000, "candidate successors by network value");
  l.add("by-similarity", candidates.by_similarity, 0, 1000,
        "candidate successors made for similar beliefs");
  l.add("pool-states", rounds.pool_states, 0, 100'000, "states that every network is fitted on");
  l.add("features", candidates.bank.features, 8, 8192, "width of the shared features");
  l.add_all(list_options(paper), "paper");
}

}  // namespace penumbra::nvi
