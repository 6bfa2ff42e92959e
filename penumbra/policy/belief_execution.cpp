#include "penumbra/policy/belief_execution.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>

#include "penumbra/base/moments.h"
#include "penumbra/nn/value_bank.h"
#include "penumbra/policy/rollouts.h"

namespace penumbra {
namespace {

constexpr size_t kHeader = 8;      // a lane's memory: its node, then its particles
constexpr double kCutShare = 0.1;  // of the reward range: what rollouts may leave out

int32_t node_of(const std::byte* memory) {
  int32_t node;
  std::memcpy(&node, memory, sizeof node);
  return node;
}
void set_node(std::byte* memory, int32_t node) {
  std::memcpy(memory, &node, sizeof node);
}

}  // namespace

BeliefExecution::BeliefExecution(const Pomdp& model, Fnc controller,
                                 const BeliefExecutionOptions& options)
    : model_(model),
      controller_(std::move(controller)),
      options_(options),
      filter_(model, {.num_particles = options.particles}) {
  const Facts& facts = model.facts();
  check_fsc(controller_.fsc, facts);
  depth_ = horizon_for(facts, kCutShare * (facts.max_reward - facts.min_reward + 1e-9));
  if (!controller_.networks) return;
  node_of_.assign(controller_.networks->size(), -1);
  for (size_t n = 0; n < controller_.alpha.size(); ++n)
    if (controller_.alpha[n] >= 0) node_of_[controller_.alpha[n]] = static_cast<int>(n);
}

std::string BeliefExecution::describe() const {
  return "controller of " + std::to_string(controller_.fsc.num_nodes()) + " nodes with " +
         std::to_string(options_.particles) + " particles";
}

size_t BeliefExecution::memory_size() const {
  return (kHeader + options_.particles * model_.state_size() + 7) / 8 * 8;
}

void BeliefExecution::start(Streams streams, Records memory) const {
  for (size_t i = 0; i < memory.count; ++i) {
    set_node(memory.at(i), controller_.fsc.start);
    const Records states{memory.at(i) + kHeader, model_.state_size(),
                         static_cast<size_t>(options_.particles)};
    model_.sample_initial({streams.key.fold("belief start").fold(streams.id(i))}, states);
  }
}

void BeliefExecution::act(Records memory, Streams, Records action) const {
  for (size_t i = 0; i < memory.count; ++i)
    action.as<int>(i) = controller_.fsc.action[node_of(memory.at(i))];
}

void BeliefExecution::observe(Records memory, ConstRecords action, ConstRecords seen,
                              Streams streams) const {
  const size_t size = model_.state_size(), count = options_.particles;
  for (size_t i = 0; i < memory.count; ++i) {
    const RngKey key = streams.key.fold("belief").fold(streams.id(i));
    std::byte* own = memory.at(i) + kHeader;
    Particles belief(size, count);
    std::memcpy(belief.states.view().data, own, count * size);
    filter_.update(belief, action.at(i), seen.at(i), key.fold("filter"));
    belief = resample(belief, count, key.fold("resample"));
    std::memcpy(own, belief.states.view().data, count * size);
    const int last = node_of(memory.at(i)), node = controller_.fsc.next(last, index_of(seen, i));
    const std::vector<int> nodes = candidates(node, last, belief.states, key);
    set_node(memory.at(i), best_node(nodes, belief.states, key.fold("compare")));
  }
}

// The controller's own choice first.
std::vector<int> BeliefExecution::candidates(int node, int last, ConstRecords belief,
                                             RngKey key) const {
  const Fsc& fsc = controller_.fsc;
  std::vector<int> nodes{node};
  auto add = [&](int candidate) {
    if (candidate >= 0 && std::find(nodes.begin(), nodes.end(), candidate) == nodes.end())
      nodes.push_back(candidate);
  };
  if (!node_of_.empty()) {
    FeatureBatch batch(model_.features(), static_cast<int>(belief.count));
    model_.encode(belief, batch, 0);
    const std::vector<int32_t> group(belief.count, 0);
    std::vector<double> sum(node_of_.size());
    controller_.networks->predict_sums(batch, {group, 1, {}}, sum);
    std::vector<int> order(sum.size());
    std::iota(order.begin(), order.end(), 0);
    std::erase_if(order, [&](int f) { return node_of_[f] < 0; });
    const auto top = std::min<size_t>(options_.by_value, order.size());
    std::partial_sort(order.begin(), order.begin() + static_cast<long>(top), order.end(),
                      [&](int a, int b) { return sum[a] != sum[b] ? sum[a] > sum[b] : a < b; });
    for (size_t k = 0; k < top; ++k) add(node_of_[order[k]]);
  }
  Rng rng(key.fold("siblings"), 0);
  const int first = static_cast<int>(rng.below(fsc.num_observations));
  const size_t most = nodes.size() + options_.siblings;
  for (int o = 0; o < fsc.num_observations && nodes.size() < most; ++o)
    add(fsc.next(last, (first + o) % fsc.num_observations));
  return nodes;
}

int BeliefExecution::best_node(const std::vector<int>& nodes, ConstRecords belief,
                               RngKey key) const {
  if (nodes.size() == 1) return nodes[0];
  const size_t n = belief.count;
  RecordBuffer states(model_.state_size());
  std::vector<int> node;
  std::vector<uint64_t> id;
  for (int candidate : nodes) {
    states.append(belief);
    node.insert(node.end(), n, candidate);
    for (size_t i = 0; i < n; ++i) id.push_back(i);
  }
  std::vector<float> returns(node.size());
  Rollouts(model_, depth_).run(controller_.fsc, states, node, id, key, returns);
  int best = nodes[0];
  double most = 0;
  for (size_t c = 1; c < nodes.size(); ++c) {
    Moments difference;
    for (size_t i = 0; i < n; ++i) difference.add(double(returns[c * n + i]) - returns[i]);
    const Estimate gain = difference.estimate();
    if (gain.mean <= options_.switch_z * gain.standard_error || gain.mean <= most) continue;
    most = gain.mean;
    best = nodes[c];
  }
  return best;
}

}  // namespace penumbra
