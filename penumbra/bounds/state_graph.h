// The states that a simulator reaches from a few roots, found breadth first, and their values with
// known state. Equal records are one state, so a finite problem closes up and a problem with loops
// stays small. Search ends at a cap; what lies on the fringe is valued by the caller. `stop`
// (base/stop.h) is asked from all threads of the pool at once.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "penumbra/base/stop.h"
#include "penumbra/base/thread_pool.h"
#include "penumbra/model/pomdp.h"

namespace penumbra {

// Finds and numbers distinct records.
class RecordIndex {
 public:
  explicit RecordIndex(size_t record_size) : records_(record_size) {}

  const RecordBuffer& records() const { return records_; }
  size_t size() const { return count_; }
  // The number of this record, which is added if it is new.
  int32_t insert(const std::byte* record);
  // -1 if absent.
  int32_t find(const std::byte* record) const;
  void clear();

 private:
  struct Slot {
    uint32_t tag;  // high bits of the hash
    int32_t index = -1;
  };
  void grow();
  RecordBuffer records_;
  size_t count_ = 0;
  std::vector<Slot> slots_;
};

struct StateGraphOptions {
  std::vector<int> actions;     // those worth trying
  int outcomes = 1;             // draws of each action; 1 for deterministic moves
  size_t max_states = 1 << 14;  // expansion ends before the state count exceeds this by a block
  int max_depth = 100;          // steps from the roots
};

class StateGraph {
 public:
  StateGraph(const Pomdp& model, StateGraphOptions options);

  // Starts anew from these states (terminal ones are left out). Streams come from `key`. When it is
  // stopped, the states that are not expanded stay on the fringe.
  void expand(ConstRecords roots, RngKey key, ThreadPool* pool = nullptr, const Stop& stop = {});
  // Values of all states by sweeps over the expanded ones. fringe[i] is the value of state
  // num_expanded() + i. From below: without a way to a better value a state keeps what its idle
  // actions (those that leave it in place) earn for ever, or the least a problem can earn.
  // False: it was stopped, and values may be as low as that.
  bool solve(std::span<const double> fringe, double tolerance, int max_sweeps,
             const Stop& stop = {});

  size_t num_states() const { return index_.size(); }
  size_t num_expanded() const { return first_edge_.size() - 1; }
  size_t num_edges() const { return edges_.size(); }
  bool closed() const { return num_expanded() == num_states(); }
  ConstRecords states() const { return index_.records().view().sub(0, index_.size()); }
  ConstRecords fringe() const {
    return states().sub(num_expanded(), num_states() - num_expanded());
  }
  int32_t find(const std::byte* state) const { return index_.find(state); }
  std::span<const double> values() const { return values_; }
  // States [layer_start(d), layer_start(d + 1)) are d steps from the nearest root.
  int num_layers() const { return static_cast<int>(layer_start_.size()) - 1; }
  size_t layer_start(int depth) const { return layer_start_[depth]; }
  size_t num_roots() const { return num_layers() > 0 ? layer_start_[1] : 0; }
  // The best action of an expanded state and where its first outcome leads: -1 is the end, the
  // state itself an idle action.
  struct Choice {
    int action;
    int32_t next;
  };
  Choice best(size_t state) const;

 private:
  struct Edge {
    int32_t next;  // -1: the end
    float reward;
  };
  struct Block;  // the steps from a block of states
  void step_block(size_t begin, size_t count, RngKey key, const Stop& stop, Block& block) const;
  void take_block(size_t begin, size_t count, const Block& block);
  double best_q(size_t state, size_t* best_group) const;

  const Pomdp& model_;
  StateGraphOptions options_;
  RecordIndex index_;
  std::vector<size_t> first_edge_;  // of each expanded state; options.outcomes edges per action
  std::vector<Edge> edges_;
  std::vector<int> group_action_;  // of each group of options.outcomes edges
  std::vector<float> idle_;        // what staying in place for ever earns
  std::vector<int> idle_action_;
  std::vector<size_t> layer_start_;
  std::vector<double> values_;
};

}  // namespace penumbra
