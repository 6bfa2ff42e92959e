// Gamma: the vectors of a lower bound, per part. Each is the exact value of a plan, hence a proven
// lower bound at every belief of its part; it remembers the plan (an action, then a vector for
// everything that can be seen), also after its values were forgotten.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "penumbra/base/archive.h"
#include "penumbra/model/mixed_model.h"

namespace penumbra::points {

class VectorSet {
 public:
  struct Vector {
    int part = 0, action = 0;
    bool listed = true;         // beliefs are compared with it
    std::vector<double> value;  // per hidden state of the part; empty when forgotten
    std::vector<int> next;      // per branch and outcome; empty: goes on with the same action

    template <class Archive>
    void archive(Archive& a) {
      a(part, action, listed, value, next);
    }
  };
  struct Best {
    double value = 0;
    int id = -1;
  };

  explicit VectorSet(const MixedModel& model) : lists_(model.num_parts()) {}

  int add(Vector vector);
  // Takes vectors off the lists unless `listed` wants them, and forgets the values of those that
  // are on no list and not `used`. The plans stay.
  void retire(const std::vector<char>& listed, const std::vector<char>& used);

  const Vector& operator[](int id) const { return vectors_[id]; }
  int total() const { return static_cast<int>(vectors_.size()); }  // forgotten ones too
  int num_listed() const { return listed_; }
  size_t listed_values() const { return listed_values_; }  // of all that are listed
  // Every addition to a part has a number; they grow.
  uint32_t newest(int part) const { return lists_[part].newest; }
  // Improves `best` by the vectors of the part that were added after `serial`.
  void improve(int part, HiddenView belief, uint32_t serial, Best& best) const;

  template <class Archive>
  void archive(Archive& a) {
    a(vectors_, lists_, listed_);
    if constexpr (Archive::kLoading) {
      for (List& list : lists_)
        for (Entry& entry : list.entries) entry.value = vectors_.at(entry.id).value.data();
      count_listed();
    }
  }

 private:
  struct Entry {
    const double* value = nullptr;
    uint32_t serial = 0;
    int id = 0;

    template <class Archive>
    void archive(Archive& a) {  // but `value`
      a(serial, id);
    }
  };
  struct List {
    uint32_t newest = 0;
    std::vector<Entry> entries;  // by serial

    template <class Archive>
    void archive(Archive& a) {
      a(newest, entries);
    }
  };
  void count_listed();

  std::vector<Vector> vectors_;
  std::vector<List> lists_;
  int listed_ = 0;
  size_t listed_values_ = 0;
};

}  // namespace penumbra::points
