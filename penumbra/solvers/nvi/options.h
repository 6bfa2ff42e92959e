// Every knob of Neural Value Iteration. docs/solvers/nvi.md gives the measured effect of each.
#pragma once

#include "penumbra/base/options.h"
#include "penumbra/bounds/mdp_value.h"
#include "penumbra/solvers/nvi/abstract_plan.h"
#include "penumbra/solvers/nvi/library.h"
#include "penumbra/solvers/nvi/paper_loop.h"
#include "penumbra/solvers/nvi/path_belief.h"
#include "penumbra/solvers/nvi/verified_backup.h"

namespace penumbra::nvi {

// With more observations than this a single history hardly ever returns.
inline constexpr int kFewObservations = 4;

struct NviOptions {
  std::string preset = "default";  // or "paper": the algorithm as printed (paper_loop.h)
  BackupOptions backup;
  LibraryOptions library;
  PathBeliefOptions belief;
  MdpValueOptions mdp;
  PaperOptions paper;  // of preset "paper"

  std::string start = "auto";  // the first controller: blind policies or an abstract plan
  AbstractPlanOptions plan;

  int proposals = 4;             // made at once, against the same controller
  double burst_length = 15;      // mean steps of exploration
  double whole_bursts = 0.15;    // share of bursts that go on to the end of the episode
  int whole_first = 3;           // rounds at the beginning in which all do
  int explore_states = 32;       // states that an exploring action is chosen on
  int all_actions_up_to = 4;     // with at most this many actions every backup tries them all
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
  void list_shared(OptionList& l);  // all but what is about networks and the preset
};

}  // namespace penumbra::nvi
