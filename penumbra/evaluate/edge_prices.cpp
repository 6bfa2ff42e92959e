#include "penumbra/evaluate/edge_prices.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "penumbra/base/moments.h"
#include "penumbra/policy/rollouts.h"

namespace penumbra {
namespace {

constexpr size_t kMostCandidates = 384;  // nodes that an edge may be led to
constexpr size_t kFewestCandidates = 32;
constexpr size_t kMostPairs = 1'000'000;  // of an edge and a node, in a round
constexpr double kDoubt = 1.0;  // standard errors that count against another node than its own

std::vector<Bundle> make_bundles(const Fsc& fsc, const Arrivals& arrivals) {
  std::vector<Bundle> bundles;
  std::vector<int> of_node(size_t(fsc.num_nodes()), -1);  // the bundle of its rare edges
  for (size_t e = 0; e < arrivals.num_edges(); ++e) {
    const ConstRecords states = arrivals.of(e);
    if (states.count == 0) continue;
    const int own = e < fsc.edges.size() ? fsc.edges[e] : fsc.start;
    int& rare = of_node[size_t(own)];
    const bool alone = states.count >= size_t(kStatesOfItsOwn) || e == fsc.edges.size();
    if (alone || rare < 0) {
      if (!alone) rare = int(bundles.size());
      bundles.push_back({{}, own, 0, RecordBuffer(states.size)});
    }
    Bundle& bundle = alone ? bundles.back() : bundles[size_t(rare)];
    bundle.edges.push_back(e);
    bundle.weight += arrivals.weight[e];
    bundle.states.append(states.sub(0, std::min(states.count, size_t(kMostStates))));
  }
  return bundles;
}

// What it costs to lead edges to other nodes.
class EdgePrices {
 public:
  EdgePrices(const Pomdp& model, const Fsc& fsc, const std::vector<Bundle>& bundles, RngKey key,
             int max_steps)
      : model_(model), fsc_(fsc), bundles_(bundles), key_(key), max_steps_(max_steps) {
    std::vector<double> weight(size_t(fsc.num_nodes()), 0.0);
    for (const Bundle& bundle : bundles) weight[size_t(bundle.own)] += bundle.weight;
    candidates_.resize(weight.size());
    std::iota(candidates_.begin(), candidates_.end(), 0);
    std::stable_sort(candidates_.begin(), candidates_.end(),
                     [&](int a, int b) { return weight[size_t(a)] > weight[size_t(b)]; });
    candidates_.resize(std::min(
        candidates_.size(),
        std::clamp(kMostPairs / (bundles.size() + 1), kFewestCandidates, kMostCandidates)));
    while (!candidates_.empty() && weight[size_t(candidates_.back())] == 0) candidates_.pop_back();
  }

  // Few states for all nodes, more for the better ones.
  EdgeClient client(size_t number) const {
    Rollouts rollouts(model_, max_steps_);
    const Bundle& bundle = bundles_[number];
    const size_t available = std::min(bundle.states.count(), size_t(kMostStates));
    EdgeClient client;
    for (size_t edge : bundle.edges)
      if (edge < fsc_.edges.size())
        client.from.push_back(int(edge / size_t(fsc_.num_observations)));
    std::vector<EdgeOption>& options = client.options;
    for (int node : nodes_for(bundle))
      if (node != bundle.own) options.push_back({node, 0});
    for (const auto& [states, share] : {std::pair<size_t, size_t>{8, 1}, {32, 4}, {256, 24}}) {
      const size_t last =
          std::max<size_t>(std::min<size_t>(options.size(), 8), options.size() / share);
      price(rollouts, number, std::min(states, available), std::span(options).first(last));
      std::stable_sort(options.begin(), options.begin() + long(last), cheaper);
      if (available <= states) break;
    }
    if (available < size_t(kStatesOfItsOwn))
      for (EdgeOption& option : options)
        option.cost = std::max(option.cost, std::numeric_limits<double>::min());
    std::stable_sort(options.begin(), options.end(), cheaper);
    const EdgeOption own{bundle.own, 0};
    options.insert(std::lower_bound(options.begin(), options.end(), own, cheaper), own);
    return client;
  }

 private:
  static bool cheaper(const EdgeOption& a, const EdgeOption& b) { return a.cost < b.cost; }

  // Those that are visited most, and those that follow the same node: beliefs there are alike.
  std::vector<int> nodes_for(const Bundle& bundle) const {
    std::vector<int> nodes = candidates_, siblings;
    if (bundle.edges.size() == 1 && bundle.edges[0] < fsc_.edges.size()) {
      const size_t row = bundle.edges[0] / size_t(fsc_.num_observations);
      for (int o = 0; o < fsc_.num_observations; ++o) siblings.push_back(fsc_.next(int(row), o));
    }
    std::sort(siblings.begin(), siblings.end());
    siblings.erase(std::unique(siblings.begin(), siblings.end()), siblings.end());
    for (int sibling : siblings)
      if (std::find(candidates_.begin(), candidates_.end(), sibling) == candidates_.end())
        nodes.push_back(sibling);
    return nodes;
  }

  void price(Rollouts& rollouts, size_t number, size_t n, std::span<EdgeOption> options) const {
    const Bundle& bundle = bundles_[number];
    // Spread over the states of a bundle: those of one edge lie together.
    RecordBuffer states(model_.state_size()), state(model_.state_size());
    for (size_t i = 0; i < n; ++i)
      states.push_back(bundle.states.at(i * bundle.states.count() / n));
    std::vector<int> node;
    std::vector<uint64_t> id;
    for (size_t k = 0; k <= options.size(); ++k) {
      state.append(states);
      node.insert(node.end(), n, k == 0 ? bundle.own : options[k - 1].node);
      for (size_t i = 0; i < n; ++i) id.push_back(number * size_t(kMostStates) + i);
    }
    std::vector<float> value(node.size());
    rollouts.run(fsc_, state, node, id, key_, value);
    for (size_t k = 0; k < options.size(); ++k) {
      Moments lost;
      for (size_t i = 0; i < n; ++i) lost.add(double(value[i]) - double(value[(k + 1) * n + i]));
      const Estimate e = lost.estimate();
      options[k].cost = bundle.weight * (e.mean + (n > 1 ? kDoubt * e.standard_error : 0));
    }
  }

  const Pomdp& model_;
  const Fsc& fsc_;
  const std::vector<Bundle>& bundles_;
  RngKey key_;
  int max_steps_;
  std::vector<int> candidates_;
};

}  // namespace

Clients price_edges(const Pomdp& model, const Fsc& fsc, const Arrivals& arrivals, RngKey key,
                    int max_steps, ThreadPool& pool) {
  Clients out;
  out.bundle = make_bundles(fsc, arrivals);
  out.client.resize(out.bundle.size());
  const EdgePrices prices(model, fsc, out.bundle, key, max_steps);
  pool.for_chunks(out.bundle.size(), 1,
                  [&](size_t i, size_t, size_t) { out.client[i] = prices.client(i); });
  return out;
}

}  // namespace penumbra
