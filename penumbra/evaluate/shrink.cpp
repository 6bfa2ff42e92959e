#include "penumbra/evaluate/shrink.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "penumbra/base/error.h"
#include "penumbra/evaluate/edge_prices.h"
#include "penumbra/evaluate/simulate.h"
#include "penumbra/model/action_stock.h"
#include "penumbra/policy/fnc.h"

namespace penumbra {
namespace {

constexpr size_t kBatch = 1024;    // episodes in lockstep
constexpr int kMostTries = 120;    // simulations in a round
constexpr int kMostFailures = 8;   // of single nodes in a row: the rest costs more still
constexpr double kCaution = 0.75;  // of the budget is spent; chance may take the rest

// Paired scores against the controller that was given, always on the same episodes.
class Referee {
 public:
  Referee(const Pomdp& model, const Fsc& fsc, const ShrinkOptions& o, int max_steps,
          ThreadPool& pool)
      : model_(model), o_(o), max_steps_(max_steps), pool_(pool), given_(returns(fsc)) {}

  // How much is lost: given - this.
  Estimate loss(const Fsc& fsc) const {
    const std::vector<double> now = returns(fsc);
    Moments difference;
    for (size_t i = 0; i < now.size(); ++i) difference.add(given_[i] - now[i]);
    return difference.estimate();
  }
  double standard_error() const {
    Moments moments;
    for (double r : given_) moments.add(r);
    return moments.estimate().standard_error;
  }

 private:
  std::vector<double> returns(const Fsc& fsc) const {
    const FscPolicy policy(fsc, model_.facts());
    const RngKey key = RngKey::from_seed(o_.seed).fold("shrink").fold("choose");
    std::vector<double> all(o_.episodes);
    pool_.for_chunks(o_.episodes, kBatch, [&](size_t, size_t from, size_t to) {
      simulate(model_, policy, {key, from, to - from, max_steps_},
               std::span(all).subspan(from, to - from));
    });
    return all;
  }

  const Pomdp& model_;
  const ShrinkOptions& o_;
  int max_steps_;
  ThreadPool& pool_;
  std::vector<double> given_;
};

// Its own node, the only one that costs exactly nothing, comes first again.
void forget_gains(EdgeClient& client) {
  for (EdgeOption& option : client.options)
    if (option.cost < 0) option.cost = std::numeric_limits<double>::min();
  std::stable_sort(client.options.begin(), client.options.end(),
                   [](const EdgeOption& a, const EdgeOption& b) { return a.cost < b.cost; });
}

// Edges in use lead to the best that stays. Those that nothing came along follow, where their own
// node is gone, what leaves the same node most often.
Fsc rewired(const Fsc& fsc, const Clients& clients, const Arrivals& arrivals,
            const std::vector<char>& stays) {
  Fsc out = fsc;
  std::vector<int> common(size_t(fsc.num_nodes()), -1);
  std::vector<double> most(size_t(fsc.num_nodes()), -1.0);
  std::vector<char> used(fsc.edges.size(), 0);
  for (size_t c = 0; c < clients.bundle.size(); ++c) {
    const int to = cheapest(clients.client[c], stays);
    for (size_t edge : clients.bundle[c].edges) {
      if (edge == fsc.edges.size()) {
        out.start = to;
        continue;
      }
      const size_t from = edge / size_t(fsc.num_observations);
      used[edge] = 1;
      out.edges[edge] = to;
      if (to < 0 || arrivals.weight[edge] <= most[from]) continue;
      most[from] = arrivals.weight[edge];
      common[from] = to;
    }
  }
  for (size_t edge = 0; edge < out.edges.size(); ++edge) {
    const size_t from = edge / size_t(fsc.num_observations);
    int& to = out.edges[edge];
    if (to >= 0 && (used[edge] || stays[size_t(to)])) continue;
    to = common[from] >= 0 ? common[from] : out.start;
  }
  return minimised(out);
}

class Shrinker {
 public:
  Shrinker(const Pomdp& model, const Fsc& fsc, const ShrinkOptions& o, int max_steps,
           ThreadPool& pool)
      : model_(model),
        o_(o),
        max_steps_(max_steps),
        pool_(pool),
        referee_(model, fsc, o, max_steps, pool) {
    budget_ = o.loss > 0 ? o.loss : referee_.standard_error();
  }
  double budget() const { return budget_; }

  // A controller on the way, and what it has lost on the referee's episodes.
  struct Stage {
    Fsc fsc;
    Estimate loss;
  };

