#include "penumbra/solvers/controller/options.h"

#include <algorithm>

namespace penumbra::controller {

int RoundsOptions::depth(const Facts& facts) const {
  return horizon_for(facts, depth_bias * (facts.max_reward - facts.min_reward + 1e-9));
}

int RoundsOptions::proposals_after(uint64_t backups) const {
  if (grow_proposals == 0) return proposals;
  constexpr uint64_t kMost = 1024;
  return static_cast<int>(std::min(proposals + backups / grow_proposals, kMost));
}

void RoundsOptions::list(OptionList& l) {
  l.add("proposals", proposals, 1, 1024, "attempts to improve made at once, per round");
  l.add("grow-proposals", grow_proposals, 0, 1'000'000'000,
        "one attempt more per round for each so many backups, up to 1024; 0: never");
  islands.list(l);
  l.add("burst-length", burst_length, 1, 1e4, "mean steps of an exploration");
  l.add("whole-bursts", whole_bursts, 0, 1, "share of explorations to the end of the episode");
  l.add("search", search, 0, 1'000'000, "descents of a tree search as a burst; 0: none");
  l.add("search-scenarios", search_scenarios, 1, 1'000'000, "states that it plans on");
  l.add("search-depth", search_depth, 1, 10'000, "of its tree");
  l.add("whole-first", whole_first, 0, 1000, "rounds at first in which all go to the end");
  l.add("explore-states", explore_states, 1, 4096, "states that an exploring action is chosen on");
  l.add("all-actions", all_actions_up_to, 0, 10'000, "try all actions everywhere up to this many");
  l.add("action-stock", action_stock, 2, 10'000,
        "continuous actions: how many there are to begin with where the domain has no hints");
  l.add("action-proposals", action_proposals, 1, 10'000,
        "continuous actions that are tried where an excursion departs");
  l.add("action-refine", backup.refine, 0, 10'000,
        "continuous actions drawn around the best of a backup, three times");
  l.add("chain-z", chain_z, -10, 10, "standard errors a node of an excursion must gain");
  l.add("accept-z", accept_z, -10, 10, "standard errors the departing node must gain");
  l.add("keep-excursions", keep_excursions, "nodes of excursions that led nowhere stay candidates");
  l.add("memory-rounds", memory_rounds, 0, 1'000'000,
        "rounds that unused nodes are kept; 0: chosen by the model");
  l.add("refresh", refresh, {"auto", "yes", "no"}, "back up the way to a departure again");
  l.add("tune", tune, {"auto", "yes", "no"},
        "improve nodes in place; auto: many observations and few actions");
  l.add("tune-share", tune_share, 0, 1, "share of backups that improve nodes in place");
  l.add("tune-z", tune_z, -10, 10, "standard errors that such a change must gain");
  l.add("tune-nodes", tune_nodes, 1, 100'000, "nodes improved at a time");
  l.add("tune-episodes", tune_episodes, 1, 100'000'000, "that show where nodes are visited");
  l.add("tune-states", tune_states, 256, 1'000'000, "most states that a node is judged on");
  l.add("evaluations", evaluations, 10, 10'000'000, "episodes of each simulated value");
  l.add("max-path", max_path, 1, 100'000, "longest history");
  l.add("choose", backup.choose, 8, 100'000, "particles to choose successors on");
  l.add("choose-per-seen", backup.choose_per_seen, 0, 10'000, "of these for each observation,");
  l.add("choose-most", backup.choose_most, 1, 10'000'000, "no more than this many in all");
  l.add("check", backup.check, 8, 100'000, "fresh particles to rank actions on");
  l.add("score", backup.score, 8, 100'000, "fresh particles for the paired comparison");
  l.add("finalists", backup.finalists, 1, 1000, "candidates left after a quarter of the race");
  l.add("checked-actions", backup.checked_actions, 1, 10'000, "actions that are checked");
  l.add("scored-actions", backup.scored_actions, 1, 10'000, "actions that are scored");
  l.add("training-states", backup.training_states, 1, 100'000, "own states of a network's fit");
  l.add("weigh-from", backup.weigh_from, 0, 1'000'000,
        "with this many observations particles are weighed by likelihood; 0: never");
  l.add("weigh-to", backup.weigh_to, 0, 1'000'000, "and with no more than this many");
  l.add("same-excursion", same_excursion, 0, 1000,
        "candidates among the nodes of the same excursion");
  l.add("particles", belief.particles, 16, 10'000'000, "of the belief along a history");
  l.add("min-particles", belief.min_particles, 1, 1'000'000, "effective size to keep up");
  l.add("likelihood", belief.use_likelihood, "use the model's likelihood where there is one");
  l.add("mdp", mdp.source, {"auto", "domain", "table", "fitted"}, "where the MDP value comes from");
}

}  // namespace penumbra::controller
