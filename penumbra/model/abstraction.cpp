#include "penumbra/model/abstraction.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "penumbra/base/error.h"

namespace penumbra {
namespace {

constexpr size_t kStartStates = 100'000;  // that show b0
constexpr size_t kWalks = 2'000;          // at random, that show where the cells must be
constexpr int kWalkLength = 20;
constexpr size_t kStatesPerCell = 16;  // that stand for a cell
constexpr double kSmallChance = 1e-4;  // observations below it are left out

int default_cells(int coordinates) {
  return static_cast<int>(std::min(300.0 * std::pow(8.0, coordinates - 1), 19'200.0));
}

class Grid {
 public:
  using Place = std::vector<int>;

  Grid(const Pomdp& model, int most) : model_(model), most_(most) {}

  // Chooses the edges so that the states of a walk and of the start leave a quarter of the cells
  // to what else there is. `from` and `to`: steps of the walk.
  void set_edges(const RecordBuffer& start, const RecordBuffer& from, const RecordBuffer& to) {
    unit_ = typical_change(from, to);
    double low = 1e-4, high = 1e4;  // of the scale
    for (int i = 0; i < 40; ++i) {
      scale_ = std::sqrt(low * high);
      index_.clear();
      for (const RecordBuffer* states : {&start, &to})
        for (size_t k = 0; k < states->count() && 4 * num_cells() <= 3 * most_; ++k)
          index_.try_emplace(place(states->at(k)), num_cells());
      (4 * num_cells() > 3 * most_ ? low : high) = scale_;
    }
    scale_ = high;
    index_.clear();
  }

  int num_cells() const { return static_cast<int>(index_.size()); }
  // -1: a new cell, but there is no room.
  int find_or_add(const std::byte* state) {
    const Place at = place(state);
    if (const auto known = index_.find(at); known != index_.end()) return known->second;
    if (num_cells() >= most_) return -1;
    return index_.emplace(at, num_cells()).first->second;
  }

 private:
  std::vector<float> coordinates(const std::byte* state) const {
    std::vector<float> values(model_.num_coordinates());
    model_.coordinates({state, model_.state_size(), 1}, values);
    return values;
  }
  Place place(const std::byte* state) const {
    const std::vector<float> values = coordinates(state);
    Place at(values.size());
    for (size_t d = 0; d < values.size(); ++d)
      at[d] =
          unit_[d] > 0
              ? static_cast<int>(std::floor(std::clamp(values[d] / (unit_[d] * scale_), -1e9, 1e9)))
              : 0;
    return at;
  }
  // Per coordinate: the median of the changes of those steps that change it, 0 if none does. A
  // median, because an angle may wrap around.
  std::vector<double> typical_change(const RecordBuffer& from, const RecordBuffer& to) const {
    std::vector<std::vector<double>> changes(model_.num_coordinates());
    for (size_t k = 0; k < from.count(); ++k) {
      const std::vector<float> x = coordinates(from.at(k)), y = coordinates(to.at(k));
      for (size_t d = 0; d < x.size(); ++d)
        if (const double change = std::abs(double(y[d]) - x[d]); change > 1e-6)
          changes[d].push_back(change);
    }
    std::vector<double> median(changes.size(), 0);
    for (size_t d = 0; d < changes.size(); ++d) {
      if (changes[d].empty()) continue;
      const auto middle = changes[d].begin() + static_cast<long>(changes[d].size() / 2);
      std::nth_element(changes[d].begin(), middle, changes[d].end());
      median[d] = *middle;
    }
    return median;
  }

  const Pomdp& model_;
  int most_;
  double scale_ = 1;
  std::vector<double> unit_;  // per coordinate; a cell is scale_ times as long
  std::map<Place, int> index_;
};

class Builder {
 public:
  Builder(const Pomdp& model, const AbstractionOptions& options, RngKey key, ThreadPool& pool)
      : model_(model),
        options_(options),
        key_(key),
        pool_(pool),
        actions_(model.facts().num_actions),
        grid_(model, options.cells > 0 ? options.cells : default_cells(model.num_coordinates())) {}

  Tabular build() {
    place_start();
    // Cells are worked off in the order in which they were found; new ones join the queue.
    for (size_t done = 0; done < members_.size();) done = simulate_from(done);
    return table();
  }

 private:
  struct Row {
    double reward = 0;
    std::map<int, double> next;  // -1: the end
  };

  void walk_at_random(RecordBuffer& from, RecordBuffer& to) const {
    RecordBuffer state(model_.state_size(), kWalks);
    model_.sample_initial({key_.fold("walk initial")}, state);
    StepBuffers buffers(model_, kWalks);
    std::vector<int> action(kWalks);
    for (int t = 0; t < kWalkLength; ++t) {
      for (size_t i = 0; i < kWalks; ++i)
        action[i] = static_cast<int>(Rng(key_.fold("walk action").fold(t), i).below(actions_));
      const StepResults out = buffers.results(kWalks);
      model_.step(state, std::span<const int>(action), {key_.fold("walk").fold(t)}, out);
      for (size_t i = 0; i < kWalks; ++i) {
        if (!out.ended[i]) {
          from.push_back(state.at(i));
          to.push_back(out.next.at(i));
        }
        state.copy_from(i, out.next.at(i));
      }
    }
  }

  void place_start() {
    RecordBuffer states(model_.state_size(), kStartStates);
    model_.sample_initial({key_.fold("start")}, states);
    std::vector<uint8_t> ended(kStartStates);
    model_.is_terminal(states, ended);
    RecordBuffer begun(model_.state_size());
    for (size_t i = 0; i < kStartStates; ++i)
      if (!ended[i]) begun.push_back(states.at(i));
    if (begun.count() == 0) throw Error(model_.facts().name + ": every episode is over at once");
    RecordBuffer from(model_.state_size()), to(model_.state_size());
    walk_at_random(from, to);
    grid_.set_edges(begun, from, to);
    for (size_t i = 0; i < begun.count(); ++i)
      if (const int cell = meet(begun.at(i)); cell >= 0) start_[cell] += 1;
  }

  // The cell of a state; the first states met stand for their cell.
  int meet(const std::byte* state) {
    const int cell = grid_.find_or_add(state);
    if (cell < 0) return -1;
    if (cell == static_cast<int>(members_.size())) {
      members_.emplace_back(model_.state_size());
      start_.push_back(0);
    }
    if (members_[cell].count() < kStatesPerCell) members_[cell].push_back(state);
    return cell;
  }

  // All actions from a range of cells at once; returns its end.
  size_t simulate_from(size_t first) {
    constexpr size_t kRange = 256;
    const size_t last = std::min(members_.size(), first + kRange), n = options_.samples;
    std::vector<StepBuffers> steps;
    for (size_t i = 0; i < last - first; ++i) steps.emplace_back(model_, n * actions_);
    pool_.for_chunks(last - first, 1, [&](size_t i, size_t, size_t) {
      const RecordBuffer& members = members_[first + i];
      RecordBuffer states(model_.state_size(), n * actions_);
      std::vector<int> action(n * actions_);
      for (size_t k = 0; k < action.size(); ++k) {
        states.copy_from(k, members.at(k % n % members.count()));
        action[k] = static_cast<int>(k / n);
      }
      model_.step(states, std::span<const int>(action), {key_.fold("cell").fold(first + i)},
                  steps[i].results(action.size()));
    });
    for (size_t i = 0; i < last - first; ++i) {
      std::vector<Row>& rows = rows_.emplace_back(actions_);
      const StepResults out = steps[i].results(n * actions_);
      for (size_t k = 0; k < n * actions_; ++k) {
        Row& row = rows[k / n];
        row.reward += out.reward[k] / double(n);
        int to = -1;
        if (!out.ended[k] && (to = meet(out.next.at(k))) < 0) to = static_cast<int>(first + i);
        row.next[to] += 1;
      }
    }
    return last;
  }

  Tabular table() const {
    const int cells = static_cast<int>(members_.size());
    Tabular t;
    t.name = model_.facts().name + " in cells";
    t.discount = model_.facts().discount;
    t.num_states = cells + 1;
    t.num_actions = actions_;
    t.num_observations = model_.facts().num_observations;
    t.terminal.assign(cells + 1, 0);
    t.terminal[cells] = 1;
    t.start = start_;
    t.start.push_back(0);
    double total = 0;
    for (double chance : t.start) total += chance;
    for (double& chance : t.start) chance /= total;
    for (int a = 0; a < actions_; ++a) {
      SparseRows transition;
      std::vector<double> reward;
      for (const std::vector<Row>& rows : rows_) {
        for (const auto& [to, count] : rows[a].next)
          if (to >= 0) transition.add(to, count / options_.samples);
        if (const auto end = rows[a].next.find(-1); end != rows[a].next.end())
          transition.add(cells, end->second / options_.samples);
        transition.end_row();
        reward.push_back(rows[a].reward);
      }
      transition.add(cells, 1);
      transition.end_row();
      reward.push_back(0);
      t.transition.push_back(std::move(transition));
      t.reward.push_back(std::move(reward));
      t.observation.push_back(observation(a));
    }
    return t;
  }

  SparseRows observation(int action) const {
    const int observations = model_.facts().num_observations;
    const size_t cells = members_.size();
    std::vector<double> chance(cells * observations, 0);
    pool_.for_chunks(cells, 64, [&](size_t, size_t begin, size_t end) {
      std::vector<double> likelihood(kStatesPerCell);
      for (size_t c = begin; c < end; ++c) {
        const std::span<double> out = std::span(likelihood).first(members_[c].count());
        for (int o = 0; o < observations; ++o) {
          model_.likelihood(reinterpret_cast<const std::byte*>(&o),
                            reinterpret_cast<const std::byte*>(&action), members_[c], out);
          for (double l : out) chance[c * observations + o] += l / double(out.size());
        }
      }
    });
    SparseRows rows;
    for (size_t c = 0; c < cells; ++c) {
      double total = 0;
      for (int o = 0; o < observations; ++o)
        if (const double p = chance[c * observations + o]; p >= kSmallChance) total += p;
      for (int o = 0; o < observations; ++o)
        if (const double p = chance[c * observations + o]; p >= kSmallChance)
          rows.add(o, p / total);
      if (total == 0) rows.add(0, 1);
      rows.end_row();
    }
    rows.add(0, 1);
    rows.end_row();
    return rows;
  }

  const Pomdp& model_;
  const AbstractionOptions& options_;
  RngKey key_;
  ThreadPool& pool_;
  int actions_;
  Grid grid_;
  std::vector<RecordBuffer> members_;   // per cell
  std::vector<double> start_;           // per cell: initial states
  std::vector<std::vector<Row>> rows_;  // per cell and action
};

}  // namespace

Capabilities abstraction_needs() {
  return Capability::kCoordinates | Capability::kFiniteActions | Capability::kFiniteObservations |
         Capability::kLikelihood;
}

Tabular abstract_model(const Pomdp& model, const AbstractionOptions& options, RngKey key,
                       ThreadPool& pool) {
  require(model, abstraction_needs(), "an abstraction");
  return Builder(model, options, key, pool).build();
}

}  // namespace penumbra
