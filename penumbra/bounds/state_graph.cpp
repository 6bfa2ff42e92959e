#include "penumbra/bounds/state_graph.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace penumbra {

int32_t RecordIndex::insert(const std::byte* record) {
  if ((count_ + 1) * 2 > slots_.size()) grow();
  const size_t size = records_.record_size(), mask = slots_.size() - 1;
  const uint64_t hash = hash_record(record, size);
  const auto tag = static_cast<uint32_t>(hash >> 32);
  for (size_t at = hash & mask;; at = (at + 1) & mask) {
    Slot& slot = slots_[at];
    if (slot.index < 0) {
      slot = {tag, static_cast<int32_t>(count_++)};
      if (records_.count() < count_) records_.resize(std::max<size_t>(256, 2 * count_));
      records_.copy_from(slot.index, record);
      return slot.index;
    }
    if (slot.tag == tag && std::memcmp(records_.at(slot.index), record, size) == 0)
      return slot.index;
  }
}

int32_t RecordIndex::find(const std::byte* record) const {
  if (slots_.empty()) return -1;
  const size_t size = records_.record_size(), mask = slots_.size() - 1;
  const uint64_t hash = hash_record(record, size);
  const auto tag = static_cast<uint32_t>(hash >> 32);
  for (size_t at = hash & mask;; at = (at + 1) & mask) {
    const Slot& slot = slots_[at];
    if (slot.index < 0) return -1;
    if (slot.tag == tag && std::memcmp(records_.at(slot.index), record, size) == 0)
      return slot.index;
  }
}

void RecordIndex::clear() {
  std::fill(slots_.begin(), slots_.end(), Slot{0, -1});
  count_ = 0;
}

void RecordIndex::grow() {
  slots_.assign(std::max<size_t>(1024, 4 * slots_.size()), Slot{0, -1});
  const size_t mask = slots_.size() - 1;
  for (size_t i = 0; i < count_; ++i) {
    const uint64_t hash = hash_record(records_.at(i), records_.record_size());
    size_t at = hash & mask;
    while (slots_[at].index >= 0) at = (at + 1) & mask;
    slots_[at] = {static_cast<uint32_t>(hash >> 32), static_cast<int32_t>(i)};
  }
}

// Results of every action and outcome: lane (action * outcomes + outcome) * count + state.
struct StateGraph::Block {
  explicit Block(const Pomdp& model) : buffers(model, 0) {}
  StepBuffers buffers;
  std::vector<int> action;
  std::vector<uint64_t> ids;
};

StateGraph::StateGraph(const Pomdp& model, StateGraphOptions options)
    : model_(model), options_(std::move(options)), index_(model.state_size()) {}

void StateGraph::step_block(size_t begin, size_t count, RngKey key, const Stop& stop,
                            Block& block) const {
  const size_t outcomes = options_.outcomes, lanes = options_.actions.size() * outcomes;
  const StepResults all = block.buffers.results(lanes * count);
  block.action.resize(count);
  for (size_t lane = 0; lane < lanes; ++lane) {
    if (asked_to_stop(stop)) return;
    std::fill(block.action.begin(), block.action.end(), options_.actions[lane / outcomes]);
    model_.step(states().sub(begin, count), block.action, Streams{key.fold(lane), begin},
                all.sub(lane * count, count));
  }
}

void StateGraph::take_block(size_t begin, size_t count, const Block& block) {
  const size_t outcomes = options_.outcomes, size = model_.state_size();
  const double discount = model_.facts().discount;
  for (size_t i = 0; i < count; ++i) {
    float idle = -HUGE_VALF;
    int idle_action = -1;
    for (size_t a = 0; a < options_.actions.size(); ++a) {
      const size_t first = edges_.size();
      bool stays = true;
      double reward = 0;
      for (size_t k = 0; k < outcomes; ++k) {
        const size_t lane = (a * outcomes + k) * count + i;
        const std::byte* next = block.buffers.next.at(lane);
        const float r = block.buffers.reward[lane];
        reward += r;
        if (block.buffers.ended[lane]) {
          stays = false;
          edges_.push_back({-1, r});
          continue;
        }
        // The records may move while they grow: compare before adding.
        const bool same = std::memcmp(next, index_.records().at(begin + i), size) == 0;
        stays = stays && same;
        edges_.push_back({same ? static_cast<int32_t>(begin + i) : index_.insert(next), r});
      }
      if (!stays) {
        group_action_.push_back(options_.actions[a]);
        continue;
      }
      edges_.resize(first);
      const auto earned = static_cast<float>(reward / outcomes / (1 - discount));
      if (earned > idle) idle = earned, idle_action = options_.actions[a];
    }
    idle_.push_back(idle);
    idle_action_.push_back(idle_action);
    first_edge_.push_back(edges_.size());
  }
}

