#include "penumbra/solvers/controller/growing_controller.h"

#include <algorithm>

namespace penumbra::controller {

int GrowingController::add_blind(int action) {
  made_in_.push_back(0);
  return num_blind_++, fsc_.add_node(action);
}

void GrowingController::replace(const Fsc& other) {
  fsc_.action.resize(num_blind_);
  fsc_.edges.resize(size_t(num_blind_) * fsc_.num_observations);
  fsc_.start = append(other);
  live_ = other.num_nodes();
  made_in_.assign(fsc_.num_nodes(), 0);
}

int GrowingController::append(const Fsc& other) {
  const int first = fsc_.num_nodes();
  for (int n = 0; n < other.num_nodes(); ++n)
    fsc_.add_node(other.action_width > 0 ? stock_->add(other.real_action(other.action[n]))
                                         : other.action[n]);
  for (int n = 0; n < other.num_nodes(); ++n)
    for (int o = 0; o < fsc_.num_observations; ++o)
      fsc_.set_edge(first + n, o, first + other.next(n, o));
  return first + other.start;
}

bool GrowingController::take_over(const Proposal& p, bool keep, const Beats& beats, Work& work) {
  std::vector<int> way;
  int node = fsc_.start;
  bool wanted = p.improved;
  for (const Proposal::Step& step : p.prefix) {
    wanted = wanted && fsc_.action[node] == step.action;  // still on the controller's way
    if (!wanted) break;
    way.push_back(node);
    node = fsc_.next(node, step.seen);
  }
  if (!wanted) {
    if (keep) append(p, work);
    return false;
  }
  const int shift = append(p, work);
  const int challenger = p.new_node < p.first_new ? p.new_node : p.new_node + shift;
  if (node != p.old_node && !beats(fsc_, challenger, node)) return false;
  bend_way(p, way, shift);
  return true;
}

void GrowingController::bend_way(const Proposal& p, const std::vector<int>& way, int shift) {
  auto renamed = [&](int n) { return n < p.first_new ? n : n + shift; };
  int child = renamed(p.new_node);
  for (size_t t = p.prefix.size(); t-- > 0;) {
    const Proposal::Step& step = p.prefix[t];
    if (step.replacement >= 0 && way[t] == step.node &&
        fsc_.next(renamed(step.replacement), step.seen) == child) {
      child = renamed(step.replacement);
      continue;
    }
    if (fsc_.next(way[t], step.seen) == child) {
      child = way[t];
      continue;
    }
    const int copy = fsc_.add_node(step.action);
    for (int o = 0; o < fsc_.num_observations; ++o)
      fsc_.set_edge(copy, o, o == step.seen ? child : fsc_.next(way[t], o));
    candidates_.hand_over(way[t], copy);
    child = copy;
  }
  fsc_.start = child;
}

// Returns by how much the numbers of the new nodes have shifted.
int GrowingController::append(const Proposal& p, Work& work) {
  const PhaseTimer timer(work, Phase::kTrain);
  const int observations = fsc_.num_observations, shift = fsc_.num_nodes() - p.first_new;
  for (size_t i = 0; i < p.actions.size(); ++i) {
    int action = p.actions[i];
    if (stock_ && action >= p.first_row) {
      const size_t width = stock_->width(), row = action - p.first_row;
      action = stock_->add(std::span(p.new_rows).subspan(row * width, width));
    }
    const int node = fsc_.add_node(action);
    for (int o = 0; o < observations; ++o) {
      const int to = p.edges[i * observations + o];
      fsc_.set_edge(node, o, to < p.first_new ? to : to + shift);
    }
  }
  for (size_t i = 0; i < p.actions.size(); ++i)
    candidates_.insert(p.first_new + shift + static_cast<int>(i), p.fitted[i]);
  return shift;
}

void GrowingController::end_round(uint64_t round, uint64_t rounds) {
  made_in_.resize(fsc_.num_nodes(), round);
  std::vector<char> used(fsc_.num_nodes(), 0);
  std::vector<int> open{fsc_.start};
  auto spread = [&] {
    while (!open.empty()) {
      const int node = open.back();
      open.pop_back();
      if (used[node]) continue;
      used[node] = 1;
      for (int o = 0; o < fsc_.num_observations; ++o) open.push_back(fsc_.next(node, o));
    }
    return static_cast<int>(std::count(used.begin(), used.end(), 1));
  };
  live_ = spread();
  for (int node = 0; node < fsc_.num_nodes(); ++node)
    if (node < num_blind_ || made_in_[node] + rounds > round) open.push_back(node);
  const int kept = spread();
  if (fsc_.num_nodes() >= kept + kept / 4 + 64) drop_unused(used);
}

void GrowingController::drop_unused(const std::vector<char>& used) {
  std::vector<int> number(used.size(), -1);
  std::vector<uint64_t> made_in;
  Fsc kept;
  kept.num_observations = fsc_.num_observations;
  for (size_t n = 0; n < used.size(); ++n) {
    if (!used[n]) continue;
    number[n] = kept.add_node(fsc_.action[n]);
    made_in.push_back(made_in_[n]);
  }
  for (size_t n = 0; n < used.size(); ++n)
    for (int o = 0; used[n] && o < fsc_.num_observations; ++o)
      kept.set_edge(number[n], o, number[fsc_.next(static_cast<int>(n), o)]);
  kept.start = number[fsc_.start];
  fsc_ = std::move(kept);
  made_in_ = std::move(made_in);
  candidates_.renumber(number);
  if (stock_) drop_unused_actions();
}

void GrowingController::drop_unused_actions() {
  std::vector<char> taken(stock_->count(), 0);
  for (int action : fsc_.action) taken[action] = 1;
  const std::vector<int> row = stock_->keep(taken);
  for (int& action : fsc_.action) action = row[action];
}

}  // namespace penumbra::controller
