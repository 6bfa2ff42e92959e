#include "penumbra/solvers/mcvi/race.h"

#include <algorithm>
#include <numeric>

namespace penumbra::mcvi {
namespace {

// One group's race.
struct Field {
  std::vector<size_t> rows;  // its states
  std::vector<int> node;     // still in the race, best first
  std::vector<double> sum;   // of returns on the rows so far
  size_t done = 0;           // rows

  void keep_best(size_t count) {
    std::vector<int> order(node.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return sum[a] > sum[b]; });
    if (order.size() > count) order.resize(count);
    std::vector<int> nodes;
    std::vector<double> sums;
    for (int i : order) {
      nodes.push_back(node[i]);
      sums.push_back(sum[i]);
    }
    node = std::move(nodes);
    sum = std::move(sums);
  }
};

void sort_unique(std::vector<int>& nodes) {
  std::sort(nodes.begin(), nodes.end());
  nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
}

}  // namespace

Race::Race(const Pomdp& model, const RaceOptions& options, RngKey key)
    : model_(model), options_(options), pool_states_(model.state_size()) {
  if (model.has(Capability::kFeatures))
    origins_.emplace(model, options.sketch_width, key.fold("sketch"));
}

std::vector<float> Race::origin(ConstRecords states) const {
  return origins_ ? origins_->sketch(states) : std::vector<float>();
}

controller::FittedNode Race::fit(const controller::TrainingSet& own, std::span<const float>, RngKey,
                                 ThreadPool*) const {
  return {{}, origin(own.states)};
}

void Race::insert(int node, const controller::FittedNode& fitted) {
  if (origins_) origins_->add(fitted.origin);
  node_.push_back(node);
}

std::unique_ptr<controller::Candidates> Race::fresh(RngKey key, ThreadPool& pool) const {
  auto made = std::make_unique<Race>(model_, options_, key);
  RecordBuffer states = pool_states_;
  made->set_pool(std::move(states), pool);
  return made;
}

void Race::hand_over(int old_node, int new_node) {
  // The newest entry of the old node: copies of copies leave the others behind.
  for (size_t i = node_.size(); i-- > 0;) {
    if (node_[i] != old_node) continue;
    node_[i] = new_node;
    return;
  }
}

void Race::renumber(std::span<const int> new_number) {
  std::vector<int> kept;
  for (size_t i = 0; i < node_.size(); ++i) {
    if (new_number[node_[i]] < 0) continue;
    node_[kept.size()] = new_number[node_[i]];
    kept.push_back(static_cast<int>(i));
  }
  node_.resize(kept.size());
  if (origins_) origins_->keep(kept);
}

std::vector<std::vector<int>> Race::entrants(const controller::CandidateQuery& query,
                                             std::vector<std::vector<int>>& recent) const {
  std::vector<std::vector<int>> out(query.num_groups);
  recent.assign(query.num_groups, {});
  std::vector<int> counts(query.num_groups, 0);
  for (int32_t g : query.group)
    if (g >= 0) ++counts[g];
  std::optional<controller::Origins::Nearness> near;
  if (origins_)
    near =
        origins_->nearness(controller::encode(model_, query.states), query.group, query.num_groups);
  std::vector<float> nearness(node_.size());
  std::vector<int> chosen;
  for (int g = 0; g < query.num_groups; ++g) {
    if (counts[g] == 0) continue;
    if (near) {
      near->to_all(g, nearness);
      controller::top(nearness, options_.by_similarity, chosen);
      for (int i : chosen) out[g].push_back(node_[i]);
    }
    Rng rng(query.key.fold("strangers"), g);
    const int random_nodes = options_.random_nodes + (near ? 0 : options_.by_similarity);
    for (int i = 0; i < random_nodes && !node_.empty(); ++i)
      out[g].push_back(node_[rng.below(static_cast<uint32_t>(node_.size()))]);
    std::vector<float> nearness_of_recent;
    for (size_t i = 0; i < query.recent.size(); ++i)
      nearness_of_recent.push_back(near ? near->to(g, query.recent[i].origin)
                                        : static_cast<float>(i));  // the latest
    controller::top(nearness_of_recent, options_.same_excursion, chosen);
    for (int i : chosen) recent[g].push_back(query.recent[i].node);
    sort_unique(out[g]);
  }
  return out;
}

void Race::find(const controller::CandidateQuery& query, std::vector<std::vector<int>>& out) const {
  std::vector<std::vector<int>> entering = entrants(query, out);
  std::vector<Field> fields(query.num_groups);
  for (size_t i = 0; i < query.group.size(); ++i)
    if (query.group[i] >= 0) fields[query.group[i]].rows.push_back(i);
  for (int g = 0; g < query.num_groups; ++g) {
    fields[g].node = std::move(entering[g]);
    fields[g].sum.assign(fields[g].node.size(), 0.0);
  }
  RolloutSet wanted(model_.state_size());
  std::vector<int> number;
  for (size_t heat = options_.first_particles;; heat *= 2) {
    // The same particles and random numbers for all nodes of a group.
    wanted.clear();
    number.clear();
    auto end_of = [&](const Field& f) { return std::min(f.rows.size(), f.done + heat); };
    auto runs = [&](const Field& f) { return f.node.size() > size_t(options_.winners); };
    for (const Field& f : fields)
      for (size_t r = f.done; runs(f) && r < end_of(f); ++r)
        for (int node : f.node)
          number.push_back(wanted.want(query.states.at(f.rows[r]), node, query.id[f.rows[r]]));
    if (number.empty()) break;
    wanted.run(query.rollouts, query.fsc, query.key);
    size_t at = 0;
    for (Field& f : fields) {
      if (!runs(f)) continue;
      const size_t end = end_of(f);
      for (; f.done < end; ++f.done)
        for (double& sum : f.sum) sum += wanted.value(number[at++]);
      f.keep_best(f.done == f.rows.size() ? options_.winners
                                          : std::max<size_t>(options_.winners, f.node.size() / 2));
    }
  }
  for (int g = 0; g < query.num_groups; ++g)
    out[g].insert(out[g].begin(), fields[g].node.begin(), fields[g].node.end());
}

}  // namespace penumbra::mcvi
