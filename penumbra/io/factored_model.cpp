#include "penumbra/io/factored_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "penumbra/base/error.h"
#include "penumbra/io/row_product.h"

namespace penumbra {
namespace {

double product(const std::vector<FactoredModel::Variable>& variables) {
  double count = 1;
  for (const auto& v : variables) count *= v.size;
  return count;
}

std::vector<std::string> joint_names(const std::vector<FactoredModel::Variable>& variables,
                                     char prefix) {
  std::vector<std::string> names;
  if (variables.empty() || (variables.size() == 1 && variables[0].values.empty())) return names;
  for (int64_t i = 0; i < num_joint(variables); ++i) {
    const std::vector<int> value = digits(i, variables);
    std::string name;
    for (size_t v = 0; v < variables.size(); ++v) {
      if (v > 0) name += ',';
      name += variables[v].value(value[v], prefix);
    }
    names.push_back(std::move(name));
  }
  return names;
}

void name_states(const FactoredModel& m, Tabular& t) {
  int64_t num_hidden = 1;
  for (const auto& v : m.states)
    if (v.visible)
      t.num_visible *= v.size;
    else
      num_hidden *= v.size;
  if (m.states.size() == 1) {
    t.state_names = m.states[0].values;
  } else {
    for (const auto& v : m.states) {
      // "robot_0" is how POMDPX files call the robot before a step.
      StateVariable out{
          v.name.substr(0, v.name.size() - (v.name.ends_with("_0") ? 2 : 0)), {}, v.visible};
      for (int i = 0; i < v.size; ++i) out.values.push_back(v.value(i, 's'));
      t.variables.push_back(std::move(out));
    }
  }
  if (t.num_visible == 1) return;
  t.visible.resize(t.num_states);
  for (int s = 0; s < t.num_states; ++s) t.visible[s] = static_cast<int>(s / num_hidden);
}

[[noreturn]] void too_large(const FactoredModel& m, double bytes, const ReadOptions& options) {
  throw Error(fmt::format(
      "{}: {:.0f} states, {:.0f} actions and {:.0f} observations need at least {:.1f} GB as a "
      "table, and {:.1f} GB are allowed; raise the memory limit or use a smaller model",
      m.name, product(m.states), product(m.actions), product(m.observations), bytes / 1e9,
      options.memory_limit / 1e9));
}

// Sums the rewards of every state under one action, expected over what follows.
class RewardSum {
 public:
  RewardSum(const FactoredModel& m, const Tabular& t, int action)
      : m_(m),
        rows_(t.transition[action]),
        seen_rows_(t.observation[action]),
        sizes_(m.slot_sizes()),
        at_(m.rewards.size()),
        saved_(m.states.size()) {
    strides_.assign(sizes_.size(), 1);
    auto fill = [&](int first, size_t count) {
      int64_t stride = 1;
      for (int i = first + int(count) - 1; i >= first; --i) {
        strides_[i] = stride;
        stride *= sizes_[i];
      }
    };
    fill(m.after(0), m.states.size());
    fill(m.seen(0), m.observations.size());
    const std::vector<int> actions = digits(action, m.actions);
    for (size_t r = 0; r < at_.size(); ++r) {
      at_[r] = m.rewards[r].root;
      for (size_t a = 0; a < actions.size(); ++a)
        at_[r] = m.rewards[r].child(at_[r], int(a), actions[a]);
    }
  }

  void run(std::vector<double>& out) {
    out.reserve(static_cast<size_t>(rows_.num_rows()));
    descend(0, out);
  }

 private:
  void descend(size_t depth, std::vector<double>& out) {
    if (depth == m_.states.size()) {
      double sum = 0;
      for (size_t r = 0; r < at_.size(); ++r)
        sum += expected(m_.rewards[r], at_[r], int(out.size()));
      out.push_back(sum);
      return;
    }
    const int level = m_.before(depth);
    std::vector<Diagram::Ref>& saved = saved_[depth];
    saved = at_;
    for (int v = 0; v < sizes_[level]; ++v) {
      for (size_t r = 0; r < at_.size(); ++r) at_[r] = m_.rewards[r].child(saved[r], level, v);
      descend(depth + 1, out);
    }
    at_ = saved;
  }

  // Follows the levels of `joint`'s range down from `at`.
  Diagram::Ref follow(const Diagram& d, Diagram::Ref at, int joint, int end_level) const {
    while (d.level(at) < end_level) {
      const int level = d.level(at);
      at = d.child(at, level, static_cast<int>(joint / strides_[level] % sizes_[level]));
    }
    return at;
  }

  double expected(const Diagram& d, Diagram::Ref at, int state) const {
    if (Diagram::is_leaf(at)) return d.values[Diagram::leaf(at)];
    double sum = 0;
    for (const auto& next : rows_.row(state)) {
      const Diagram::Ref there = follow(d, at, next.column, m_.seen(0));
      if (Diagram::is_leaf(there)) {
        sum += next.value * d.values[Diagram::leaf(there)];
        continue;
      }
      double inner = 0;
      for (const auto& o : seen_rows_.row(next.column))
        inner += o.value * d.values[Diagram::leaf(follow(d, there, o.column, m_.num_slots()))];
      sum += next.value * inner;
    }
    return sum;
  }

