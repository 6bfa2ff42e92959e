#include <algorithm>
#include <cmath>
#include <map>

#include "penumbra/base/error.h"
#include "penumbra/model/model_checker.h"

namespace penumbra::model_check {

// Non-negative, positive for what was emitted, and over a finite set a distribution.
void Checker::check_likelihood_range() {
  kind_ = "likelihood";
  double p = 0;
  for (size_t i = 0; i < w_.count(); ++i) {
    const std::byte* action = actions_.at(w_.action[i]);
    model_.likelihood(w_.seen.at(i), action, w_.next.sub(i, 1), {&p, 1});
    if (!(p > 0) || !std::isfinite(p))
      problem("{} of {}, which {} emitted in {}", p, model_.describe_seen(w_.seen.at(i)),
              action_text(w_.action[i]), state_text(w_.next.at(i)));
    if (!finite_seen()) continue;
    double sum = 0;
    for (int seen = 0; seen < model_.facts().num_observations; ++seen) {
      model_.likelihood(reinterpret_cast<const std::byte*>(&seen), action, w_.next.sub(i, 1),
                        {&p, 1});
      if (!(p >= 0)) problem("{} is not a probability", p);
      sum += p;
    }
    if (!(std::abs(sum - 1) <= 1e-6))
      problem("sums to {} over the observations in {}", sum, state_text(w_.next.at(i)));
  }
}

void Checker::check_finite_likelihood(const Probe& p) {
  kind_ = "likelihood against simulation";
  std::vector<double> each(p.count());
  for (int seen = 0; seen < model_.facts().num_observations; ++seen) {
    model_.likelihood(reinterpret_cast<const std::byte*>(&seen), actions_.at(p.action), p.next,
                      each);
    double expected = 0, variance = 0, observed = 0;
    for (size_t i = 0; i < p.count(); ++i) {
      expected += each[i];
      variance += each[i] * (1 - each[i]);
      observed += index_of(p.seen, i) == seen;
    }
    if (!near(observed, expected, variance))
      problem("{} seen {} times of {}, {:.1f} expected, after {} in {}",
              model_.facts().observation_name(seen), observed, p.count(), expected,
              action_text(p.action), state_text(p.state.at(0)));
  }
}

// A scalar density: integrates to 1, and the observations follow it (Kolmogorov-Smirnov).
void Checker::check_density(const Probe& p) {
  kind_ = "density";
  std::vector<float> seen;  // emitted by the same next state
  for (size_t i = 0; i < p.count(); ++i)
    if (std::memcmp(p.next.at(i), p.next.at(0), model_.state_size()) == 0)
      seen.push_back(p.seen.as<float>(i));
  if (seen.size() < 100) return;
  std::sort(seen.begin(), seen.end());
  const double spread = std::max<double>(seen.back() - seen.front(), 1e-6);
  constexpr int kSteps = 20'000;
  const double low = seen.front() - spread, step = 3 * spread / kSteps;
  auto density = [&](double x) {
    const auto o = static_cast<float>(x);
    double value = 0;
    model_.likelihood(reinterpret_cast<const std::byte*>(&o), actions_.at(p.action),
                      p.next.sub(0, 1), {&value, 1});
    return value;
  };
  double mass = 0, worst = 0, before = density(low);
  size_t below = 0;
  for (int i = 1; i <= kSteps; ++i) {
    const double x = low + i * step, here = density(x);
    mass += 0.5 * step * (before + here);
    before = here;
    while (below < seen.size() && seen[below] <= x) ++below;
    worst = std::max(worst, std::abs(mass - static_cast<double>(below) / seen.size()));
  }
  if (!(std::abs(mass - 1) < 2e-3))
    problem("integrates to {:.5f} in {}", mass, state_text(p.next.at(0)));
  // P(D sqrt(n) > 3) is below 1e-7; the step of the integral adds a little.
  if (!(worst * std::sqrt(double(seen.size())) < 3.2))
    problem("the observations are {:.4f} away from it in {}", worst, state_text(p.next.at(0)));
}

// Every observation at its own next state: u = P(O <= o) must be uniform, where a value of positive
// probability stands for the interval that it jumps over.
void Checker::check_cumulative(const Probe& p, int coordinate) {
  kind_ = "cumulative";
  std::vector<double> u(p.count());
  Rng rng(root_.fold("cumulative"), static_cast<uint64_t>(coordinate));
  for (size_t i = 0; i < p.count(); ++i) {
    const float seen = reinterpret_cast<const float*>(p.seen.at(i))[coordinate];
    auto cumulative = [&](float bound, double& out) {
      model_.cumulative(bound, coordinate, actions_.at(p.action), p.next.sub(i, 1), {&out, 1});
      if (!(out >= 0 && out <= 1)) problem("{} is not a probability", out);
    };
    double below = 0;
    cumulative(seen, u[i]);
    cumulative(std::nextafter(seen, -1e30f), below);
    u[i] = rng.uniform(below, u[i]);
  }
  std::sort(u.begin(), u.end());
  double worst = 0;
  for (size_t i = 0; i < u.size(); ++i)
    worst = std::max(worst, std::abs(u[i] - (i + 0.5) / u.size()));
  if (!(worst * std::sqrt(double(u.size())) < 3.2))
    problem("the observations after {} in {} are {:.4f} away from it", action_text(p.action),
            state_text(p.state.at(0)), worst);
  double bounds[2] = {0, 0};
  model_.cumulative(-1e30f, coordinate, actions_.at(p.action), p.next.sub(0, 1), {&bounds[0], 1});
  model_.cumulative(1e30f, coordinate, actions_.at(p.action), p.next.sub(0, 1), {&bounds[1], 1});
  if (!(bounds[0] < 1e-9 && bounds[1] > 1 - 1e-9))
    problem("goes from {} to {}", bounds[0], bounds[1]);
}

void Checker::check_mdp_value() {
  if (!has(Capability::kMdpValue)) return;
  kind_ = "MDP value";
  const double gamma = model_.facts().discount;
  std::vector<double> later(o_.num_bellman_sims);
  for (int k = 0; k < o_.num_bellman && w_.count() > 0; ++k) {
    const RngKey key = root_.fold("bellman").fold(k);
    Rng rng(key.fold("choice"), 0);
    const size_t at = rng.below(uint32_t(w_.count()));
    const int action = static_cast<int>(rng.below(uint32_t(actions_.count())));
    const Probe p = probe(w_.state.sub(at, 1), action, o_.num_bellman_sims, key);
    double value = 0, sum = 0, squares = 0;
    model_.mdp_value(p.state.sub(0, 1), {&value, 1});
    model_.mdp_value(p.next, later);
    for (size_t i = 0; i < p.count(); ++i) {
      if (p.ended[i] && !(later[i] >= 0)) problem("{} of a terminal state", later[i]);
      const double q = p.reward[i] + (p.ended[i] ? 0 : gamma * later[i]);
      sum += q;
      squares += q * q;
    }
    const double n = static_cast<double>(p.count()), mean = sum / n;
    const double error = std::sqrt(std::max(0.0, squares / n - mean * mean) / n);
    if (!std::isfinite(value) || !std::isfinite(mean))
      problem("{} of {}", value, state_text(p.state.at(0)));
    if (mean - kSigmas * error > value + 1e-4 * (1 + std::abs(value)))
      problem("{:.5f} of {}, but {} is worth {:.5f} +- {:.5f}", value, state_text(p.state.at(0)),
              action_text(action), mean, error);
  }
}

// A model may emit the observation alone (when what is visible can be told anyway) or the pair.
int Checker::seen_index(const Tabular& t, int state, int observation) const {
  if (t.visible.empty() || model_.facts().num_observations == t.num_observations)
    return observation;
  return t.visible[state] * t.num_observations + observation;
}

void Checker::check_table_start(const Tabular& t) {
  kind_ = "table: start";
  RecordBuffer start(model_.state_size(), o_.num_sims);
  std::vector<int> index(o_.num_sims);
  model_.sample_initial({root_.fold("table start")}, start);
  model_.state_index(start, index);
  std::map<int, int> count;
  for (int i : index) ++count[i];
  for (int s = 0; s < t.num_states; ++s) {
    const double expected = t.start[s] * o_.num_sims;
    const int observed = count.contains(s) ? count[s] : 0;
    if (!near(observed, expected, expected * (1 - t.start[s])))
      problem("state {} drawn {} times of {}, {:.1f} expected", s, observed, o_.num_sims, expected);
  }
}

void Checker::check_table_probe(const Tabular& t, const Probe& p) {
  kind_ = "table: transition";
  int from = 0;
  std::vector<int> to(p.count());
  model_.state_index(p.state.sub(0, 1), {&from, 1});
  model_.state_index(p.next, to);
  std::map<int, double> observed, expected;
  for (int s : to) ++observed[s];
  for (const auto& e : t.transition[p.action].row(from)) {
    expected[e.column] += e.value;
    observed[e.column] += 0;
  }
  for (auto [s, count] : observed)
    if (!near(count, expected[s] * p.count(), expected[s] * (1 - expected[s]) * p.count()))
      problem("{} leads from {} to {} {} times of {}, probability {}", action_text(p.action), from,
              s, count, p.count(), expected[s]);
  kind_ = "table: observation";
  std::map<int, std::pair<double, double>> moments;  // expectation and variance of the count
  std::map<int, double> seen;
  for (size_t i = 0; i < p.count(); ++i) {
    ++seen[index_of(p.seen, i)];
    for (const auto& e : t.observation[p.action].row(to[i])) {
      const int o = seen_index(t, to[i], e.column);
      moments[o].first += e.value;
      moments[o].second += e.value * (1 - e.value);
      seen[o] += 0;
    }
  }
  for (auto [o, count] : seen)
    if (!near(count, moments[o].first, moments[o].second))
      problem("{} emits {} {} times, {:.1f} expected", action_text(p.action), o, count,
              moments[o].first);
  kind_ = "table: reward";
  double sum = 0, squares = 0;
  for (float r : p.reward) {
    sum += r;
    squares += double(r) * r;
  }
  const double n = static_cast<double>(p.count()), mean = sum / n;
  const double error = std::sqrt(std::max(0.0, squares / n - mean * mean) / n);
  const double stated = t.reward[p.action][from];
  if (!(std::abs(mean - stated) <= kSigmas * error + 1e-4 * (1 + std::abs(stated))))
    problem("{} in state {} pays {} on average, {} stated", action_text(p.action), from, mean,
            stated);
}

void Checker::check_table() {
  if (!has(Capability::kTable)) return;
  kind_ = "table";
  const Tabular t = model_.table();
  const Facts& f = model_.facts();
  if (t.num_actions != f.num_actions || t.discount != f.discount ||
      (t.num_observations != f.num_observations && num_seen(t) != f.num_observations)) {
    problem("its actions, observations or discount are not those of the facts");
    return;
  }
  try {
    check_tabular(t);
  } catch (const Error& e) {
    problem("{}", e.what());
    return;
  }
  const size_t n = w_.count();
  std::vector<int> from(n), to(n);
  model_.state_index(w_.state, from);
  model_.state_index(w_.next, to);
  for (size_t i = 0; i < n; ++i) {
    if (from[i] < 0 || from[i] >= t.num_states || to[i] < 0 || to[i] >= t.num_states) {
      problem("index {} or {} of {} states", from[i], to[i], t.num_states);
      return;
    }
    if (bool(t.terminal[to[i]]) != bool(w_.ended[i]))
      problem("is wrong about whether state {} is terminal", to[i]);
    const auto row = t.transition[w_.action[i]].row(from[i]);
    if (std::none_of(row.begin(), row.end(),
                     [&](const auto& e) { return e.column == to[i] && e.value > 0; }))
      problem("rules out {} from {} to {}, which was simulated", action_text(w_.action[i]), from[i],
              to[i]);
    if (!has(Capability::kLikelihood)) continue;
    for (const auto& e : t.observation[w_.action[i]].row(to[i])) {
      double p = 0;
      const int o = seen_index(t, to[i], e.column);
      model_.likelihood(reinterpret_cast<const std::byte*>(&o), actions_.at(w_.action[i]),
                        w_.next.sub(i, 1), {&p, 1});
      if (!(std::abs(p - e.value) < 1e-6))
        problem("observation {} in state {} has probability {}, likelihood {}", e.column, to[i],
                e.value, p);
    }
  }
  check_table_start(t);
  for (const Probe& p : probes_) check_table_probe(t, p);
}

}  // namespace penumbra::model_check
