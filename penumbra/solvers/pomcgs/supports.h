// Which states a belief is about, apart from how likely they are. Beliefs that differ by what was
// observed alone share their support, and so share everything that is known of it: the values of
// its states, where each action leads them, how likely each observation is there. A belief is then
// a row of weights, and an update is a product of rows.
//
// What an action does to a support (Transit) is a function of the support alone. It is made when
// first needed and may be forgotten at any time.
#pragma once

#include <memory>
#include <unordered_map>
#include <vector>

#include "penumbra/solvers/pomcgs/cells.h"
#include "penumbra/solvers/pomcgs/options.h"

namespace penumbra::pomcgs {

struct Support {
  std::vector<int32_t> cells;  // ascending
  std::vector<float> mdp;      // V_mdp of each
  std::vector<float> blind;    // row-major [policy][cell]
  size_t count() const { return cells.size(); }
};

struct Transit {
  int to = -1;                 // the support of the next states; -1: every episode ends
  bool stays = false;          // every state stays as it is
  std::vector<float> reward;   // expected, per state
  std::vector<uint32_t> row;   // of each state in `next` and `share`, and the end
  std::vector<uint32_t> next;  // place in `to`
  std::vector<float> share;    // probability; what is missing to 1 has ended
  std::vector<int> seen;       // observations that may follow
  std::vector<float> chance;   // row-major [seen][place in `to`]: O(o | s', a)
  size_t bytes() const {
    return 4 * (reward.size() + row.size() + next.size() + share.size() + chance.size()) + 200;
  }
};

class Supports {
 public:
  // With a table all its states that go on are one support, which no action leaves.
  Supports(const Pomdp& model, const ActionStudy& study, const BlindPolicies& blind, Cells& cells,
           const PomcgsOptions& options, RngKey key, const Tabular* table = nullptr);

  bool closed() const { return table_ != nullptr; }

  const Support& operator[](int support) const { return *supports_[support]; }
  int count() const { return static_cast<int>(supports_.size()); }
  // The number of the support with these cells (ascending), new or not.
  int insert(std::vector<int32_t> cells);

  struct Want {
    int support, action;
    auto operator<=>(const Want&) const = default;
  };
  // Makes all of these that are not there, in parallel. Others may be forgotten before.
  void make(std::vector<Want> wanted, ThreadPool& pool);
  const Transit& transit(int support, int action) const {
    return *transits_.at(key_of({support, action}));
  }

  double bytes() const { return bytes_ + transit_bytes_; }
  double steps() const { return steps_; }

  template <class Archive>
  void archive(Archive& a) {
    std::vector<std::vector<int32_t>> lists;
    if constexpr (!Archive::kLoading)
      for (const auto& s : supports_) lists.push_back(s->cells);
    a(lists, steps_);
    if constexpr (Archive::kLoading)
      for (auto& cells : lists) insert(std::move(cells));
  }

 private:
  static uint64_t key_of(Want want) { return uint64_t(want.support) << 32 | uint32_t(want.action); }
  struct Draft;
  std::unique_ptr<Transit> look_up(int action) const;
  Draft simulate(Want want) const;
  void finish(const Draft& draft, Transit& t) const;

  const Pomdp& model_;
  const Tabular* table_;
  const BlindPolicies& blind_;
  Cells& cells_;
  std::vector<char> random_;
  bool weighted_;  // the model tells how likely observations are
  bool repeats_;   // next states are few
  size_t most_cells_;
  int sims_;
  RngKey key_;
  std::vector<std::unique_ptr<Support>> supports_;
  std::unordered_multimap<uint64_t, int> by_hash_;
  std::unordered_map<uint64_t, std::unique_ptr<Transit>> transits_;
  double bytes_ = 0, transit_bytes_ = 0, steps_ = 0;
};

}  // namespace penumbra::pomcgs
