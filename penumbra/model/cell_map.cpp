#include "penumbra/model/cell_map.h"

#include <algorithm>
#include <cmath>
#include <unordered_set>

namespace penumbra {
namespace {

// Per coordinate: the median of the changes of those steps that change it, 0 if none does. A
// median, because an angle may wrap around.
std::vector<double> typical_change(std::span<const float> from, std::span<const float> to,
                                   size_t width) {
  std::vector<std::vector<double>> changes(width);
  for (size_t k = 0; k < from.size(); ++k)
    if (const double change = std::abs(double(to[k]) - from[k]); change > 1e-6)
      changes[k % width].push_back(change);
  std::vector<double> median(width, 0);
  for (size_t d = 0; d < width; ++d) {
    if (changes[d].empty()) continue;
    const auto middle = changes[d].begin() + static_cast<long>(changes[d].size() / 2);
    std::nth_element(changes[d].begin(), middle, changes[d].end());
    median[d] = *middle;
  }
  return median;
}

}  // namespace

std::vector<float> CellMap::coordinates(ConstRecords states) const {
  std::vector<float> values(states.count * model_->num_coordinates());
  model_->coordinates(states, values);
  return values;
}

uint64_t CellMap::place(const float* coordinates) const {
  RngKey key;
  for (size_t d = 0; d < edge_.size(); ++d) {
    const double at = edge_[d] > 0 ? std::floor(coordinates[d] / edge_[d]) : 0;
    key = key.fold(static_cast<uint64_t>(static_cast<int64_t>(std::clamp(at, -1e15, 1e15))));
  }
  return key.value;
}

void CellMap::set_edges(const RecordBuffer& start, const RecordBuffer& from, const RecordBuffer& to,
                        const Stop& stop) {
  const size_t width = model_->num_coordinates();
  std::vector<float> values = coordinates(to);
  const std::vector<double> unit = typical_change(coordinates(from), values, width);
  const std::vector<float> first = coordinates(start);
  values.insert(values.end(), first.begin(), first.end());
  const size_t room = static_cast<size_t>(most_) * 3 / 4;
  double low = 1e-4, high = 1e4;  // edges in units
  while (high > 1.001 * low) {
    throw_if_stopped(stop);
    const double scale = std::sqrt(low * high);
    edge_ = unit;
    for (double& e : edge_) e *= scale;
    std::unordered_set<uint64_t> places;
    for (size_t k = 0; k < values.size() && places.size() <= room; k += width)
      places.insert(place(values.data() + k));
    (places.size() > room ? low : high) = scale;
  }
  edge_ = unit;
  for (double& e : edge_) e *= high;
  index_.clear();
}

int CellMap::find_or_add(const std::byte* state) {
  const uint64_t at = place(coordinates({state, model_->state_size(), 1}).data());
  if (const auto known = index_.find(at); known != index_.end()) return known->second;
  if (num_cells() >= most_) return -1;
  return index_.emplace(at, num_cells()).first->second;
}

}  // namespace penumbra
