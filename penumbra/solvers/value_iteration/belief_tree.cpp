#include "penumbra/solvers/value_iteration/belief_tree.h"

#include <algorithm>
#include <cmath>

#include "penumbra/base/error.h"
#include "penumbra/model/record_set.h"

namespace penumbra::value_iteration {
namespace {

constexpr size_t kGrain = 2048;  // lanes of one simulator call

// One step of every state under the same action.
StepResults step_all(const Pomdp& model, ConstRecords states, int action, RngKey key,
                     StepBuffers& buffers, ThreadPool& pool) {
  const StepResults out = buffers.results(states.count);
  const std::vector<int> actions(states.count, action);
  pool.for_chunks(states.count, kGrain, [&](size_t, size_t begin, size_t end) {
    const size_t n = end - begin;
    model.step(states.sub(begin, n), std::span(actions).subspan(begin, n), {key, begin},
               out.sub(begin, n));
  });
  return out;
}

double mean_reward(const StepResults& out) {
  double sum = 0;
  for (float r : out.reward) sum += r;
  return sum / static_cast<double>(out.reward.size());
}

// Continuous states: few particles would carry all the weight after some steps.
Particles refreshed(Particles belief, const TreeOptions& o, RngKey key) {
  const double half = 0.5 * o.num_particles;
  if (static_cast<double>(belief.count()) <= half || belief.effective_size() >= half) return belief;
  return distinct(resample(belief, o.num_particles, key));
}

Successors successors_weighted(const Pomdp& model, const Particles& source, int action,
                               const TreeOptions& o, RngKey key, ThreadPool& pool) {
  Successors found;
  StepBuffers buffers(model, source.count());
  const StepResults out = step_all(model, source.states, action, key.fold("step"), buffers, pool);
  found.reward = mean_reward(out);
  found.steps = static_cast<double>(source.count());
  Particles next(model.state_size(), 0);
  for (size_t i = 0; i < source.count(); ++i)
    if (!out.ended[i]) next.states.push_back(out.next.at(i));
  if (next.count() == 0) return found;
  const double alive = static_cast<double>(next.count()) / static_cast<double>(source.count());
  next = distinct(next);

  const int num_seen = model.facts().num_observations;
  std::vector<Successor> all(num_seen);
  pool.for_chunks(num_seen, 1, [&](size_t, size_t seen_begin, size_t) {
    const int seen = static_cast<int>(seen_begin);
    Particles belief = next;
    model.likelihood(reinterpret_cast<const std::byte*>(&seen),
                     reinterpret_cast<const std::byte*>(&action), next.states, belief.weights);
    double total = 0;
    for (size_t i = 0; i < next.count(); ++i) total += belief.weights[i] *= next.weight(i);
    all[seen] = {seen, alive * total, {}};
    if (!(total > 0)) return;
    for (double& w : belief.weights) w /= total;
    all[seen].belief =
        refreshed(distinct(belief), o, key.fold("resample").fold(static_cast<uint64_t>(seen)));
  });
  for (Successor& s : all)
    if (s.probability > 0) found.beliefs.push_back(std::move(s));
  return found;
}

Successors successors_by_rejection(const Pomdp& model, const Particles& source, int action,
                                   const TreeOptions& o, RngKey key, ThreadPool& pool) {
  Successors found;
  const int num_seen = model.facts().num_observations;
  std::vector<RecordSet> states(num_seen, RecordSet(model.state_size()));
  std::vector<std::vector<double>> counts(num_seen);
  std::vector<double> totals(num_seen);
  StepBuffers buffers(model, source.count());
  int passes = 0;
  // All observations share the passes; the rare ones decide how many there are.
  for (bool enough = false; passes < o.max_tries && !enough; ++passes) {
    const StepResults out =
        step_all(model, source.states, action, key.fold("pass").fold(static_cast<uint64_t>(passes)),
                 buffers, pool);
    if (passes == 0) found.reward = mean_reward(out);
    for (size_t i = 0; i < source.count(); ++i) {
      if (out.ended[i]) continue;
      const int seen = index_of(out.seen, i);
      const int state = states[seen].insert(out.next.at(i));
      counts[seen].resize(states[seen].count(), 0);
      counts[seen][state] += 1;
      totals[seen] += 1;
    }
    enough = std::all_of(totals.begin(), totals.end(),
                         [&](double t) { return t == 0 || t >= 0.5 * o.num_particles; });
  }
  found.steps = static_cast<double>(passes) * static_cast<double>(source.count());
  for (int seen = 0; seen < num_seen; ++seen) {
    if (totals[seen] == 0) continue;
    Particles belief;
    belief.states = states[seen].take();
    belief.weights = std::move(counts[seen]);
    for (double& w : belief.weights) w /= totals[seen];
    if (totals[seen] < 0.5 * o.num_particles && model.has(Capability::kPerturb)) {
      const RngKey own = key.fold("top up").fold(static_cast<uint64_t>(seen));
      belief = resample(belief, o.num_particles, own);
      model.perturb(belief.states, {own.fold("perturb")}, belief.states);
      belief = distinct(belief);
    }
    found.beliefs.push_back(
        {seen, totals[seen] / found.steps, refreshed(std::move(belief), o, key.fold("resample"))});
  }
  return found;
}

}  // namespace

Particles distinct(const Particles& belief) {
  RecordSet set(belief.states.record_size(), belief.count());
  Particles out;
  for (size_t i = 0; i < belief.count(); ++i) {
    if (!(belief.weight(i) > 0)) continue;
    const int state = set.insert(belief.states.at(i));
    out.weights.resize(set.count(), 0);
    out.weights[state] += belief.weight(i);
  }
  out.states = set.take();
  return out;
}

Successors successors(const Pomdp& model, const Particles& belief, int action, const TreeOptions& o,
                      RngKey key, ThreadPool& pool) {
  const Particles source = resample(belief, o.num_particles, key.fold("source"));
  const bool weighted = o.use_likelihood && model.has(Capability::kLikelihood);
  return weighted ? successors_weighted(model, source, action, o, key, pool)
                  : successors_by_rejection(model, source, action, o, key, pool);
}

BeliefTree::BeliefTree(const Pomdp& model, const MdpValue& mdp, const TreeOptions& options,
                       RngKey key, ThreadPool& pool, Work& work)
    : model_(model), mdp_(mdp), options_(options), key_(key), pool_(pool), work_(work) {
  Particles initial(model.state_size(), options.num_particles);
  model.sample_initial({key.fold("initial")}, initial.states);
  add(distinct(initial));
}

int BeliefTree::add(Particles belief) {
  const int number = size();
  Node& node = nodes_.emplace_back();
  const Facts& facts = model_.facts();
  node.belief = std::move(belief);
  node.lower = least_value(facts);
  node.reward.resize(facts.num_actions);
  node.q_upper.resize(facts.num_actions);
  node.edges.resize(facts.num_actions);
  node.expanded.resize(facts.num_actions, 0);
  start_bounds(node, key_.fold("bounds").fold(static_cast<uint64_t>(number)));
  work_.simulator_steps += static_cast<double>(options_.bound_particles) * facts.num_actions;
  return number;
}

// Q_mdp(b, a) = mean over particles of r + discount * V_mdp(s'); upper = its maximum.
void BeliefTree::start_bounds(Node& node, RngKey key) const {
  const size_t n = options_.bound_particles;
  const Particles draws = resample(node.belief, n, key.fold("draws"));
  const RngKey step_key = key.fold("step");  // common random numbers for all actions
  pool_.for_chunks(model_.facts().num_actions, 1, [&](size_t, size_t action, size_t) {
    StepBuffers buffers(model_, n);
    const StepResults out = buffers.results(n);
    const std::vector<int> actions(n, static_cast<int>(action));
    std::vector<double> value(n);
    model_.step(draws.states, actions, {step_key}, out);
    mdp_.value(out.next, value);
    double future = 0;
    for (size_t i = 0; i < n; ++i)
      if (!out.ended[i]) future += value[i];
    node.reward[action] = mean_reward(out);
    node.q_upper[action] = node.reward[action] + discount() * future / static_cast<double>(n);
  });
  node.upper = *std::max_element(node.q_upper.begin(), node.q_upper.end());
}

void BeliefTree::expand(int node, int action) {
  if (nodes_[node].expanded[action]) return;
  const RngKey key = key_.fold("expand").fold(static_cast<uint64_t>(node));
  Successors found = successors(model_, nodes_[node].belief, action, options_,
                                key.fold(static_cast<uint64_t>(action)), pool_);
  work_.simulator_steps += found.steps;
  nodes_[node].expanded[action] = 1;
  nodes_[node].reward[action] = found.reward;
  for (Successor& s : found.beliefs)
    nodes_[node].edges[action].push_back({s.seen, add(std::move(s.belief)), s.probability});
}

void BeliefTree::backup_upper(int number) {
  Node& node = nodes_[number];
  for (size_t a = 0; a < node.edges.size(); ++a) {
    if (!node.expanded[a]) continue;
    double future = 0;
    for (const Edge& e : node.edges[a]) future += e.probability * nodes_[e.child].upper;
    node.q_upper[a] = std::min(node.q_upper[a], node.reward[a] + discount() * future);
  }
  node.upper = std::min(node.upper, *std::max_element(node.q_upper.begin(), node.q_upper.end()));
}

void BeliefTree::update_lower(int number, const NodeValues& values) {
  Node& node = nodes_[number];
  if (node.known == values.count()) return;
  const size_t most = options_.bound_particles;
  const RngKey key = key_.fold("lower").fold(static_cast<uint64_t>(number));
  const Particles sample =
      node.belief.count() <= most ? node.belief : resample(node.belief, most, key);
  const BestNode best = values.best(sample, node.known, key.fold("value"));
  if (best.value > node.lower || node.best < 0) node.best = best.node;
  node.lower = std::max(node.lower, best.value);
  node.known = values.count();
}

}  // namespace penumbra::value_iteration
