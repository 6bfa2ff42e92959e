#include "penumbra/solvers/points/vector_set.h"

#include <algorithm>

namespace penumbra::points {

int VectorSet::add(Vector vector) {
  const int id = total();
  List& list = lists_[vector.part];
  list.entries.push_back({vector.value.data(), ++list.newest, id});
  ++listed_;
  listed_values_ += vector.value.size();
  vectors_.push_back(std::move(vector));  // moving keeps the values where they are
  return id;
}

void VectorSet::retire(const std::vector<char>& listed, const std::vector<char>& used) {
  for (List& list : lists_)
    std::erase_if(list.entries, [&](const Entry& entry) { return !listed[entry.id]; });
  for (int id = 0; id < total(); ++id) {
    vectors_[id].listed = vectors_[id].listed && listed[id];
    if (!vectors_[id].listed && !used[id]) vectors_[id].value = std::vector<double>();
  }
  count_listed();
}

void VectorSet::count_listed() {
  listed_ = 0;
  listed_values_ = 0;
  for (const Vector& vector : vectors_) {
    listed_ += vector.listed;
    listed_values_ += vector.listed ? vector.value.size() : 0;
  }
}

void VectorSet::improve(int part, HiddenView belief, uint32_t serial, Best& best) const {
  const std::vector<Entry>& entries = lists_[part].entries;
  for (size_t i = entries.size(); i > 0 && entries[i - 1].serial > serial; --i) {
    const double value = dot(entries[i - 1].value, belief);
    if (value > best.value || best.id < 0) best = {value, entries[i - 1].id};
  }
}

}  // namespace penumbra::points