  // One round: nodes go in the order of a plan, many at a time, while each costs at most `price`
  // and all together at most `allowed`. Those that cost more stay.
  Stage round(const Stage& given, int number, double price, double allowed) const {
    const Fsc& fsc = given.fsc;
    const RngKey key = RngKey::from_seed(o_.seed).fold("shrink").fold(uint64_t(number));
    const Arrivals arrivals = find_arrivals(model_, fsc,
                                            {.episodes = o_.episodes,
                                             .max_steps = max_steps_,
                                             .fewest = kStatesOfItsOwn,
                                             .most = kMostStates},
                                            key.fold("arrivals"), pool_);
    Clients clients = price_edges(model_, fsc, arrivals, key.fold("rollouts"), max_steps_, pool_);
    std::vector<char> stays(size_t(fsc.num_nodes()), 1);
    // Edges that seem better off elsewhere go there at once, unless that proves wrong.
    Stage best{rewired(fsc, clients, arrivals, stays), {}};
    best.loss = referee_.loss(best.fsc);
    if (best.loss.mean > given.loss.mean) {
      for (EdgeClient& client : clients.client) forget_gains(client);
      best = given;
    }
    const Elimination plan = eliminate(fsc.num_nodes(), clients.client);
    size_t at = 0, group = (plan.order.size() + 3) / 4;
    int failures = 0;
    for (int tries = 0; at < plan.order.size() && tries < kMostTries && failures < kMostFailures;
         ++tries) {
      group = std::min(group, plan.order.size() - at);
      std::vector<char> fewer = stays;
      for (size_t i = 0; i < group; ++i) fewer[size_t(plan.order[at + i])] = 0;
      Stage tried{rewired(fsc, clients, arrivals, fewer), {}};
      tried.loss = referee_.loss(tried.fsc);
      const double limit = std::min(allowed, best.loss.mean + price * double(group));
      if (tried.loss.mean <= limit) {
        best = std::move(tried);
        stays = std::move(fewer);
        at += group;
        group *= 2;
        failures = 0;
      } else if (group > 1) {
        group = (group + 3) / 4;
      } else {
        ++at;
        ++failures;
      }
    }
    return best;
  }

  // The controller after every round, smallest last. The price of a node rises from round to round,
  // so that the cheap ones go first.
  std::vector<Fsc> run(const Fsc& fsc) const {
    std::vector<Fsc> stages = {fsc};
    Stage stage{fsc, {}};
    for (int r = 0; r < o_.max_rounds; ++r) {
      if (o_.cancelled && o_.cancelled()) break;
      // At first what an even share of the budget buys; eight times that in every later round.
      const double left = kCaution * budget_ - stage.loss.mean;
      const double share = std::min(1.0, std::pow(8.0, r) / stage.fsc.num_nodes());
      Stage next = round(stage, r, share * left, kCaution * budget_);
      const int before = stage.fsc.num_nodes(), after = next.fsc.num_nodes();
      if (o_.tell)
        o_.tell(fmt::format("round {}: {} -> {} nodes, loss {:.4f} +- {:.4f} of {:.4f}", r + 1,
                            before, after, next.loss.mean, next.loss.standard_error, budget_));
      stage = std::move(next);
      stages.push_back(stage.fsc);
      if (share >= 1 && before - after <= before / 50) break;
    }
    return stages;
  }

 private:
  const Pomdp& model_;
  const ShrinkOptions& o_;
  int max_steps_;
  ThreadPool& pool_;
  Referee referee_;
  double budget_ = 0;
};

}  // namespace

Shrunk shrink(const Pomdp& model, const Fsc& fsc, const ShrinkOptions& o, ThreadPool& pool) {
  require(model, Capability::kFiniteObservations, "shrinking a controller");
  check_fsc(fsc, model.facts());
  Shrunk out;
  out.nodes_before = fsc.num_nodes();
  const Fsc minimal = minimised(fsc);
  out.nodes_minimal = minimal.num_nodes();
  const int max_steps = o.max_steps > 0 ? o.max_steps : horizon_for(model.facts(), 1e-3);
  std::vector<Fsc> stages;
  auto work = [&](const Pomdp& finite, const Fsc& by_number) {
    const Shrinker shrinker(finite, by_number, o, max_steps, pool);
    out.loss = shrinker.budget();
    stages = shrinker.run(by_number);
  };
  if (minimal.action_width == 0) {
    work(model, minimal);
  } else {
    Fsc by_number = minimal;  // the same with the numbers of its actions
    by_number.action_width = 0;
    by_number.action_values.clear();
    work(ActionStock(model, minimal.action_values), by_number);
    for (Fsc& stage : stages) {
      stage.action_width = minimal.action_width;
      stage.action_values = minimal.action_values;
      stage.drop_unused_actions();
    }
  }
  out.rounds = static_cast<int>(stages.size()) - 1;
  // The smallest that keeps its word on episodes that had no part in its making; a larger one is
  // judged on others again.
  const FscPolicy given(minimal, model.facts());
  for (; !stages.empty(); stages.pop_back()) {
    const RngKey key = RngKey::from_seed(o.seed).fold("shrink").fold("check").fold(stages.size());
    out.fsc = stages.back();
    out.check = compare(model, given, FscPolicy(out.fsc, model.facts()),
                        {.episodes = o.episodes, .seed = key.value, .max_steps = max_steps}, pool);
    if (out.check.difference.mean <= out.loss) break;
  }
  return out;
}

}  // namespace penumbra
