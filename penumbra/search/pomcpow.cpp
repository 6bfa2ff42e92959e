#include "penumbra/search/pomcpow.h"

#include "penumbra/search/lane_search.h"
#include "penumbra/search/weighted_states.h"

namespace penumbra::search {
namespace {

struct ListedBelief : BeliefVisits {
  StateList list;
  int times = 0;  // that its observation was seen while the action could still add one
};

class PomcpowSearch final : public LaneSearch<ListedBelief> {
 public:
  PomcpowSearch(const Pomdp& model, const PomcpowOptions& options, const Leaf& leaf,
                ThreadPool* pool)
      : LaneSearch(model, options.uct, leaf, pool),
        widening_(model, options.widening),
        few_seen_(model.facts().num_observations > 0 &&
                  model.facts().num_observations <= options.widening.k_seen),
        lists_(model.state_size()),
        draw_keys_(options.uct.depth) {}

 private:
  void begun() override {
    LaneSearch::begun();
    lists_.clear();
    for (size_t d = 0; d < draw_keys_.size(); ++d) draw_keys_[d] = key_.fold("draw").fold(d);
  }

  void offer_actions(int b, int depth, uint64_t id) override {
    widening_.widen(tree_, b, Rng(draw_keys_[depth].fold("action"), id));
  }

  // That an episode has ended is seen, so such a state is in no list.
  int arrive(size_t lane, int e, int depth, uint64_t id, bool& is_new) override {
    Rng rng(draw_keys_[depth], id);
    const int known = tree_.num_beliefs(), b = belief_after(e, lanes_.seen.at(lane), rng);
    is_new = b >= known;
    if (!few_seen_) exchange(lane, e, tree_.belief(b), tree_.seen(b), rng);
    return b;
  }

  // Puts the lane's state on the list of its new belief, and draws from that list the one to go on
  // with.
  void exchange(size_t lane, int e, ListedBelief& belief, const std::byte* seen, Rng& rng) {
    double weight = 0;
    model_.likelihood(seen, tree_.action(e), lanes_.next.sub(lane, 1), {&weight, 1});
    lists_.add(belief.list, lanes_.next.at(lane), lanes_.reward[lane], weight);
    const size_t drawn = lists_.draw(belief.list, rng);
    lanes_.next.copy_from(lane, lists_.state(drawn));
    lanes_.reward[lane] = lists_.reward(drawn);
  }

  // The belief that a descent goes to after an action: that of what it saw where this is new and
  // may be added, else any, as often as they were seen. What it saw itself must not decide: states
  // that were sorted by what they make one see and then weighted by it would count it twice. Where
  // there is room for all that can be seen it does decide, and nothing is weighted, as in pomcp.
  int belief_after(int e, const std::byte* seen, Rng& rng) {
    const auto& edge = tree_.edge(e);
    if (few_seen_ || widening_.may_see_more(edge.num_children, edge.visits)) {
      const int found = tree_.find(e, seen), b = found < 0 ? add_child(e, seen) : found;
      ++tree_.belief(b).times;
      if (found < 0 || few_seen_) return b;
    }
    return draw_child(e, rng);
  }

  Widening widening_;
  bool few_seen_;  // fewer observations than any action may lead to
  WeightedStates lists_;
  std::vector<RngKey> draw_keys_;  // one per depth
};

}  // namespace

PomcpowOptions read_pomcpow_options(Params& params) {
  PomcpowOptions options;
  options.uct = read_uct_options(params);
  options.widening = read_widening_options(params);
  return options;
}

Pomcpow::Pomcpow(const Pomdp& model, PomcpowOptions options, std::shared_ptr<const Leaf> leaf)
    : model_(model), options_(options), leaf_(std::move(leaf)) {
  require(model, Capability::kLikelihood, "pomcpow");
  options_.uct = resolve(options.uct, model.facts(), *leaf_);
}

std::string Pomcpow::describe() const {
  return "pomcpow, at new beliefs " + leaf_->describe();
}

std::unique_ptr<Search> Pomcpow::start(ThreadPool* pool) const {
  return std::make_unique<PomcpowSearch>(model_, options_, *leaf_, pool);
}

}  // namespace penumbra::search
