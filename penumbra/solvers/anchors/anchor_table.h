// A model seen at sampled states: alpha(s) = sum over the k nearest anchors x_j of K(s, x_j) v_j,
// K(s, x) ~ 1 / (distance^2 + 0.001): attention over anchors. As a table its states are the
// anchors, T(x_k | x_j, a) is the mean of K(x', x_k) over simulated steps from x_j, O and r are
// those at the anchors, and b0 is the mean of K over initial states. Every function of the table is
// an average of values at anchors, so that backups never expand an error.
#pragma once

#include <memory>

#include "penumbra/base/options.h"
#include "penumbra/base/stop.h"
#include "penumbra/base/thread_pool.h"
#include "penumbra/model/pomdp.h"

namespace penumbra::nn {
class AnchorBank;  // nn/anchor_bank.h
}

namespace penumbra::anchors {

struct TableOptions {
  int anchors = 0;     // 0: by the number of inputs
  int neighbours = 0;  // 0: by the number of inputs
  int origins = -1;    // initial states that all are reached from; 0: always others; -1: by inputs
  int samples = 4;     // simulated steps per anchor and action
  bool use_likelihood = true;  // false: observations are counted
  bool relevance = true;       // leave out dense features that mean nothing

  void list(OptionList& l);
};

// What a table needs: features, finite actions and observations. Without a likelihood observations
// are counted, which takes more samples.
Capabilities table_needs();

// Where `anchors` is 0.
int default_anchors(int dimensions);
int usual_anchors(const Pomdp& model);  // more where steps end in a handful of states
int default_origins(int dimensions, int anchors);
// The number of coordinates, or that of features if there are none.
int dimensions_of(const Pomdp& model);

// Of memory that a plan takes, about.
double bytes_per_anchor(const Pomdp& model, const TableOptions& options);

struct AnchorTable {
  Tabular table;     // the last state is the end of the episode
  double steps = 0;  // simulated
  // Without functions yet: what is known at the anchors is known everywhere. Null where the model
  // is seen by its coordinates, of which networks know nothing.
  std::shared_ptr<const nn::AnchorBank> functions;
};

// Steps to states whose discrete part no anchor has stay where they are. Throws Stopped
// (base/stop.h). The same for any number of threads.
AnchorTable make_table(const Pomdp& model, const TableOptions& options, RngKey key,
                       ThreadPool& pool, const Stop& stop = {});

}  // namespace penumbra::anchors
