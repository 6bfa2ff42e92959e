#include "penumbra/model/check_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <set>

#include "penumbra/base/error.h"

namespace penumbra {
namespace {

constexpr double kSigmas = 6;

// Transitions in the order they were simulated.
struct Walks {
  RecordBuffer state, next, seen;
  std::vector<int> action;  // rows of Checker::actions_
  std::vector<float> reward;
  std::vector<uint8_t> ended;
  size_t count() const { return action.size(); }
};

// Many steps from one state with one action.
struct Probe {
  int action = 0;
  RecordBuffer state, next, seen;
  std::vector<float> reward;
  std::vector<uint8_t> ended;
  size_t count() const { return reward.size(); }
};

class Checker {
 public:
  Checker(const Pomdp& model, const CheckOptions& options)
      : model_(model), o_(options), root_(RngKey::from_seed(options.seed).fold("check_model")) {}

  std::vector<std::string> run();

 private:
  template <class... Args>
  void problem(fmt::format_string<Args...> text, Args&&... args) {
    const std::string message = fmt::format(text, std::forward<Args>(args)...);
    if (kinds_.insert(kind_).second) problems_.push_back(kind_ + ": " + message);
  }
  bool has(Capability c) const { return model_.has(c); }
  bool finite_seen() const { return model_.facts().num_observations > 0; }
  std::string state_text(const std::byte* s) const { return model_.describe_state(s); }
  std::string action_text(int row) const { return model_.describe_action(actions_.at(row)); }

  void choose_actions();
  void walk();
  Probe probe(ConstRecords state, int action, size_t sims, RngKey key) const;
  void make_probes();

  void check_samples();
  void check_terminal();
  void check_features();
  void check_coordinates();
  void check_perturb();
  void check_likelihood_range();
  void check_finite_likelihood(const Probe& p);
  void check_density(const Probe& p);
  void check_cumulative(const Probe& p);
  void check_mdp_value();
  void check_table();
  void check_table_start(const Tabular& t);
  void check_table_probe(const Tabular& t, const Probe& p);
  void check_lanes();
  // Runs `body` on any part of a batch; it writes `size` bytes per lane.
  void same_in_parts(const std::string& what, size_t count, size_t size,
                     const std::function<void(size_t begin, size_t n, std::byte* out)>& body);

  // |observed - expected| within kSigmas of a sum of independent events.
  static bool near(double observed, double expected, double variance) {
    if (expected < 1e-9) return observed == 0;
    return std::abs(observed - expected) <= kSigmas * std::sqrt(std::max(variance, 0.0)) + 5;
  }

