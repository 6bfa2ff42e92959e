// Every knob of the rounds that nvi and mcvi share (rounds.h).
#pragma once

#include "penumbra/base/options.h"
#include "penumbra/bounds/mdp_value.h"
#include "penumbra/solvers/controller/path_belief.h"
#include "penumbra/solvers/controller/verified_backup.h"
#include "penumbra/solvers/island_options.h"

namespace penumbra::controller {

// With more observations than this a single history hardly ever returns.
inline constexpr int kFewObservations = 4;

struct RoundsOptions {
  BackupOptions backup{};
  PathBeliefOptions belief{};
  MdpValueOptions mdp{};
  IslandOptions islands{};

  int pool_states = 0;           // states that every node is tried out on, for its network
  int same_excursion = 3;        // candidates among the nodes of the same excursion
  int proposals = 4;             // made at once, against the same controller
  int grow_proposals = 0;        // as many more as so many backups fit into those done; 0: never
  double burst_length = 15;      // mean steps of exploration
  double whole_bursts = 0.15;    // share of bursts that go on to the end of the episode
  int search = 0;                // descents of a tree search as a burst; 0: there are none
  int search_scenarios = 256;    // states that it plans on
  int search_depth = 20;         // of its tree
  int whole_first = 3;           // rounds at the beginning in which all do
  int explore_states = 32;       // states that an exploring action is chosen on
  int all_actions_up_to = 4;     // with at most this many actions every backup tries them all
  int action_stock = 24;         // of a box of actions: how many to begin with, without hints
  int action_proposals = 10;     // and how many are tried at a departure
  double chain_z = 0.0;          // standard errors that a node of an excursion must gain
  double accept_z = 1.0;         // and the node at the point of departure
  bool keep_excursions = true;   // nodes of excursions that led nowhere stay candidates
  int memory_rounds = 0;         // for this many rounds; 0: 12, or 600 with many observations
  std::string refresh = "auto";  // back up the way to the departure again: auto, yes, no
  std::string tune = "auto";     // improve nodes in place (tune_nodes.h): auto, yes, no
  double tune_share = 0.5;       // of the backups
  double tune_z = 1.5;           // standard errors that such a change must gain
  int tune_nodes = 64;           // nodes at a time
  int tune_episodes = 50'000;    // that show where nodes are visited
  int tune_states = 8192;        // most states that a node is judged on
  bool sweep = false;            // at the end fit every network under the final controller
  double depth_bias = 0.1;       // rollouts are cut where at most this share of the range is left
  int evaluations = 10'000;      // episodes of each simulated value
  int max_path = 150;            // longest history

  void list(OptionList& l);
  // Of a round after so many backups: never by how many there are to make them.
  int proposals_after(uint64_t backups) const;
  // Steps after which rollouts are cut.
  int depth(const Facts& facts) const;
};

}  // namespace penumbra::controller