  const FactoredModel& m_;
  const SparseRows& rows_;
  const SparseRows& seen_rows_;
  std::vector<int> sizes_;
  std::vector<int64_t> strides_;
  std::vector<Diagram::Ref> at_;
  std::vector<std::vector<Diagram::Ref>> saved_;  // [depth]
};

}  // namespace

std::vector<int> FactoredModel::slot_sizes() const {
  std::vector<int> sizes;
  for (const auto* list : {&actions, &states, &states, &observations})
    for (const Variable& v : *list) sizes.push_back(v.size);
  return sizes;
}

double table_bytes(double states, double actions, double observations, double entries_per_row) {
  constexpr double kEntry = sizeof(SparseRows::Entry), kStart = sizeof(size_t);
  return actions * states * (2 * kStart + (1 + entries_per_row) * kEntry + sizeof(double)) +
         states * (sizeof(double) + sizeof(int) + 1) + (actions + observations) * 32;
}

void check_size(const FactoredModel& m, const ReadOptions& options) {
  const double states = product(m.states), actions = product(m.actions),
               observations = product(m.observations);
  // A row of a product is at least as long as the shortest rows of its factors make it.
  double entries = 1;
  for (const Diagram& d : m.transition) {
    size_t shortest = SIZE_MAX;
    for (int r = 0; r < d.rows.num_rows(); ++r) shortest = std::min(shortest, d.rows.row(r).size());
    if (d.rows.num_rows() > 0) entries *= static_cast<double>(shortest);
  }
  const double bytes = table_bytes(states, actions, observations, entries);
  if (bytes > options.memory_limit || std::max({states, actions, observations}) > 1e9)
    too_large(m, bytes, options);
}

Tabular expand(const FactoredModel& m, const ReadOptions& options) {
  check_size(m, options);
  Tabular t;
  t.name = m.name;
  t.discount = m.discount;
  t.num_states = static_cast<int>(num_joint(m.states));
  t.num_actions = static_cast<int>(num_joint(m.actions));
  t.num_observations = static_cast<int>(num_joint(m.observations));
  t.action_names = joint_names(m.actions, 'a');
  t.observation_names = joint_names(m.observations, 'o');
  name_states(m, t);

  double bytes = table_bytes(t.num_states, t.num_actions, t.num_observations, 0);
  auto write = [&](RowProduct& product, std::span<const int> actions, SparseRows& out) {
    out.start.reserve(static_cast<size_t>(t.num_states) + 1);
    out.entries.reserve(static_cast<size_t>(t.num_states));
    size_t next_check = static_cast<size_t>(t.num_states);
    product.run(actions, [&](std::vector<SparseRows::Entry>& row) {
      for (const auto& e : row)
        if (e.value > 0) out.entries.push_back(e);
      out.end_row();
      if (out.entries.size() < next_check) return;
      const double now = bytes + double(out.entries.size()) * sizeof(SparseRows::Entry);
      if (now > options.memory_limit) too_large(m, now, options);
      next_check = out.entries.size() + out.entries.size() / 16 + 1024;
    });
    if (out.entries.capacity() > out.entries.size() + out.entries.size() / 4)
      out.entries.shrink_to_fit();
    bytes += double(out.entries.size()) * sizeof(SparseRows::Entry);
  };
  RowProduct start(m, m.start, m.before(0), 0, m.before(0));
  t.start.assign(t.num_states, 0.0);
  start.run({}, [&](std::vector<SparseRows::Entry>& row) {
    for (const auto& e : row) t.start[e.column] = e.value;
  });
  RowProduct transition(m, m.transition, m.before(0), m.states.size(), m.after(0));
  RowProduct observation(m, m.observation, m.after(0), m.states.size(), m.seen(0));
  t.transition.resize(t.num_actions);
  t.observation.resize(t.num_actions);
  t.reward.resize(t.num_actions);
  std::map<std::vector<Diagram::Ref>, int> like_transition, like_observation;
  auto write_or_copy = [&](auto& product, auto& like, int a, std::vector<SparseRows>& out) {
    const std::vector<int> actions = digits(a, m.actions);
    const auto [same, is_new] = like.try_emplace(product.roots(actions), a);
    if (is_new) return write(product, actions, out[a]);
    const SparseRows& other = out[same->second];
    bytes += double(other.entries.size()) * sizeof(SparseRows::Entry);
    if (bytes > options.memory_limit) too_large(m, bytes, options);
    out[a] = other;
  };
  for (int a = 0; a < t.num_actions; ++a) {
    write_or_copy(transition, like_transition, a, t.transition);
    write_or_copy(observation, like_observation, a, t.observation);
    RewardSum(m, t, a).run(t.reward[a]);
  }
  mark_terminal(t);
  return t;
}

void mark_terminal(Tabular& t) {
  t.terminal.assign(t.num_states, 0);
  for (int s = 0; s < t.num_states; ++s) {
    bool stays = true;
    for (int a = 0; a < t.num_actions && stays; ++a) {
      const auto row = t.transition[a].row(s);
      stays = t.reward[a][s] == 0 && row.size() == 1 && row[0].column == s;
    }
    t.terminal[s] = stays;
  }
}

}  // namespace penumbra