  const Pomdp& model_;
  CheckOptions o_;
  RngKey root_;
  RecordBuffer actions_;
  Walks w_;
  std::vector<Probe> probes_;
  std::string kind_;  // of the check that is running; each reports its first problem
  std::set<std::string> kinds_;
  std::vector<std::string> problems_;
};

// All finite actions, or corners and random points of the box.
void Checker::choose_actions() {
  const Facts& f = model_.facts();
  actions_ = RecordBuffer(model_.action_size());
  if (f.num_actions > 0) {
    for (int a = 0; a < f.num_actions; ++a)
      actions_.push_back(reinterpret_cast<const std::byte*>(&a));
    return;
  }
  const size_t width = model_.action_size() / sizeof(float);
  if (f.action_low.size() != width || f.action_high.size() != width) {
    problem("the box has {} and {} bounds for {} values", f.action_low.size(), f.action_high.size(),
            width);
    return;
  }
  for (uint64_t i = 0; i < 12; ++i) {
    Rng rng(root_.fold("actions"), i);
    std::vector<float> a(width);
    for (size_t d = 0; d < width; ++d) {
      const double share = i < 4 ? double(i >> (d & 1) & 1) : rng.uniform();
      a[d] = static_cast<float>(f.action_low[d] + share * (f.action_high[d] - f.action_low[d]));
    }
    actions_.push_back(reinterpret_cast<const std::byte*>(a.data()));
  }
}

void Checker::walk() {
  const size_t lanes = o_.num_walks;
  w_.state = w_.next = RecordBuffer(model_.state_size());
  w_.seen = RecordBuffer(model_.seen_size());
  RecordBuffer state(model_.state_size(), lanes), action(model_.action_size(), lanes);
  std::vector<uint8_t> ended(lanes);
  model_.sample_initial({root_.fold("walk start")}, state);
  model_.is_terminal(state, ended);
  StepBuffers buffers(model_, lanes);
  for (int t = 0; t < o_.max_depth; ++t) {
    const RngKey key = root_.fold("walk").fold(t);
    std::vector<int> rows(lanes);
    for (size_t i = 0; i < lanes; ++i) {
      rows[i] = static_cast<int>(Rng(key.fold("action"), i).below(uint32_t(actions_.count())));
      action.copy_from(i, actions_.at(rows[i]));
    }
    const StepResults out = buffers.results(lanes);
    model_.step(state, ConstRecords(action), {key}, out);
    for (size_t i = 0; i < lanes; ++i) {
      if (ended[i]) continue;
      w_.state.push_back(state.at(i));
      w_.next.push_back(out.next.at(i));
      w_.seen.push_back(out.seen.at(i));
      w_.action.push_back(rows[i]);
      w_.reward.push_back(out.reward[i]);
      w_.ended.push_back(out.ended[i]);
      ended[i] = out.ended[i];
    }
    std::memcpy(state.view().data, out.next.data, lanes * model_.state_size());
  }
}

Probe Checker::probe(ConstRecords state, int action, size_t sims, RngKey key) const {
  Probe p;
  p.action = action;
  p.state = RecordBuffer(model_.state_size(), sims);
  p.next = RecordBuffer(model_.state_size(), sims);
  p.seen = RecordBuffer(model_.seen_size(), sims);
  p.reward.resize(sims);
  p.ended.resize(sims);
  RecordBuffer actions(model_.action_size(), sims);
  for (size_t i = 0; i < sims; ++i) {
    p.state.copy_from(i, state.data);
    actions.copy_from(i, actions_.at(action));
  }
  model_.step(p.state, ConstRecords(actions), {key},
              {p.next.view(), p.seen.view(), p.reward, p.ended});
  return p;
}

void Checker::make_probes() {
  if (w_.count() == 0) return;
  for (int i = 0; i < o_.num_probes; ++i) {
    const RngKey key = root_.fold("probe").fold(i);
    const size_t at = Rng(key, 0).below(uint32_t(w_.count()));
    probes_.push_back(probe(w_.state.sub(at, 1), w_.action[at], o_.num_sims, key));
  }
}

// Rewards, observations and the two ways to learn that an episode has ended.
void Checker::check_samples() {
  const Facts& f = model_.facts();
  const double slack = 1e-5 * (1 + std::abs(f.min_reward) + std::abs(f.max_reward));
  std::vector<uint8_t> ended(w_.count());
  model_.is_terminal(w_.next, ended);
  for (size_t i = 0; i < w_.count(); ++i) {
    kind_ = "rewards";
    if (!(w_.reward[i] >= f.min_reward - slack && w_.reward[i] <= f.max_reward + slack))
      problem("{} for {} in {}, declared from {} to {}", w_.reward[i], action_text(w_.action[i]),
              state_text(w_.state.at(i)), f.min_reward, f.max_reward);
    kind_ = "observations";
    if (finite_seen()) {
      const int seen = index_of(w_.seen, i);
      if (seen < 0 || seen >= f.num_observations)
        problem("{} emitted, declared {} of them", seen, f.num_observations);
    } else {
      for (size_t d = 0; d < model_.seen_size() / sizeof(float); ++d)
        if (!std::isfinite(reinterpret_cast<const float*>(w_.seen.at(i))[d]))
          problem("one is not finite after {}", action_text(w_.action[i]));
    }
    kind_ = "ended";
    if (w_.ended[i] != ended[i])
      problem("step says {} and is_terminal says {} of {}", int(w_.ended[i]), int(ended[i]),
              state_text(w_.next.at(i)));
  }
}

void Checker::check_terminal() {
  kind_ = "terminal states";
  const std::vector<std::byte> zero(model_.seen_size(), std::byte{0});
  int found = 0;
  for (size_t i = 0; i < w_.count() && found < 50; ++i) {
    if (!w_.ended[i]) continue;
    ++found;
    for (int a = 0; a < static_cast<int>(actions_.count()); ++a) {
      const Probe p = probe(w_.next.sub(i, 1), a, 1, root_.fold("terminal"));
      if (std::memcmp(p.next.at(0), p.state.at(0), model_.state_size()) != 0)
        problem("{} leaves {}", action_text(a), state_text(p.state.at(0)));
      if (p.reward[0] != 0) problem("{} is rewarded with {}", action_text(a), p.reward[0]);
      if (std::memcmp(p.seen.at(0), zero.data(), zero.size()) != 0)
        problem("{} emits {}", action_text(a), model_.describe_seen(p.seen.at(0)));
      if (!p.ended[0]) problem("{} does not report the end", action_text(a));
    }
  }
}

void Checker::check_features() {
  if (!has(Capability::kFeatures)) return;
  kind_ = "features";
  const FeatureLayout layout = model_.features();
  if (layout.empty()) problem("the layout is empty");
  FeatureBatch batch(layout, static_cast<int>(w_.count()));
  model_.encode(w_.next, batch);
  const size_t blocks = layout.categories.size(), words = layout.words();
  for (size_t i = 0; i < batch.category().size(); ++i)
    if (batch.category()[i] < 0 || batch.category()[i] >= layout.categories[i % blocks])
      problem("category {} in a block of {}", batch.category()[i], layout.categories[i % blocks]);
  if (layout.num_bits % 32 != 0)
    for (size_t i = words - 1; i < batch.bits().size(); i += words)
      if (batch.bits()[i] >> (layout.num_bits % 32) != 0)
        problem("bits beyond the {} declared are set", layout.num_bits);
  for (float x : batch.dense())
    if (!std::isfinite(x)) problem("a dense value is {}", x);
}

void Checker::check_coordinates() {
  if (!has(Capability::kCoordinates)) return;
  kind_ = "coordinates";
  const size_t n = w_.count(), width = model_.num_coordinates();
  std::vector<float> x(n * width), back(n * width);
  RecordBuffer again(model_.state_size(), n);
  model_.coordinates(w_.state, x);
  model_.from_coordinates(x, again);
  model_.coordinates(again, back);
  for (size_t i = 0; i < x.size(); ++i)
    if (!(std::abs(x[i] - back[i]) <= 1e-3 * (1 + std::abs(x[i]))))
      problem("{} comes back as {} of {}", x[i], back[i], state_text(w_.state.at(i / width)));
}

void Checker::check_perturb() {
  if (!has(Capability::kPerturb)) return;
  kind_ = "perturb";
  RecordBuffer moved(model_.state_size(), w_.count());
  std::vector<uint8_t> ended(w_.count());
  model_.perturb(w_.state, {root_.fold("perturb")}, moved);
  model_.is_terminal(moved, ended);
  for (size_t i = 0; i < w_.count(); ++i)
    if (ended[i]) problem("{} becomes terminal", state_text(w_.state.at(i)));
}

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

// Every observation at its own next state: u = P(O <= o) must be uniform.
void Checker::check_cumulative(const Probe& p) {
  kind_ = "cumulative";
  std::vector<double> u(p.count());
  for (size_t i = 0; i < p.count(); ++i) {
    model_.cumulative(p.seen.as<float>(i), actions_.at(p.action), p.next.sub(i, 1), {&u[i], 1});
    if (!(u[i] >= 0 && u[i] <= 1)) problem("{} is not a probability", u[i]);
  }
  std::sort(u.begin(), u.end());
  double worst = 0;
  for (size_t i = 0; i < u.size(); ++i)
    worst = std::max(worst, std::abs(u[i] - (i + 0.5) / u.size()));
  if (!(worst * std::sqrt(double(u.size())) < 3.2))
    problem("the observations after {} in {} are {:.4f} away from it", action_text(p.action),
            state_text(p.state.at(0)), worst);
  double bounds[2] = {0, 0};
  model_.cumulative(-1e30f, actions_.at(p.action), p.next.sub(0, 1), {&bounds[0], 1});
  model_.cumulative(1e30f, actions_.at(p.action), p.next.sub(0, 1), {&bounds[1], 1});
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
      moments[e.column].first += e.value;
      moments[e.column].second += e.value * (1 - e.value);
      seen[e.column] += 0;
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
  if (t.num_actions != f.num_actions || t.num_observations != f.num_observations ||
      t.discount != f.discount) {
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
      model_.likelihood(reinterpret_cast<const std::byte*>(&e.column), actions_.at(w_.action[i]),
                        w_.next.sub(i, 1), {&p, 1});
      if (!(std::abs(p - e.value) < 1e-6))
        problem("observation {} in state {} has probability {}, likelihood {}", e.column, to[i],
                e.value, p);
    }
  }
  check_table_start(t);
  for (const Probe& p : probes_) check_table_probe(t, p);
}

void Checker::same_in_parts(
    const std::string& what, size_t count, size_t size,
    const std::function<void(size_t begin, size_t n, std::byte* out)>& body) {
  kind_ = what;
  // Different bytes beforehand, so that whatever is not written shows, padding included.
  std::vector<std::byte> whole(count * size, std::byte{0}), other(count * size, std::byte{0xff});
  body(0, count, whole.data());
  body(0, count, other.data());
  if (whole != other) problem("two runs differ, or some bytes are not written");
  auto in_parts = [&](auto length) {
    std::fill(other.begin(), other.end(), std::byte{0xab});
    for (size_t begin = 0, part = 0; begin < count; ++part) {
      const size_t n = std::min<size_t>(length(part), count - begin);
      body(begin, n, other.data() + begin * size);
      begin += n;
    }
    return other == whole;
  };
  if (!in_parts([](size_t) { return 1; })) problem("a batch differs from its lanes one by one");
  if (!in_parts([](size_t part) { return part * part + 2; }))
    problem("the split of a batch changes the result");
}

void Checker::check_lanes() {
  const size_t n = std::min<size_t>(w_.count(), 700);
  const size_t state_size = model_.state_size(), seen_size = model_.seen_size();
  const size_t lane = state_size + seen_size + sizeof(float) + 1;
  // Terminal states are among the lanes too.
  RecordBuffer state(state_size), action(model_.action_size());
  for (size_t i = 0; i < n; ++i) {
    state.push_back(i % 4 == 3 ? w_.next.at(i) : w_.state.at(i));
    action.push_back(actions_.at(w_.action[i]));
  }
  const Streams streams{root_.fold("lanes"), 1000};
  auto step = [&](ConstRecords from, ConstRecords act, Streams s, std::byte* out) {
    StepBuffers b(model_, 0);
    b.next = RecordBuffer(state_size, from.count);
    b.seen = RecordBuffer(seen_size, from.count);
    std::memset(b.next.view().data, int(out[0]), from.count * state_size);
    std::memset(b.seen.view().data, int(out[0]), from.count * seen_size);
    b.reward.resize(from.count);
    b.ended.resize(from.count);
    model_.step(from, act, s, b.results(from.count));
    for (size_t i = 0; i < from.count; ++i, out += lane) {
      std::memcpy(out, b.next.at(i), state_size);
      std::memcpy(out + state_size, b.seen.at(i), seen_size);
      std::memcpy(out + state_size + seen_size, &b.reward[i], sizeof(float));
      out[lane - 1] = std::byte{b.ended[i]};
    }
  };
  same_in_parts("lanes of step", n, lane, [&](size_t begin, size_t m, std::byte* out) {
    step(state.sub(begin, m), action.sub(begin, m), streams.from(begin), out);
  });
  same_in_parts("lanes of sample_initial", n, state_size,
                [&](size_t begin, size_t m, std::byte* out) {
                  model_.sample_initial(streams.from(begin), {out, state_size, m});
                });
  if (has(Capability::kPerturb))
    same_in_parts("lanes of perturb", n, state_size, [&](size_t begin, size_t m, std::byte* out) {
      model_.perturb(state.sub(begin, m), streams.from(begin), {out, state_size, m});
    });
  if (has(Capability::kMdpValue))
    same_in_parts("lanes of mdp_value", n, sizeof(double),
                  [&](size_t begin, size_t m, std::byte* out) {
                    model_.mdp_value(state.sub(begin, m), {reinterpret_cast<double*>(out), m});
                  });
  if (has(Capability::kLikelihood))
    same_in_parts("lanes of likelihood", n, sizeof(double),
                  [&](size_t begin, size_t m, std::byte* out) {
                    model_.likelihood(w_.seen.at(0), action.at(0), state.sub(begin, m),
                                      {reinterpret_cast<double*>(out), m});
                  });
  kind_ = "lanes by id";
  std::vector<std::byte> plain(n * lane, std::byte{0}), reversed = plain;
  step(state, action, streams, plain.data());
  RecordBuffer back_state(state_size), back_action(model_.action_size());
  std::vector<uint64_t> ids;
  for (size_t i = n; i-- > 0;) {
    back_state.push_back(state.at(i));
    back_action.push_back(action.at(i));
    ids.push_back(streams.id(i));
  }
  step(back_state, back_action, {streams.key, 0, ids.data()}, reversed.data());
  for (size_t i = 0; i < n; ++i)
    if (std::memcmp(&plain[i * lane], &reversed[(n - 1 - i) * lane], lane) != 0)
      problem("stream {} gives another step when it is named by id", streams.id(i));
  kind_ = "next in the memory of state";
  RecordBuffer both = state;
  StepBuffers b(model_, n);
  StepResults out = b.results(n);
  out.next = both.view();
  model_.step(both, ConstRecords(action), streams, out);
  for (size_t i = 0; i < n; ++i)
    if (std::memcmp(&plain[i * lane], both.at(i), state_size) != 0)
      problem("gives another next state in lane {}", i);
}

std::vector<std::string> Checker::run() {
  kind_ = "actions";
  choose_actions();
  if (!problems_.empty()) return problems_;
  walk();
  kind_ = "walks";
  if (w_.count() == 0) {
    problem("every initial state is terminal");
    return problems_;
  }
  make_probes();
  check_samples();
  check_terminal();
  check_features();
  check_coordinates();
  check_perturb();
  const bool scalar = !finite_seen() && model_.seen_size() == sizeof(float);
  if (has(Capability::kLikelihood)) check_likelihood_range();
  for (const Probe& p : probes_) {
    if (has(Capability::kLikelihood) && finite_seen()) check_finite_likelihood(p);
    if (has(Capability::kLikelihood) && scalar) check_density(p);
    if (has(Capability::kCumulative) && scalar) check_cumulative(p);
  }
  check_mdp_value();
  check_table();
  check_lanes();
  return problems_;
}

}  // namespace

std::vector<std::string> check_model(const Pomdp& model, const CheckOptions& options) {
  return Checker(model, options).run();
}

}  // namespace penumbra
