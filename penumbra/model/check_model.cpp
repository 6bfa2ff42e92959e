#include "penumbra/model/check_model.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "penumbra/base/error.h"
#include "penumbra/model/model_checker.h"

namespace penumbra {
namespace model_check {

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
  for (size_t i = 0; i < batch.dense().size(); ++i)
    if (const float x = batch.dense()[i]; !std::isfinite(x))
      problem("dense value {} is {} in {}", i % layout.num_dense, x,
              state_text(w_.next.at(i / layout.num_dense)));
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

// Episodes that hardly ever end are cut where the rest is worth next to nothing; with a discount
// close to 1 that is out of reach.
void Checker::check_length() {
  kind_ = "episodes";
  const bool ended = std::any_of(w_.ended.begin(), w_.ended.end(), [](uint8_t e) { return e; });
  if (!ended && tail_bound(model_.facts(), kMostSteps) > kLengthBias)
    problem(
        "none of {} walks of {} steps ended, and with the discount {} what comes after {} steps "
        "may "
        "still be worth {:.3g}: lower the discount or let episodes end",
        o_.num_walks, o_.max_depth, model_.facts().discount, kMostSteps,
        tail_bound(model_.facts(), kMostSteps));
}

std::vector<std::string> Checker::run() {
  try {
    check_all();
  } catch (const std::runtime_error& error) {  // of the model's own functions, as below
    problems_.push_back(kind_ + ": " + error.what());
  } catch (const std::logic_error& error) {
    problems_.push_back(kind_ + ": " + error.what());
  }
  return problems_;
}

void Checker::check_all() {
  kind_ = "actions";
  choose_actions();
  if (!problems_.empty()) return;
  kind_ = "walks";
  walk();
  if (w_.count() == 0) {
    problem("every initial state is terminal");
    return;
  }
  check_length();
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
    if (has(Capability::kCumulative) && !finite_seen())
      for (size_t c = 0; c < model_.seen_size() / sizeof(float); ++c)
        check_cumulative(p, static_cast<int>(c));
  }
  check_mdp_value();
  check_table();
  check_lanes();
}

}  // namespace model_check

std::vector<std::string> check_model(const Pomdp& model, const CheckOptions& options) {
  return model_check::Checker(model, options).run();
}

}  // namespace penumbra
