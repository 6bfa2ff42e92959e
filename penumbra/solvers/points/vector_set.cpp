#include "penumbra/solvers/points/vector_set.h"

#include <algorithm>

namespace penumbra::points {

int VectorSet::add(Vector vector) {
  const int id = total();
  List& list = lists_[vector.part];
  list.entries.push_back({vector.value.data(), ++list.newest, id});
  vectors_.push_back(std::move(vector));  // moving keeps the values where they are
  ++listed_;
  return id;
}

void VectorSet::retire(const std::vector<char>& listed, const std::vector<char>& used) {
  for (List& list : lists_)
    std::erase_if(list.entries, [&](const Entry& entry) { return !listed[entry.id]; });
  listed_ = 0;
  for (int id = 0; id < total(); ++id) {
    vectors_[id].listed = vectors_[id].listed && listed[id];
    listed_ += vectors_[id].listed;
    if (!vectors_[id].listed && !used[id]) vectors_[id].value = std::vector<double>();
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
