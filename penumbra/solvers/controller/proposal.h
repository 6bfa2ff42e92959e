// One attempt to improve the controller: follow it from b0 to some belief, explore from there,
// back up the beliefs of that excursion in reverse order, and see whether a better node for the
// point of departure came out. Proposals only read the controller, so many run at once.
#pragma once

#include <functional>
#include <vector>

#include "penumbra/solvers/archive_parts.h"
#include "penumbra/solvers/controller/explorer.h"
#include "penumbra/solvers/controller/options.h"
#include "penumbra/solvers/controller/verified_backup.h"

namespace penumbra::controller {

struct Proposal {
  Burst burst = Burst::kThompson;
  // How the controller was left: its nodes, actions and observations on the way there.
  struct Step {
    int node, action, seen;
    int replacement;  // a better node for this belief that leads on to the new one, or -1

    template <class Archive>
    void archive(Archive& a) {
      a(node, action, seen, replacement);
    }
  };
  std::vector<Step> prefix;
  int old_node = -1;  // what the controller does at the point of departure
  int new_node = -1;  // what it should do instead
  bool improved = false;
  double gain = 0, gain_error = 0;
  RecordBuffer judges;  // particles of that belief, for comparisons with other proposals

  // Nodes from first_new on are new; all are reachable from new_node or a replacement.
  int first_new = 0;
  std::vector<int> actions, edges;
  // Of a box of actions: numbers from first_row on are rows of these, not of the shared stock.
  int first_row = 0;
  std::vector<float> new_rows{};
  std::vector<FittedNode> fitted;  // per new node

  uint64_t backups = 0;
  Work work;
  bool abandoned = false;  // it was stopped: nothing of it counts

  template <class Archive>
  void archive(Archive& a) {
    a(burst, prefix, old_node, new_node, improved, gain, gain_error, judges, first_new, actions,
      edges, first_row, new_rows, fitted, backups, work, abandoned);
  }
};

// What proposals share; all of it is only read.
struct ProposalContext {
  const Pomdp& model;
  const RoundsOptions& options;
  const MdpValue& values;
  const Candidates& candidates;
  const Fsc& controller;
  std::function<bool()> stop{};        // asked before every backup
  const ActionStock* stock = nullptr;  // the model, where its actions are a box
};

// How a proposal leaves the controller.
struct Excursion {
  Burst burst;
  bool from_start;    // depart at b0
  bool whole_length;  // explore until the episode ends
};

// `fit_key` is that of the fits of its nodes.
Proposal make_proposal(const ProposalContext& context, const Excursion& excursion, RngKey key,
                       RngKey fit_key);

}  // namespace penumbra::controller
