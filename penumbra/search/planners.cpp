#include "penumbra/search/planners.h"

#include <fmt/format.h>

#include "penumbra/base/error.h"
#include "penumbra/base/spec.h"
#include "penumbra/search/adaops.h"
#include "penumbra/search/despot.h"
#include "penumbra/search/online_policy.h"

namespace penumbra::search {
namespace {

constexpr RngKey kKey = RngKey{0x7365617263680000u};
constexpr Capabilities kFinite = Capability::kFiniteActions | Capability::kFiniteObservations;
constexpr double kMostSeconds = 86'400;

constexpr PlannerInfo kPlanners[] = {
    {"despot", "a tree on sampled scenarios, between bounds (AR-DESPOT)", true},
    {"adaops", "a tree of weighted particles with merged observations, between bounds", true},
};

const PlannerInfo* find(const std::string& spec) {
  const std::string name = spec.substr(0, spec.find('('));
  for (const PlannerInfo& planner : kPlanners)
    if (name == planner.name) return &planner;
  return nullptr;
}

// 0.1s, 100ms, 2m; plain numbers are seconds.
double read_seconds(const std::string& text) {
  std::string number = text;
  double unit = 1;
  auto ends_with = [&](const std::string& tail) {
    return text.size() > tail.size() && text.substr(text.size() - tail.size()) == tail;
  };
  if (ends_with("ms")) {
    number.resize(text.size() - 2);
    unit = 1e-3;
  } else if (ends_with("s")) {
    number.resize(text.size() - 1);
  } else if (ends_with("m")) {
    number.resize(text.size() - 1);
    unit = 60;
  }
  double value = 0;
  if (!parse_number(number, value) || value <= 0 || value * unit > kMostSeconds)
    throw Error("time must be a duration for one step such as 0.1s or 100ms, not '" + text + "'");
  return value * unit;
}

OnlineOptions read_online_options(Params& params) {
  OnlineOptions o;
  const int simulations =
      params.integer("simulations", 1000, 1, 1'000'000'000, "descents for every action");
  const std::string time = params.text("time", "", "for every action, instead of simulations");
  if (params.given("simulations") && !time.empty())
    throw Error(params.name() + " takes simulations or time, not both");
  o.budget = time.empty() ? Budget{uint64_t(simulations), 0} : Budget{0, read_seconds(time)};
  o.particles = params.integer("particles", o.particles, 1, 10'000'000, "of the filter");
  return o;
}

}  // namespace

std::span<const PlannerInfo> planners() {
  return kPlanners;
}

bool is_planner(const std::string& spec) {
  return find(spec) != nullptr;
}

bool needs_finite_observations(const std::string& spec) {
  const PlannerInfo* planner = find(spec);
  return planner && planner->finite_observations;
}

std::unique_ptr<Policy> online_policy(const std::string& spec, const Pomdp& model,
                                      const ReadController& read, ThreadPool& pool) {
  Params params(Spec::parse(spec));
  const OnlineOptions online = read_online_options(params);
  std::shared_ptr<const Guide> guide;
  std::unique_ptr<const Planner> planner;
  auto values = [&]() -> std::shared_ptr<const MdpValue> {
    return make_mdp_value(model, {}, kKey.fold("mdp"), pool);
  };
  auto lower = [&]() {
    const std::string file = params.text("lower", "blind", "blind, or a controller's file");
    if (file == "blind") return Guide::blind(model, kKey.fold("blind"));
    return std::shared_ptr<const Guide>(std::make_shared<Guide>(model, read(file), file));
  };
  if (params.name() == "despot") {
    require(model, kFinite, "despot");
    const DespotOptions options = DespotOptions::read(params);
    guide = lower();
    params.finish();
    planner = std::make_unique<Despot>(model, options, guide, values());
  } else if (params.name() == "adaops") {
    require(model, kFinite | Capability::kLikelihood, "adaops");
    const AdaopsOptions options = AdaopsOptions::read(params);
    guide = lower();
    params.finish();
    planner = std::make_unique<Adaops>(model, options, guide, values());
  } else {
    throw Error("there is no planner '" + params.name() + "'");
  }
  return std::make_unique<OnlinePolicy>(model, std::move(planner), guide, online,
                                        params.canonical());
}

}  // namespace penumbra::search
