#include "penumbra/search/online_policy.h"

#include <cstring>

#include "penumbra/base/error.h"
#include "penumbra/model/audited.h"
#include "penumbra/model/classified.h"

namespace penumbra::search {

// A lane's memory: the guide's node (and another that it may be), whether the particles are
// weighted, their weights, they.
struct OnlinePolicy::Lane {
  int32_t *node, *other;
  int32_t* weighted;
  std::span<double> weights;
  Records states;
};

namespace {
constexpr size_t kHeader = 16;

size_t rounded(size_t bytes) {
  return (bytes + 7) / 8 * 8;
}
}  // namespace

OnlinePolicy::OnlinePolicy(std::shared_ptr<const Pomdp> model,
                           std::unique_ptr<const Planner> planner,
                           std::shared_ptr<const Guide> guide, const OnlineOptions& options,
                           std::string description, const Classified* groups)
    : owned_(std::move(model)),
      model_(*owned_),
      planner_(std::move(planner)),
      guide_(std::move(guide)),
      options_(options),
      description_(std::move(description)),
      groups_(groups),
      sensed_(groups ? std::make_shared<const Audited>(groups->inner()) : owned_),
      filter_(*sensed_, {.num_particles = options.particles}) {}

size_t OnlinePolicy::memory_size() const {
  return kHeader + options_.particles * sizeof(double) +
         rounded(options_.particles * model_.state_size());
}

void OnlinePolicy::check_model(const Pomdp& model) const {
  check_same_seen(*sensed_, model, description_);
}

OnlinePolicy::Lane OnlinePolicy::lane(std::byte* memory) const {
  const auto n = static_cast<size_t>(options_.particles);
  auto* header = reinterpret_cast<int32_t*>(memory);
  auto* weights = reinterpret_cast<double*>(memory + kHeader);
  return {header,
          header + 1,
          header + 2,
          {weights, n},
          {memory + kHeader + n * sizeof(double), model_.state_size(), n}};
}

void OnlinePolicy::start(Streams streams, Records memory) const {
  for (size_t i = 0; i < memory.count; ++i) {
    const Lane own = lane(memory.at(i));
    *own.node = guide_ ? guide_->start() : -1;
    *own.other = -1;
    *own.weighted = 0;
    std::memset(own.weights.data(), 0, own.weights.size_bytes());
    model_.sample_initial({streams.key.fold("belief start").fold(streams.id(i))}, own.states);
    leave_out_terminal(model_, own.states);
  }
}

std::unique_ptr<Search> OnlinePolicy::borrow() const {
  {
    const std::lock_guard lock(mutex_);
    if (!idle_.empty()) {
      std::unique_ptr<Search> search = std::move(idle_.back());
      idle_.pop_back();
      return search;
    }
  }
  return planner_->start();
}

void OnlinePolicy::give_back(std::unique_ptr<Search> search) const {
  const std::lock_guard lock(mutex_);
  idle_.push_back(std::move(search));
}

Decision OnlinePolicy::decide(Search& search, const Lane& own, RngKey key) const {
  Root root{own.states, {}, *own.node, *own.other};
  if (*own.weighted) root.weights = own.weights;
  return search.plan(root, options_.budget, key);
}

void OnlinePolicy::act(Records memory, Streams streams, Records action) const {
  std::unique_ptr<Search> search = borrow();
  for (size_t i = 0; i < memory.count; ++i) {
    const Lane own = lane(memory.at(i));
    const Decision decision = decide(*search, own, streams.key.fold("plan").fold(streams.id(i)));
    PENUMBRA_CHECK(decision.action.size() == action.size, "a decision is an action record");
    std::memcpy(action.at(i), decision.action.data(), action.size);
    if (decision.node >= 0) *own.node = decision.node;
  }
  give_back(std::move(search));
}

void OnlinePolicy::observe(Records memory, ConstRecords action, ConstRecords seen,
                           Streams streams) const {
  Particles belief(model_.state_size(), options_.particles);
  for (size_t i = 0; i < memory.count; ++i) {
    const Lane own = lane(memory.at(i));
    const size_t bytes = own.states.size * own.states.count;
    belief.states.resize(own.states.count);
    std::memcpy(belief.states.view().data, own.states.data, bytes);
    belief.weights.clear();
    if (*own.weighted) belief.weights.assign(own.weights.begin(), own.weights.end());
    filter_.update(belief, action.at(i), seen.at(i),
                   streams.key.fold("belief").fold(streams.id(i)));
    PENUMBRA_CHECK(belief.count() == own.states.count, "a filter keeps its number of particles");
    std::memcpy(own.states.data, belief.states.view().data, bytes);
    *own.weighted = !belief.weights.empty();
    std::copy(belief.weights.begin(), belief.weights.end(), own.weights.begin());
    if (!guide_ || *own.node < 0) continue;
    const int group =
        groups_ ? groups_->classify(action.at(i), reinterpret_cast<const float*>(seen.at(i)))
                : index_of(seen, i);
    guide_->follow(index_of(action, i), group, *own.node, *own.other);
  }
}

OnlinePolicy::Look OnlinePolicy::act_and_look(Records memory, Streams streams, Records action,
                                              int levels, int most_rows) const {
  PENUMBRA_CHECK(memory.count == 1, "one lane is looked at");
  std::unique_ptr<Search> search = borrow();
  const Lane own = lane(memory.at(0));
  Look out;
  out.decision = decide(*search, own, streams.key.fold("plan").fold(streams.id(0)));
  out.rows = search->rows(levels, most_rows);
  std::memcpy(action.at(0), out.decision.action.data(), action.size);
  if (out.decision.node >= 0) *own.node = out.decision.node;
  give_back(std::move(search));
  return out;
}

}  // namespace penumbra::search
