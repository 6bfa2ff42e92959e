#include "penumbra/solvers/points/sawtooth.h"

#include <algorithm>

namespace penumbra::points {
namespace {

// Whether the ratio b / b_i is at least `ratio` on all of the point's states.
bool covers(const double* belief, HiddenView point, double ratio) {
  constexpr size_t kBlock = 16;
  const double* weight = point.value.data();
  const size_t n = point.size();
  size_t i = 0;
  if (point.dense()) {
    for (; i + kBlock <= n; i += kBlock) {
      int below = 0;
      for (size_t k = 0; k < kBlock; ++k) below |= belief[i + k] < ratio * weight[i + k];
      if (below) return false;
    }
    for (; i < n; ++i)
      if (belief[i] < ratio * weight[i]) return false;
    return true;
  }
  for (; i < n; ++i)
    if (belief[point.index[i]] < ratio * weight[i]) return false;
  return true;
}

double least_ratio(const double* belief, HiddenView point) {
  double least = 1;
  for (size_t i = 0; i < point.size(); ++i) {
    const double weight = point.value[i];
    if (belief[point.at(i)] < least * weight) least = belief[point.at(i)] / weight;
  }
  return least;
}

}  // namespace

Sawtooth::Sawtooth(const MixedModel& model, std::vector<std::vector<double>> corners)
    : corners_(std::move(corners)),
      lists_(model.num_parts()),
      scratch_(model.largest_part(), 0.0) {}

double Sawtooth::improve(int part, HiddenView belief, uint32_t serial, double drop) {
  const std::vector<Entry>& entries = lists_[part].entries;
  if (entries.empty() || entries.back().serial <= serial) return drop;
  const double* b = belief.value.data();
  if (!belief.dense()) {
    for (size_t i = 0; i < belief.size(); ++i) scratch_[belief.index[i]] = belief.value[i];
    b = scratch_.data();
  }
  for (size_t i = entries.size(); i > 0 && entries[i - 1].serial > serial; --i) {
    const Entry& entry = entries[i - 1];
    if (entry.drop >= drop) continue;
    const double needed = drop / entry.drop;
    bool below = false;
    for (int k = 0; k < kHeavy; ++k) below |= b[entry.heavy[k]] <= needed * entry.weight[k];
    if (below || !covers(b, entry.belief, needed)) continue;
    drop = std::min(drop, entry.drop * least_ratio(b, entry.belief));
  }
  if (!belief.dense())
    for (int y : belief.index) scratch_[y] = 0;
  return drop;
}

int Sawtooth::set(int part, HiddenView belief, double drop, int handle) {
  List& list = lists_[part];
  ++num_changes_;
  Entry entry;
  if (handle < 0) {
    handle = num_points_++;
    position_.push_back(0);
    entry = first_entry(belief);
    entry.handle = handle;
  } else {
    Entry& old = list.entries[position_[handle]];
    entry = old;
    old.drop = 0;
    ++list.dead;
  }
  entry.drop = drop;
  entry.serial = ++list.newest;
  position_[handle] = list.entries.size();
  list.entries.push_back(entry);
  if (list.dead > 64 && 2 * list.dead > list.entries.size()) compact(list);
  return handle;
}

void Sawtooth::set_beliefs(const std::vector<HiddenView>& by_handle) {
  for (List& list : lists_)
    for (Entry& entry : list.entries) entry.belief = by_handle.at(entry.handle);
}

Sawtooth::Entry Sawtooth::first_entry(HiddenView belief) {
  Entry entry{};
  entry.belief = belief;
  std::vector<size_t> order(belief.size());
  for (size_t i = 0; i < order.size(); ++i) order[i] = i;
  const size_t count = std::min<size_t>(kHeavy, order.size());
  std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(count), order.end(),
                    [&](size_t x, size_t y) {
                      return belief.value[x] != belief.value[y] ? belief.value[x] > belief.value[y]
                                                                : x < y;
                    });
  for (size_t k = 0; k < kHeavy; ++k) {
    const size_t i = order[std::min(k, count - 1)];
    entry.heavy[k] = belief.at(i);
    entry.weight[k] = belief.value[i];
  }
  return entry;
}

void Sawtooth::compact(List& list) {
  std::erase_if(list.entries, [](const Entry& entry) { return entry.drop >= 0; });
  for (size_t i = 0; i < list.entries.size(); ++i) position_[list.entries[i].handle] = i;
  list.dead = 0;
}

}  // namespace penumbra::points
