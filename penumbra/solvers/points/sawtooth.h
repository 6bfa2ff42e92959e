// The upper bound: corner values, and points (belief, value) below their plane. The value of a
// belief b is its corners' plane plus, for the best point i, drop_i * min over y of b(y) / b_i(y).
// A scan rejects almost every point by its drop or by its heaviest states alone, and a belief that
// was valued before is only compared with points that changed since.
#pragma once

#include <cstdint>
#include <vector>

#include "penumbra/base/archive.h"
#include "penumbra/model/mixed_model.h"

namespace penumbra::points {

class Sawtooth {
 public:
  Sawtooth(const MixedModel& model, std::vector<std::vector<double>> corners);

  double corner_value(int part, HiddenView belief) const {
    return dot(corners_[part].data(), belief);
  }
  uint32_t newest(int part) const { return lists_[part].newest; }
  // The lowest of `drop` (at most 0) and what the points changed after `serial` say.
  double improve(int part, HiddenView belief, uint32_t serial, double drop);
  // A new point, or (handle of an earlier one of this belief) a lower one. The view must stay
  // valid. Returns its handle.
  int set(int part, HiddenView belief, double drop, int handle);
  int num_points() const { return num_points_; }
  int num_changes() const { return num_changes_; }

  // The points of a set that was loaded need their beliefs again, by handle.
  template <class Archive>
  void archive(Archive& a) {
    a(lists_, position_, num_points_, num_changes_);
  }
  void set_beliefs(const std::vector<HiddenView>& by_handle);

 private:
  static constexpr int kHeavy = 4;
  struct Entry {
    double drop = 0;
    uint32_t serial = 0;
    int handle = 0;
    int heavy[kHeavy] = {};  // the states with the largest weights
    double weight[kHeavy] = {};
    HiddenView belief{};

    template <class Archive>
    void archive(Archive& a) {  // but `belief`
      a(drop, serial, handle, heavy, weight);
    }
  };
  struct List {
    uint32_t newest = 0;
    size_t dead = 0;
    std::vector<Entry> entries;  // by serial

    template <class Archive>
    void archive(Archive& a) {
      a(newest, dead, entries);
    }
  };
  static Entry first_entry(HiddenView belief);
  void compact(List& list);

  std::vector<std::vector<double>> corners_;
  std::vector<List> lists_;
  std::vector<size_t> position_;  // of a handle, in its part's entries
  std::vector<double> scratch_;   // a belief as an array; all zeros between calls
  int num_points_ = 0, num_changes_ = 0;
};

}  // namespace penumbra::points
