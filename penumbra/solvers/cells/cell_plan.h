// Point-based value iteration on a table of cells, made for many cheap backups: single precision,
// beliefs as lists of cells, all vectors compared at once. Walks (cell_walk.h) follow the plan
// found so far with bursts of exploration; those of a round are made at the same time, each against
// the vectors that the round began with. Its value is that of the table up to rounding, no bound.
#pragma once

#include <functional>
#include <vector>

#include "penumbra/base/archive.h"
#include "penumbra/base/rng.h"
#include "penumbra/policy/fsc.h"
#include "penumbra/solvers/cells/cell_model.h"

namespace penumbra::cells {

// The alpha-vectors of a plan, in two layouts.
class CellVectors {
 public:
  struct Vector {
    int node = 0;  // of the plan
    int action = 0;
    uint64_t last_used = 0;  // round
    std::vector<float> value;

    template <class Archive>
    void archive(Archive& a) {
      a(node, action, last_used, value);
    }
  };

  int count() const { return static_cast<int>(all_.size()); }
  Vector& operator[](int v) { return all_[v]; }
  const Vector& operator[](int v) const { return all_[v]; }
  void add(Vector vector) { all_.push_back(std::move(vector)); }
  // All values of a cell side by side, of the vectors that were there at the last lay_out().
  const float* at_cell(int cell) const { return by_cell_.data() + size_t(cell) * stride_; }
  void lay_out(ThreadPool& pool);
  // Keeps `count` of them: the first `fixed`, `wanted`, and those that were used last.
  void keep(int count, int fixed, int wanted);

  template <class Archive>
  void archive(Archive& a) {
    a(all_);
    if constexpr (Archive::kLoading) laid_out_ = 0;
  }

 private:
  std::vector<Vector> all_;
  int laid_out_ = 0;
  size_t stride_ = 0;
  std::vector<float> by_cell_;  // [cell][vector]
};

// How many vectors a plan keeps.
struct VectorLimits {
  double memory = 480e6;  // bytes, about
  int most = 2048;
  // No more than `bytes`; 0: no other limit.
  VectorLimits within(double bytes) const {
    return {bytes > 0 && bytes < memory ? bytes : memory, most};
  }
};

class CellPlan {
 public:
  CellPlan(const Tabular& table, RngKey key, ThreadPool& pool, VectorLimits limits = {});

  // One round of walks with their backups. False when `stop` came first: nothing has changed then.
  bool run(const std::function<bool()>& stop);
  uint64_t backups() const { return backups_; }
  double value() const;  // of the plan, from b0
  // Whether it has found anything better than blind policies.
  bool begun() const { return begun_; }
  // Whether it had to look around for that.
  bool in_vain() const { return in_vain_; }
  double mdp_value() const;  // if the state were known
  int num_cells() const { return model_.num_cells(); }
  // `vector_of`, if given, receives for every node a vector that is its function, -1 where it has
  // been dropped.
  Fsc controller(std::vector<int>* vector_of = nullptr) const;
  const CellVectors& vectors() const { return vectors_; }

  template <class Archive>
  void archive(Archive& a) {
    a(round_, backups_, least_rise_, last_value_, in_vain_, nodes_, vectors_);
    if constexpr (Archive::kLoading) {
      if (vectors_.count() == 0 || vectors_[0].value.size() != model_.start().size())
        throw Error("saved state: its plan has other cells; go on with the same limit of memory");
      vectors_.lay_out(pool_);
      begun_ = value() > first_value_;
    }
  }

 private:
  int most_vectors() const;
  int node_size() const { return 1 + model_.num_observations(); }
  int best_at_start() const;

  RngKey key_;
  ThreadPool& pool_;
  CellModel model_;
  VectorLimits limits_;
  float least_rise_ = 0;    // of a belief that is worth a vector
  double last_value_ = 0;   // when that was looked at last
  double first_value_ = 0;  // of blind policies
  bool begun_ = false, in_vain_ = false;
  uint64_t round_ = 0, backups_ = 0;
  std::vector<int> nodes_;  // of the plan: an action, and the next node per observation
  CellVectors vectors_;
};

}  // namespace penumbra::cells
