// A grid over the coordinates of a model: tells the cell of a state. Cells are numbered in the
// order in which they are met.
#pragma once

#include <unordered_map>
#include <vector>

#include "penumbra/base/stop.h"
#include "penumbra/model/pomdp.h"

namespace penumbra {

class CellMap {
 public:
  // At most `most` cells.
  CellMap(const Pomdp& model, int most) : model_(&model), most_(most) {}

  // The edges of a cell are proportional to how far steps move each coordinate, and as short as
  // leaves room for a third more cells than these states are in. `from` and `to`: steps of walks.
  // Throws Stopped (base/stop.h).
  void set_edges(const RecordBuffer& start, const RecordBuffer& from, const RecordBuffer& to,
                 const Stop& stop = {});

  int most_cells() const { return most_; }
  int num_cells() const { return static_cast<int>(index_.size()); }
  // -1: a new cell, but there is no room.
  int find_or_add(const std::byte* state);

 private:
  std::vector<float> coordinates(ConstRecords states) const;
  uint64_t place(const float* coordinates) const;  // a hash of it

  const Pomdp* model_;
  int most_;
  std::vector<double> edge_;  // per coordinate; 0: no step changes it
  std::unordered_map<uint64_t, int> index_;
};

}  // namespace penumbra
