#include "penumbra/model/tabular_pomdp.h"

#include <algorithm>

namespace penumbra {
namespace {

constexpr size_t kShortRow = 16;    // up to this length on average rows are walked, not searched
constexpr int kMaxNames = 1 << 20;  // of observations

}  // namespace

TabularPomdp::Sampler::Sampler(const SparseRows& r) : rows(&r) {
  if (r.entries.size() <= kShortRow * std::max(1, r.num_rows())) return;
  sums.resize(r.entries.size());
  for (int row = 0; row < r.num_rows(); ++row) {
    double sum = 0;
    for (size_t i = r.start[row]; i < r.start[row + 1]; ++i) sums[i] = sum += r.entries[i].value;
  }
}

int TabularPomdp::Sampler::draw(int row, double u) const {
  size_t i = rows->start[row];
  const size_t last = rows->start[row + 1] - 1;
  const SparseRows::Entry* entry = rows->entries.data();
  if (sums.empty()) {
    for (; i < last; ++i)
      if ((u -= entry[i].value) < 0) break;
  } else {
    i = std::upper_bound(sums.begin() + static_cast<long>(i),
                         sums.begin() + static_cast<long>(last), u) -
        sums.begin();
  }
  while (entry[i].value <= 0 && i > rows->start[row]) --i;  // rounding ran over
  return entry[i].column;
}

TabularPomdp::TabularPomdp(Tabular table) : table_(std::move(table)) {
  const Tabular& t = table_;
  check_tabular(t);
  Facts facts;
  facts.name = t.name;
  facts.discount = t.discount;
  facts.num_actions = t.num_actions;
  facts.num_observations = num_seen(t);
  facts.action_names = t.action_names;
  const bool named = !t.visible.empty() || !t.observation_names.empty();
  if (named && num_seen(t) <= kMaxNames)
    for (int o = 0; o < num_seen(t); ++o) facts.observation_names.push_back(seen_name(t, o));
  facts.min_reward = facts.max_reward = static_cast<float>(t.reward[0][0]);
  for (const std::vector<double>& rewards : t.reward)
    for (double r : rewards) {  // as step() pays them
      facts.min_reward = std::min<double>(facts.min_reward, static_cast<float>(r));
      facts.max_reward = std::max<double>(facts.max_reward, static_cast<float>(r));
    }
  set_facts(std::move(facts), Capability::kFeatures | Capability::kLikelihood | Capability::kTable,
            sizeof(int32_t), sizeof(int32_t), sizeof(int32_t));
  for (int s = 0; s < t.num_states; ++s)
    if (t.start[s] > 0) start_.add(s, t.start[s]);
  start_.end_row();
  first_.emplace_back(start_);
  for (int a = 0; a < t.num_actions; ++a) {
    next_.emplace_back(t.transition[a]);
    seen_.emplace_back(t.observation[a]);
  }
  strides_.resize(t.variables.size());
  for (int i = static_cast<int>(strides_.size()) - 1, stride = 1; i >= 0; --i) {
    strides_[i] = stride;
    stride *= t.variables[i].size();
  }
}

void TabularPomdp::sample_initial(Streams streams, Records out) const {
  for (size_t i = 0; i < out.count; ++i) {
    Rng rng = streams.rng(i);
    out.as<int32_t>(i) = first_[0].draw(0, rng.uniform());
  }
}

void TabularPomdp::is_terminal(ConstRecords state, std::span<uint8_t> out) const {
  for (size_t i = 0; i < state.count; ++i) out[i] = table_.terminal[state.as<int32_t>(i)] != 0;
}

void TabularPomdp::step(ConstRecords state, ConstRecords action, Streams streams,
                        const StepResults& out) const {
  const bool mixed = !table_.visible.empty();
  for (size_t i = 0; i < state.count; ++i) {
    const int s = state.as<int32_t>(i);
    const int a = action.as<int32_t>(i);
    if (table_.terminal[s]) {
      out.next.as<int32_t>(i) = s;
      out.seen.as<int32_t>(i) = 0;
      out.reward[i] = 0;
      out.ended[i] = 1;
      continue;
    }
    Rng rng = streams.rng(i);
    const int next = next_[a].draw(s, rng.uniform());
    const int o = seen_[a].draw(next, rng.uniform());
    out.next.as<int32_t>(i) = next;
    out.seen.as<int32_t>(i) = mixed ? table_.visible[next] * table_.num_observations + o : o;
    out.reward[i] = static_cast<float>(table_.reward[a][s]);
    out.ended[i] = table_.terminal[next] != 0;
  }
}

FeatureLayout TabularPomdp::features() const {
  FeatureLayout layout;
  for (const StateVariable& v : table_.variables) layout.categories.push_back(v.size());
  if (layout.categories.empty()) layout.categories.push_back(table_.num_states);
  return layout;
}

void TabularPomdp::encode(ConstRecords state, FeatureBatch& out, int first_row) const {
  for (size_t i = 0; i < state.count; ++i) {
    const FeatureRow row = out.row(first_row + static_cast<int>(i));
    const int s = state.as<int32_t>(i);
    if (strides_.empty()) row.category[0] = s;
    for (size_t v = 0; v < strides_.size(); ++v)
      row.category[v] = s / strides_[v] % table_.variables[v].size();
  }
}

void TabularPomdp::likelihood(const std::byte* seen, const std::byte* action, ConstRecords next,
                              std::span<double> out) const {
  int32_t index, a;
  std::memcpy(&index, seen, sizeof index);
  std::memcpy(&a, action, sizeof a);
  const int visible = index / table_.num_observations, o = index % table_.num_observations;
  for (size_t i = 0; i < next.count; ++i) {
    const int s = next.as<int32_t>(i);
    out[i] = 0;
    if (!table_.visible.empty() && table_.visible[s] != visible) continue;
    for (const SparseRows::Entry& e : table_.observation[a].row(s))
      if (e.column == o) out[i] += e.value;
  }
}

void TabularPomdp::state_index(ConstRecords state, std::span<int> out) const {
  for (size_t i = 0; i < state.count; ++i) out[i] = state.as<int32_t>(i);
}

std::string TabularPomdp::describe_state(const std::byte* state) const {
  int32_t s;
  std::memcpy(&s, state, sizeof s);
  return state_name(table_, s);
}

std::unique_ptr<Pomdp> tabular_pomdp(Tabular table) {
  return std::make_unique<TabularPomdp>(std::move(table));
}

}  // namespace penumbra
