#include "penumbra/runs/state_layout.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include "penumbra/model/record_set.h"

namespace penumbra {
namespace {

constexpr size_t kLanes = 400, kWalkSteps = 100, kEpisodeSteps = 25;
constexpr int kLineCells = 160, kMapCells = 40, kSlices = 4, kSingleStates = 30;
constexpr int kMostReached = 8000;

RecordBuffer live_states(const Pomdp& model, ConstRecords states) {
  std::vector<uint8_t> ended(states.count);
  model.is_terminal(states, ended);
  RecordBuffer live(states.size);
  for (size_t i = 0; i < states.count; ++i)
    if (!ended[i]) live.push_back(states.at(i));
  return live;
}

// Every state that the walks are in before they act.
RecordBuffer walk(const Pomdp& model, const Fsc& fsc, RngKey key) {
  RecordBuffer met(model.state_size()), state(model.state_size(), kLanes), fresh = state;
  std::vector<int> node(kLanes, fsc.start), action(kLanes);
  StepBuffers buffers(model, kLanes);
  model.sample_initial({key.fold("start")}, state);
  for (size_t t = 0; t < kWalkSteps; ++t) {
    met.append(live_states(model, state));
    const RngKey now = key.fold(t);
    for (size_t i = 0; i < kLanes; ++i) {
      Rng rng(now.fold("action"), i);
      const int any = static_cast<int>(rng.below(static_cast<uint32_t>(model.facts().num_actions)));
      action[i] = i % 2 ? fsc.action[node[i]] : any;
    }
    const StepResults out = buffers.results(kLanes);
    model.step(state, action, {now}, out);
    model.sample_initial({now.fold("start")}, fresh);
    for (size_t i = 0; i < kLanes; ++i) {
      const bool again = out.ended[i] || t % kEpisodeSteps == kEpisodeSteps - 1;
      node[i] = again ? fsc.start : fsc.next(node[i], index_of(out.seen, i));
      state.copy_from(i, again ? fresh.at(i) : out.next.at(i));
    }
  }
  return met;
}

std::vector<float> scene_fields(const Pomdp& model, ConstRecords states) {
  std::vector<float> values(states.count * model.scene().fields.size());
  model.scene_values(states, values);
  return values;
}

// The middle 98 % of the values and a little room.
Axis axis_of(std::string name, std::vector<float> values, int cells) {
  std::sort(values.begin(), values.end());
  const size_t tail = values.size() / 100;
  const double low = values[tail], high = values[values.size() - 1 - tail];
  const double room = 0.5 * std::max(high - low, 1e-6) / cells;
  return {std::move(name), low - room, (high - low + 2 * room) / cells, cells};
}

int cell_on(const Axis& axis, float value) {
  return static_cast<int>(std::floor((value - axis.low) / axis.step));
}

// Cells that states met are in or beside.
std::vector<uint8_t> known_cells(const std::vector<Axis>& axes, const std::vector<float>& x,
                                 int width) {
  const int columns = axes[0].cells, rows = axes[1].cells;
  std::vector<uint8_t> known(size_t(columns) * rows, 0);
  for (size_t i = 0; i < x.size(); i += width) {
    const int column = cell_on(axes[0], x[i]), row = cell_on(axes[1], x[i + 1]);
    for (int r = std::max(0, row - 1); r <= std::min(rows - 1, row + 1); ++r)
      for (int c = std::max(0, column - 1); c <= std::min(columns - 1, column + 1); ++c)
        known[size_t(r) * columns + c] = 1;
  }
  return known;
}

StateLayout by_coordinates(const Pomdp& model, const RecordBuffer& met) {
  const int width = model.num_coordinates();
  std::vector<float> x(met.count() * width);
  model.coordinates(met, x);
  const bool scene = model.has(Capability::kScene);
  auto name = [&](int d) {
    if (scene && d < static_cast<int>(model.scene().fields.size())) return model.scene().fields[d];
    return fmt::format("coordinate {}", d + 1);
  };
  auto column = [&](int d) {
    std::vector<float> values(met.count());
    for (size_t i = 0; i < values.size(); ++i) values[i] = x[i * width + d];
    return values;
  };
  StateLayout out;
  out.axes.push_back(axis_of(name(0), column(0), width == 1 ? kLineCells : kMapCells));
  if (width > 1) out.axes.push_back(axis_of(name(1), column(1), kMapCells));
  std::vector<uint8_t> known(out.axes[0].cells, 1);
  if (width > 1) known = known_cells(out.axes, x, width);
  // The others as in states met, spread over the third coordinate.
  std::vector<size_t> order(met.count());
  std::iota(order.begin(), order.end(), size_t{0});
  if (width > 2)
    std::stable_sort(order.begin(), order.end(),
                     [&](size_t a, size_t b) { return x[a * width + 2] < x[b * width + 2]; });
  const int slices = width > 2 ? kSlices : 1;
  for (int k = 0; k < slices; ++k) {
    const size_t base = order[order.size() * (2 * k + 1) / (2 * slices)];
    StateSlice slice;
    for (int d = 2; d < width; ++d)
      slice.label += fmt::format("{}{} {:.2f}", d > 2 ? ", " : "", name(d), x[base * width + d]);
    if (scene) slice.fields = scene_fields(model, met.sub(base, 1));
    std::vector<float> grid;
    for (int cell = 0; cell < static_cast<int>(known.size()); ++cell) {
      if (!known[cell]) continue;
      const int place[] = {cell % out.axes[0].cells, cell / out.axes[0].cells};
      std::vector<float> row(x.begin() + base * width, x.begin() + (base + 1) * width);
      for (size_t d = 0; d < out.axes.size(); ++d)
        row[d] = static_cast<float>(out.axes[d].low + (place[d] + 0.5) * out.axes[d].step);
      grid.insert(grid.end(), row.begin(), row.end());
      slice.cell.push_back(cell);
    }
    slice.states = RecordBuffer(model.state_size(), slice.cell.size());
    model.from_coordinates(grid, slice.states);
    out.slices.push_back(std::move(slice));
  }
  return out;
}

// What steps reach from `base` with every field but the first two as it is there.
RecordBuffer states_reached(const Pomdp& model, const std::byte* base, RngKey key) {
  const size_t width = model.scene().fields.size();
  const std::vector<float> fixed = scene_fields(model, {base, model.state_size(), 1});
  const int actions = model.facts().num_actions;
  RecordSet found(model.state_size());
  found.insert(base);
  StepBuffers buffers(model, 2 * actions);
  std::vector<int> action(2 * actions);
  for (int a = 0; a < 2 * actions; ++a) action[a] = a / 2;
  for (int i = 0; i < found.count() && found.count() < kMostReached; ++i) {
    RecordBuffer from(model.state_size());
    for (int a = 0; a < 2 * actions; ++a) from.push_back(found.records().at(i));
    const StepResults out = buffers.results(2 * actions);
    model.step(from, action, {key.fold(i)}, out);
    const std::vector<float> fields = scene_fields(model, out.next);
    for (int a = 0; a < 2 * actions; ++a)
      if (!out.ended[a] &&
          std::equal(fixed.begin() + 2, fixed.end(), fields.begin() + a * width + 2))
        found.insert(out.next.at(a));
  }
  return found.take();
}

// States that differ in other fields than the first two: of b0 at first, then of the walks.
RecordBuffer base_states(const Pomdp& model, const RecordBuffer& met, RngKey key) {
  RecordBuffer candidates(model.state_size(), kSlices), out(model.state_size());
  model.sample_initial({key.fold("bases")}, candidates);
  Rng rng(key.fold("bases"), kSlices);
  for (int i = 0; i < 50 * kSlices; ++i)
    candidates.push_back(met.at(rng.below(static_cast<uint32_t>(met.count()))));
  const std::vector<float> fields = scene_fields(model, candidates);
  const size_t width = fields.size() / candidates.count();
  std::set<std::vector<float>> known;
  for (size_t i = 0; i < candidates.count() && out.count() < 2 * kSlices; ++i) {
    if (known.emplace(fields.begin() + i * width + 2, fields.begin() + (i + 1) * width).second)
      out.push_back(candidates.at(i));
  }
  return out;
}

StateLayout by_scene(const Pomdp& model, const RecordBuffer& met, RngKey key) {
  const std::vector<std::string> names = model.scene().fields;
  StateLayout out;
  const RecordBuffer bases = base_states(model, met, key);
  std::vector<std::vector<float>> columns(2);
  bool whole = true;
  for (size_t k = 0; k < bases.count(); ++k) {
    StateSlice slice;
    slice.label = "the rest as in: " + model.describe_state(bases.at(k));
    slice.fields = scene_fields(model, bases.sub(k, 1));
    slice.states = states_reached(model, bases.at(k), key.fold("reached").fold(k));
    const std::vector<float> fields = scene_fields(model, slice.states);
    for (size_t i = 0; i < fields.size(); i += names.size())
      for (int d : {0, 1}) {
        columns[d].push_back(fields[i + d]);
        whole &= fields[i + d] == std::round(fields[i + d]);
      }
    out.slices.push_back(std::move(slice));
  }
  for (int d : {0, 1}) {
    const auto [low, high] = std::minmax_element(columns[d].begin(), columns[d].end());
    const double extent = *high - *low;
    if (whole && extent < 200)
      out.axes.push_back({names[d], *low - 0.5, 1, static_cast<int>(extent) + 1});
    else
      out.axes.push_back({names[d], *low, std::max(extent, 1e-6) / (kMapCells / 2), kMapCells / 2});
  }
  for (StateSlice& slice : out.slices) {
    const std::vector<float> fields = scene_fields(model, slice.states);
    for (size_t i = 0; i < fields.size(); i += names.size()) {
      const int column = std::clamp(cell_on(out.axes[0], fields[i]), 0, out.axes[0].cells - 1);
      const int row = std::clamp(cell_on(out.axes[1], fields[i + 1]), 0, out.axes[1].cells - 1);
      slice.cell.push_back(column + row * out.axes[0].cells);
    }
  }
  return out;
}

StateLayout one_by_one(const Pomdp& model, const RecordBuffer& met) {
  RecordSet distinct(model.state_size());
  std::vector<int> count;
  for (size_t i = 0; i < met.count(); ++i) {
    const size_t number = static_cast<size_t>(distinct.insert(met.at(i)));
    count.resize(std::max(count.size(), number + 1), 0);
    ++count[number];
  }
  std::vector<int> order(count.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return count[a] > count[b]; });
  order.resize(std::min<size_t>(order.size(), kSingleStates));
  StateLayout out;
  StateSlice slice;
  slice.states = RecordBuffer(model.state_size());
  for (size_t i = 0; i < order.size(); ++i) {
    slice.states.push_back(distinct.records().at(order[i]));
    slice.cell.push_back(static_cast<int>(i));
    out.names.push_back(model.describe_state(slice.states.at(i)));
  }
  out.slices.push_back(std::move(slice));
  return out;
}

}  // namespace

StateLayout lay_out_states(const Pomdp& model, const Fsc& fsc, uint64_t seed) {
  const RngKey key = RngKey::from_seed(seed).fold("lay_out_states");
  const bool scene = model.has(Capability::kScene) && model.scene().fields.size() >= 2;
  const RecordBuffer met = walk(model, fsc, key);
  if (met.empty()) return {};
  if (model.has(Capability::kCoordinates)) return by_coordinates(model, met);
  return scene ? by_scene(model, met, key) : one_by_one(model, met);
}

}  // namespace penumbra
