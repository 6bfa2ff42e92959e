#include "penumbra/model/known_parts.h"

#include <algorithm>
#include <cstdint>
#include <deque>
#include <map>
#include <numeric>

namespace penumbra {
namespace {

// (part, action, seen) -> a state that may follow. Open addressing; keys are never removed, those
// of a part that was merged into another are simply never asked for again.
class SuccessorTable {
 public:
  // The value stored under the key: `value` itself if there was none.
  int find_or_insert(uint64_t key, int value) {
    if (2 * (used_ + 1) > keys_.size()) grow();
    const size_t i = slot(key);
    if (keys_[i] == kEmpty) {
      keys_[i] = key;
      values_[i] = value;
      ++used_;
    }
    return values_[i];
  }

 private:
  static constexpr uint64_t kEmpty = ~uint64_t{0};
  size_t slot(uint64_t key) const {
    size_t i = (key * 0x9e3779b97f4a7c15u) >> shift_;
    while (keys_[i] != kEmpty && keys_[i] != key) i = (i + 1) & (keys_.size() - 1);
    return i;
  }
  void grow() {
    --shift_;
    std::vector<uint64_t> keys(keys_.size() * 2, kEmpty);
    std::vector<int> values(keys.size());
    keys.swap(keys_);
    values.swap(values_);
    for (size_t k = 0; k < keys.size(); ++k)
      if (keys[k] != kEmpty) {
        const size_t i = slot(keys[k]);
        keys_[i] = keys[k];
        values_[i] = values[k];
      }
  }
  int shift_ = 54;
  size_t used_ = 0;
  std::vector<uint64_t> keys_ = std::vector<uint64_t>(1 << 10, kEmpty);
  std::vector<int> values_ = std::vector<int>(1 << 10);
};

// Merges states that cannot be told apart by their parts' histories, until all is consistent.
class Splitter {
 public:
  explicit Splitter(const Tabular& model)
      : model_(model),
        finished_(finished_states(model)),
        parent_(model.num_states),
        members_(model.num_states),
        met_(model.num_states, 0) {
    std::iota(parent_.begin(), parent_.end(), 0);
    for (int s = 0; s < model.num_states; ++s) members_[s] = {s};
  }

  KnownParts run() {
    const int start_class = model_.num_states;  // b0, as a part of its own
    for (int s = 0; s < model_.num_states; ++s)
      if (model_.start[s] > 0 && !finished_[s]) follow(s, start_class);
    // First in, first out: parts are whole before they are followed, and little is done twice.
    while (!pending_.empty()) {
      const int s = pending_.front();
      pending_.pop_front();
      follow(s, find(s));
    }
    return collect();
  }

 private:
  int find(int s) {
    while (parent_[s] != s) s = parent_[s] = parent_[parent_[s]];
    return s;
  }

  // Enters what may follow state s, a member of part `part`.
  void follow(int s, int part) {
    const uint64_t seen_count = uint64_t(model_.num_observations) * model_.num_visible;
    for (int a = 0; a < model_.num_actions; ++a)
      for (const auto& t : model_.transition[a].row(s)) {
        if (t.value <= 0 || finished_[t.column]) continue;
        if (!met_[t.column]) {
          met_[t.column] = 1;
          pending_.push_back(t.column);
        }
        const uint64_t visible = model_.visible.empty() ? 0 : model_.visible[t.column];
        for (const auto& o : model_.observation[a].row(t.column)) {
          if (o.value <= 0) continue;
          const uint64_t seen = visible * model_.num_observations + o.column;
          const uint64_t key = (uint64_t(part) * model_.num_actions + a) * seen_count + seen;
          const int other = table_.find_or_insert(key, t.column);
          if (other != t.column) merge(other, t.column);
          if (part < model_.num_states) part = find(s);  // its own part may have been merged
        }
      }
  }

  void merge(int s, int t) {
    int into = find(s), from = find(t);
    if (into == from) return;
    if (members_[into].size() < members_[from].size()) std::swap(into, from);
    parent_[from] = into;
    for (int member : members_[from]) {
      members_[into].push_back(member);
      if (met_[member]) pending_.push_back(member);  // its keys are of another part now
    }
    members_[from] = {};
  }

  KnownParts collect() {
    KnownParts parts;
    std::vector<int> part_of(model_.num_states, -1);
    std::vector<int> number(model_.num_states, -1);
    for (int s = 0; s < model_.num_states; ++s) {
      if (!met_[s]) continue;
      int& n = number[find(s)];
      if (n < 0) {
        n = static_cast<int>(parts.states.size());
        parts.states.emplace_back();
      }
      parts.states[n].push_back(s);
      part_of[s] = n;
    }
    std::vector<int> support;
    for (int s = 0; s < model_.num_states; ++s)
      if (model_.start[s] > 0 && !finished_[s]) support.push_back(s);
    const int first = support.empty() ? -1 : part_of[support[0]];
    const bool inside = first >= 0 && std::all_of(support.begin(), support.end(),
                                                  [&](int s) { return part_of[s] == first; });
    parts.start = inside ? first : static_cast<int>(parts.states.size());
    parts.start_is_copy = !inside;
    if (!inside) parts.states.push_back(std::move(support));
    return parts;
  }

  const Tabular& model_;
  std::vector<char> finished_;
  std::vector<int> parent_;
  std::vector<std::vector<int>> members_;
  std::vector<char> met_;
  std::deque<int> pending_;
  SuccessorTable table_;
};

}  // namespace

std::vector<char> finished_states(const Tabular& model) {
  std::vector<char> finished(model.num_states, 0);
  for (int s = 0; s < model.num_states; ++s) {
    bool stays = true;
    for (int a = 0; a < model.num_actions && stays; ++a) {
      stays = model.reward[a][s] == 0;
      for (const auto& t : model.transition[a].row(s)) stays = stays && t.column == s;
    }
    finished[s] = stays || (!model.terminal.empty() && model.terminal[s]);
  }
  return finished;
}

KnownParts find_known_parts(const Tabular& model) {
  return Splitter(model).run();
}

KnownParts declared_parts(const Tabular& model) {
  KnownParts parts;
  const std::vector<char> finished = finished_states(model);
  std::map<int, std::vector<int>> by_value;
  std::vector<int> support;
  for (int s = 0; s < model.num_states; ++s) {
    if (finished[s]) continue;
    by_value[model.visible.empty() ? 0 : model.visible[s]].push_back(s);
    if (model.start[s] > 0) support.push_back(s);
  }
  parts.start = -1;
  for (auto& [value, states] : by_value) {
    if (!support.empty() &&
        std::includes(states.begin(), states.end(), support.begin(), support.end()))
      parts.start = static_cast<int>(parts.states.size());
    parts.states.push_back(std::move(states));
  }
  if (parts.start < 0) {
    parts.start = static_cast<int>(parts.states.size());
    parts.start_is_copy = true;
    parts.states.push_back(std::move(support));
  }
  return parts;
}

}  // namespace penumbra
