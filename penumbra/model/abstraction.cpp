#include "penumbra/model/abstraction.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "penumbra/base/error.h"
#include "penumbra/model/cell_map.h"

namespace penumbra {
namespace {

constexpr size_t kStartStates = 100'000;  // that show b0, at least,
constexpr size_t kStartsPerCell = 10;     // and for each of many cells
constexpr size_t kWalks = 2'000;          // at random, that show where the cells must be
constexpr int kWalkLength = 20;
constexpr size_t kStatesPerCell = 16;  // that stand for a cell
constexpr size_t kBlock = 4096;        // states between two looks at the clock
constexpr double kSmallChance = 1e-4;  // observations below it are left out

class Builder {
 public:
  Builder(const Pomdp& model, const AbstractionOptions& options, RngKey key, ThreadPool& pool,
          const Stop& stop)
      : model_(model),
        options_(options),
        key_(key),
        pool_(pool),
        stop_(stop),
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
      throw_if_stopped(stop_);
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
    const size_t count = std::max(kStartStates, kStartsPerCell * grid_.most_cells());
    RecordBuffer states(model_.state_size(), count);
    std::vector<uint8_t> ended(count);
    for (size_t begin = 0; begin < count; begin += kBlock) {
      throw_if_stopped(stop_);
      const size_t n = std::min(kBlock, count - begin);
      model_.sample_initial({key_.fold("start"), begin}, states.sub(begin, n));
      model_.is_terminal(states.sub(begin, n), std::span(ended).subspan(begin, n));
    }
    RecordBuffer begun(model_.state_size());
    for (size_t i = 0; i < count; ++i)
      if (!ended[i]) begun.push_back(states.at(i));
    if (begun.count() == 0) throw Error(model_.facts().name + ": every episode is over at once");
    RecordBuffer from(model_.state_size()), to(model_.state_size());
    walk_at_random(from, to);
    grid_.set_edges(begun, from, to, stop_);
    for (size_t i = 0; i < begun.count(); ++i) {
      if (i % kBlock == 0) throw_if_stopped(stop_);
      if (const int cell = meet(begun.at(i)); cell >= 0) start_[cell] += 1;
    }
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
      throw_if_stopped(stop_);
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
      throw_if_stopped(stop_);
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
      throw_if_stopped(stop_);
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
        throw_if_stopped(stop_);
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
  const Stop& stop_;
  int actions_;
  CellMap grid_;
  std::vector<RecordBuffer> members_;   // per cell
  std::vector<double> start_;           // per cell: initial states
  std::vector<std::vector<Row>> rows_;  // per cell and action
};

}  // namespace

int default_cells(int num_coordinates) {
  return static_cast<int>(std::min(300.0 * std::pow(12.0, num_coordinates - 1), 43'200.0));
}

Capabilities abstraction_needs() {
  return Capability::kCoordinates | Capability::kFiniteActions | Capability::kFiniteObservations |
         Capability::kLikelihood;
}

Tabular abstract_model(const Pomdp& model, const AbstractionOptions& options, RngKey key,
                       ThreadPool& pool, const Stop& stop) {
  require(model, abstraction_needs(), "an abstraction");
  return Builder(model, options, key, pool, stop).build();
}

}  // namespace penumbra
