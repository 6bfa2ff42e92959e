#include "penumbra/search/agent.h"

#include <fmt/format.h>

#include "penumbra/base/error.h"

namespace penumbra::search {
namespace {

Fnc no_reader(const std::string& path) {
  throw Error("the agent was given nothing that reads the controller " + path);
}

}  // namespace

Agent::Agent(const Pomdp& model, const std::string& planner, uint64_t seed, ThreadPool& pool,
             const ReadController& read)
    : model_(model),
      named_(named_planner(planner, model, read ? read : no_reader, pool)),
      sensed_(named_.groups ? named_.groups->inner() : model),
      filter_(sensed_, {.num_particles = named_.options.particles}),
      search_(named_.planner->start(&pool)),
      seed_key_(RngKey::from_seed(seed).fold("agent")) {
  restart();
}

void Agent::restart() {
  key_ = seed_key_.fold(episode_++);
  step_ = 0;
  acted_ = false;
  node_ = named_.guide ? named_.guide->start() : -1;
  other_ = -1;
  belief_ = filter_.initial(key_.fold("belief start"));
  decision_ = {};
  filter_report_ = {};
}

const std::byte* Agent::act_record() {
  const Root root{belief_.states, belief_.weights, node_, other_};
  decision_ = search_->plan(root, named_.options.budget, key_.fold("plan").fold(step_));
  PENUMBRA_CHECK(decision_.action.size() == model_.action_size(), "a decision is an action record");
  acted_ = true;
  return decision_.action.data();
}

int Agent::act() {
  if (model_.facts().num_actions == 0)
    throw Error(model_.facts().name + " has continuous actions: ask by act_as or act_record");
  return index_of({act_record(), model_.action_size(), 1}, 0);
}

void Agent::observe_record(const std::byte* seen) {
  if (!acted_) throw Error("an observation follows an action: call act before observe");
  const std::byte* action = decision_.action.data();
  const int observations = model_.facts().num_observations;
  int o = -1;
  if (named_.groups) {
    o = named_.groups->classify(action, reinterpret_cast<const float*>(seen));
  } else if (observations > 0) {
    o = index_of({seen, model_.seen_size(), 1}, 0);
    if (o < 0 || o >= observations)
      throw Error(fmt::format("{} has observations 0 to {}, not {}", model_.facts().name,
                              observations - 1, o));
  }
  filter_report_ = filter_.update(belief_, action, seen, key_.fold("belief").fold(step_));
  if (decision_.node >= 0) node_ = decision_.node;
  if (named_.guide && node_ >= 0)
    named_.guide->follow(index_of({action, model_.action_size(), 1}, 0), o, node_, other_);
  ++step_;
  acted_ = false;
}

void Agent::check_kind(bool whole_number) const {
  const bool readings = sensed_.facts().num_observations == 0;
  if (readings == whole_number)
    throw Error(fmt::format("this agent of {} takes {}", model_.facts().name,
                            readings ? "readings, not the numbers of their groups (raw=false does)"
                                     : "the number of an observation"));
}

void Agent::check_size(size_t given, size_t wanted, const char* what) const {
  if (given != wanted)
    throw Error(
        fmt::format("{} of {} has {} bytes, not {}", what, model_.facts().name, wanted, given));
}

}  // namespace penumbra::search
