// The controller while rounds improve it: nodes are appended, the way to a better one is bent, and
// what has not been of use for long is dropped. Candidates are kept in step with it.
#pragma once

#include <functional>
#include <vector>

#include "penumbra/solvers/archive_parts.h"
#include "penumbra/solvers/controller/candidates.h"
#include "penumbra/solvers/controller/proposal.h"

namespace penumbra::controller {

class GrowingController {
 public:
  // `stock`: where actions are a box, the rows that nodes name; it is kept in step, too.
  GrowingController(int num_observations, Candidates& candidates, ActionStock* stock = nullptr)
      : candidates_(candidates), stock_(stock) {
    fsc_.num_observations = num_observations;
  }

  const Fsc& fsc() const { return fsc_; }
  // For changes of nodes in place.
  Fsc& nodes() { return fsc_; }
  int num_nodes() const { return fsc_.num_nodes(); }
  int live() const { return live_; }  // nodes that the start can reach

  // Blind nodes come first and stay for ever.
  int add_blind(int action);
  void set_start(int node) { fsc_.start = node; }
  // Everything but the blind nodes gives way to another controller.
  void replace(const Fsc& other);
  // Appends the nodes of another controller, to be dropped again unless they prove of use; returns
  // the number of its start.
  int append(const Fsc& other);

  // Whether `challenger` is better than `champion` where the proposal departs.
  using Beats = std::function<bool(const Fsc& fsc, int challenger, int champion)>;
  // Takes the proposal's nodes over: the way from the start to the departure is copied with one
  // edge changed at each node, so that no other history is touched. Proposals of one round were
  // made against the same controller, so an earlier one may stand in the way of a later one: then
  // `beats` is asked. False: the controller does what it did; the nodes are appended all the same
  // if they were in the race or `keep` says so.
  bool take_over(const Proposal& proposal, bool keep, const Beats& beats, Work& work);

  // The end of a round: nodes made in it are dated, and if many are of no use, only those stay
  // that the start can reach, the blind ones, and those made in the last `rounds`.
  void end_round(uint64_t round, uint64_t rounds);

  template <class Archive>
  void archive(Archive& a) {
    a(fsc_, num_blind_, live_, made_in_);
  }

 private:
  int append(const Proposal& proposal, Work& work);
  void bend_way(const Proposal& proposal, const std::vector<int>& way, int shift);
  void drop_unused(const std::vector<char>& used);
  void drop_unused_actions();

  Candidates& candidates_;
  ActionStock* stock_;
  Fsc fsc_;
  int num_blind_ = 0, live_ = 0;
  std::vector<uint64_t> made_in_;  // per node: its round
};

}  // namespace penumbra::controller
