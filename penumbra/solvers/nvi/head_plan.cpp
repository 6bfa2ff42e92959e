#include "penumbra/solvers/nvi/head_plan.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace penumbra::nvi {
namespace {

constexpr int kWalks = 4;            // per round
constexpr double kLeastRise = 2e-3;  // share of the gap to V_mdp that a node must gain at first
constexpr double kGain = 2e-3;       // share of that gap that counts as one
constexpr uint64_t kLeastBackups = 1000, kEnough = 4;  // times the backups of the last gain
constexpr uint64_t kPatience = 10;  // rounds after which that is halved, unless they gain more

// The functions of an action that is repeated for ever, per category: by iteration on the samples.
std::vector<float> value_of_repeating(const SampleModel& samples, float worst, int action,
                                      int most_sweeps) {
  const int width = samples.width();
  const int categories = samples.num_categories();
  std::vector<float> weights(size_t(categories) * width, 0.0f);
  std::vector<char> changed(categories, 1);  // in the last sweep
  // Whether anything that a category's values are made of has changed.
  auto is_due = [&](int c) {
    for (int m = 0; m < samples.samples(c); ++m)
      if (const int next = samples.next(action, c, m).category; next >= 0 && changed[next])
        return true;
    return false;
  };
  for (int sweep = 0; sweep < most_sweeps; ++sweep) {
    float change = 0;
    std::vector<float> updated(weights.size());
    for (int c = 0; c < categories; ++c) {
      const int n = samples.samples(c);
      if (sweep > 0 && !is_due(c)) {
        std::copy_n(weights.begin() + long(c) * width, width, updated.begin() + long(c) * width);
        continue;
      }
      const std::span<const float> fit = samples.fit(c);
      for (int m = 0; m < n; ++m) {
        const SampleModel::Next next = samples.next(action, c, m);
        float y = next.reward;
        if (next.category == SampleModel::kUnknown) y += samples.discount() * worst;
        if (next.category >= 0) {
          const std::span<const float> u = samples.next_u(next);
          for (int d = 0; d < width; ++d)
            y += samples.discount() * weights[size_t(next.category) * width + d] * u[d];
        }
        if (y == 0) continue;
        for (int d = 0; d < width; ++d)
          updated[size_t(c) * width + d] += fit[size_t(d) * n + m] * y;
      }
    }
    std::fill(changed.begin(), changed.end(), 0);
    for (size_t i = 0; i < weights.size(); ++i) {
      change = std::max(change, std::abs(updated[i] - weights[i]));
      if (updated[i] != weights[i]) changed[i / width] = 1;
    }
    weights = std::move(updated);
    if (change < 1e-3f) break;
  }
  return weights;
}

}  // namespace

HeadPlan::HeadPlan(const Pomdp& model, const HeadPlanOptions& options, const MdpValue& values,
                   RngKey key, ThreadPool& pool, const Stop& stop)
    : model_(model),
      options_(options),
      values_(values),
      key_(key),
      pool_(pool),
      samples_(model, options.samples, key.fold("samples"), pool, stop),
      heads_(samples_, static_cast<float>(least_value(model.facts()))) {
  constexpr size_t kStates = 8192;
  RecordBuffer states(model.state_size(), kStates);
  model.sample_initial({key.fold("start")}, states);
  start_ = samples_.moments(states, {});
  if (start_.parts.empty()) throw NoPlan(model.facts().name + ": no state to plan from");
  nodes_.num_observations = model.facts().num_observations;
  // One node per action that repeats it for ever.
  const int actions = samples_.num_actions(), width = samples_.width();
  std::vector<std::vector<float>> repeated(actions);
  pool.for_chunks(actions, 1, [&](size_t a, size_t, size_t) {
    throw_if_stopped(stop);
    repeated[a] = value_of_repeating(samples_, heads_.worst(), static_cast<int>(a), options_.depth);
  });
  for (int a = 0; a < actions; ++a) {
    const int node = nodes_.add_node(a);
    for (int c = 0; c < samples_.num_categories(); ++c)
      heads_.add(node, c, std::span<const float>(repeated[a]).subspan(size_t(c) * width, width));
  }
  last_claim_ = claim();
  std::vector<double> known(kStates);
  values.value(states, known);
  double upper = 0;
  for (double v : known) upper += v / kStates;
  const double range = model.facts().max_reward - model.facts().min_reward;
  const double gap = std::clamp(upper - last_claim_, 1e-3, range + 1e-3);
  least_rise_ = static_cast<float>(kLeastRise * gap);
  gain_ = kGain * gap;
}