void StateGraph::expand(ConstRecords roots, RngKey key, ThreadPool* pool, const Stop& stop) {
  index_.clear();
  edges_.clear();
  group_action_.clear();
  idle_.clear();
  idle_action_.clear();
  first_edge_.assign(1, 0);
  std::vector<uint8_t> ended(roots.count);
  model_.is_terminal(roots, ended);
  for (size_t i = 0; i < roots.count; ++i)
    if (!ended[i]) index_.insert(roots.at(i));
  layer_start_ = {0, index_.size()};

  constexpr size_t kBlock = 256, kBlocks = 32;
  std::vector<Block> blocks(pool ? kBlocks : 1, Block(model_));
  for (int depth = 0; depth < options_.max_depth; ++depth) {
    const size_t end = layer_start_.back();
    while (num_expanded() < end && num_states() < options_.max_states) {
      const size_t begin = num_expanded();
      const size_t count = std::min(end - begin, kBlock * blocks.size());
      auto run = [&](size_t b, size_t from, size_t to) {
        step_block(begin + from, to - from, key, stop, blocks[b]);
      };
      if (pool)
        pool->for_chunks(count, kBlock, run);
      else
        run(0, 0, count);
      if (asked_to_stop(stop)) return;  // some of the blocks may not be whole
      for (size_t b = 0; b * kBlock < count; ++b)
        take_block(begin + b * kBlock, std::min(kBlock, count - b * kBlock), blocks[b]);
    }
    if (num_expanded() < end || num_states() == end) break;
    layer_start_.push_back(num_states());
  }
}

double StateGraph::best_q(size_t state, size_t* best_group) const {
  const double discount = model_.facts().discount;
  const size_t outcomes = options_.outcomes;
  double best = idle_[state];
  for (size_t e = first_edge_[state]; e < first_edge_[state + 1]; e += outcomes) {
    double q = 0;
    for (size_t k = 0; k < outcomes; ++k) {
      const Edge& edge = edges_[e + k];
      q += edge.reward + (edge.next >= 0 ? discount * values_[edge.next] : 0.0);
    }
    q /= static_cast<double>(outcomes);
    if (q > best) {
      best = q;
      if (best_group) *best_group = e / outcomes;
    }
  }
  return best;
}

StateGraph::Choice StateGraph::best(size_t state) const {
  size_t group = group_action_.size();
  best_q(state, &group);
  if (group == group_action_.size()) return {idle_action_[state], static_cast<int32_t>(state)};
  return {group_action_[group], edges_[group * options_.outcomes].next};
}

bool StateGraph::solve(std::span<const double> fringe, double tolerance, int max_sweeps,
                       const Stop& asked) {
  PacedStop stop(asked, 2048);
  const Facts& facts = model_.facts();
  const double least = std::min(0.0, facts.min_reward) / (1 - facts.discount);
  const size_t expanded = num_expanded();
  values_.resize(num_states());
  for (size_t s = 0; s < expanded; ++s) values_[s] = std::max<double>(least, idle_[s]);
  std::copy(fringe.begin(), fringe.end(), values_.begin() + expanded);
  // Values flow back from the fringe, then forth along detours.
  for (int sweep = 0; sweep < max_sweeps; ++sweep) {
    double change = 0;
    for (size_t i = 0; i < expanded; ++i) {
      const size_t s = sweep % 2 ? i : expanded - 1 - i;
      const double q = best_q(s, nullptr);
      change = std::max(change, std::abs(q - values_[s]));
      values_[s] = q;
      if (stop.after(1)) return false;
    }
    if (change <= tolerance) break;
  }
  return true;
}

}  // namespace penumbra