bool HeadPlan::run(const Stop& stop) {
  const HeadWalkContext context{model_, values_,         samples_,       heads_,
                                nodes_, options_.belief, options_.depth, least_rise_};
  std::vector<HeadWalk> walks(kWalks);
  pool_.for_chunks(kWalks, 1, [&](size_t i, size_t, size_t) {
    walks[i] = walk_heads(context, key_.fold(round_).fold(i), stop);
  });
  for (const HeadWalk& walk : walks)
    if (walk.stopped) return false;
  ++round_;
  const int before = nodes_.num_nodes();
  for (HeadWalk& walk : walks) {
    backups_ += walk.backups;
    steps_ += walk.steps;
    for (int n : walk.used) heads_.use(n, round_);
    const int shift = nodes_.num_nodes() - before;
    auto renamed = [&](int node) { return node < before ? node : node + shift; };
    for (const HeadWalk::Draft& draft : walk.drafts) {
      const int node = nodes_.add_node(draft.action);
      for (int o = 0; o < nodes_.num_observations; ++o)
        nodes_.set_edge(node, o, renamed(draft.next[o]));
      for (const HeadWalk::Draft::Head& head : draft.heads)
        heads_.add(node, head.category, head.weights);
      heads_.use(node, round_);
    }
    for (const HeadWalk::Correction& c : walk.corrections)
      heads_.correct(renamed(c.node), c.category, c.difference, c.visits);
  }
  heads_.keep(options_.most_heads, samples_.num_actions());
  if (round_ % kPatience == 0) {
    const double reached = claim();
    if (reached - last_claim_ < least_rise_) least_rise_ /= 2;
    last_claim_ = reached;
  }
  return true;
}

double HeadPlan::claim() const {
  return heads_.best(start_).value;
}

std::vector<Fnc> HeadPlan::controllers() const {
  Fnc fnc;
  Fsc fsc = nodes_;
  fsc.start = heads_.best(start_).node;
  std::vector<int> number;
  fnc.fsc = minimised(fsc, &number);
  // Nodes that behave alike were made for beliefs of different categories: together they have one
  // function.
  std::vector<std::map<int64_t, std::vector<float>>> parts(fnc.fsc.num_nodes());
  for (size_t node = 0; node < number.size(); ++node)
    if (number[node] >= 0)
      for (nn::GatedBank::Part& part : heads_.parts(static_cast<int>(node)))
        parts[number[node]].emplace(part.category, std::move(part.weights));
  auto bank = std::make_shared<nn::GatedBank>(samples_.gate().layout(), heads_.worst());
  for (const auto& function : parts) {
    fnc.alpha.push_back(function.empty() ? -1 : bank->size());
    if (function.empty()) continue;
    std::vector<nn::GatedBank::Part> all;
    for (const auto& [category, weights] : function) all.push_back({category, weights});
    bank->add_function(all);
  }
  if (bank->size() > 0)
    fnc.networks = std::move(bank);
  else
    fnc.alpha.clear();
  return {std::move(fnc)};
}

void HeadPlan::judged(double value) {
  if (value > best_value_ + gain_) {
    best_value_ = value;
    best_at_ = backups_;
  }
  finished_ = backups_ >= kLeastBackups && backups_ >= kEnough * best_at_;
}

MakeFirstPlan first_plan(const Pomdp& model, const HeadPlanOptions& options) {
  return [&model, options](const MdpValue& values, double, RngKey key, ThreadPool& pool,
                           const Stop& stop) {
    return std::make_unique<HeadPlan>(model, options, values, key, pool, stop);
  };
}

}  // namespace penumbra::nvi
