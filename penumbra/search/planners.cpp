#include "penumbra/search/planners.h"

#include <fmt/format.h>

#include "penumbra/base/error.h"
#include "penumbra/base/spec.h"
#include "penumbra/model/audited.h"
#include "penumbra/search/adaops.h"
#include "penumbra/search/despot.h"
#include "penumbra/search/guarded.h"
#include "penumbra/search/online_policy.h"
#include "penumbra/search/pft.h"
#include "penumbra/search/pomcp.h"
#include "penumbra/search/pomcpow.h"
#include "penumbra/search/require_finite.h"

namespace penumbra::search {
namespace {

constexpr RngKey kKey = RngKey{0x7365617263680000u};
constexpr Capabilities kFinite = Capability::kFiniteActions | Capability::kFiniteObservations;
constexpr Capability kLikelihood = Capability::kLikelihood;
constexpr double kMostSeconds = 86'400;

// A planner being read from its parameters.
struct Request {
  Params& params;
  const Pomdp& model;
  const ReadController& read;
  ThreadPool& pool;
  const Stop& stop;
  std::shared_ptr<const Guide> guide{};  // the controller that goes along, if one does

  // The upper value of a search between bounds.
  std::shared_ptr<const MdpValue> upper() const {
    MdpValueOptions options;
    options.source =
        params.text("upper", "mdp", "mdp (V_mdp), or fib (the fast informed bound of a table)");
    if (options.source != "mdp" && options.source != "fib")
      throw Error("upper must be mdp or fib, not '" + options.source + "'");
    if (options.source == "mdp") options.source = "auto";
    return make_mdp_value(model, options, kKey.fold("mdp"), pool, stop);
  }
  // The lower value of a search between bounds.
  std::shared_ptr<const Guide> lower() {
    const std::string file =
        params.text("lower", "blind",
                    "what acts below the tree: blind (the best actions again and again), the name "
                    "of one action, or the file of a controller or of alpha-vectors");
    const std::vector<std::string>& names = model.facts().action_names;
    if (file == "blind")
      guide = Guide::blind(model, kKey.fold("blind"));
    else if (const auto named = std::find(names.begin(), names.end(), file); named != names.end())
      guide = Guide::always(model, static_cast<int>(named - names.begin()));
    else
      guide = controller(file);
    return guide;
  }
  std::shared_ptr<const Guide> controller(const std::string& file) const {
    Fnc fnc = read(file);
    try {
      return std::make_shared<Guide>(model, std::move(fnc), file);
    } catch (const Error& error) {
      throw Error(file + ": " + error.what());
    }
  }
  // What a descent finds at its end.
  std::shared_ptr<const Leaf> leaf() {
    LeafOptions options = read_leaf_options(params);
    if (!is_leaf_kind(options.kind)) {
      guide = controller(options.kind);
      return make_controller_leaf(model, guide->fsc(), options.steps);
    }
    return make_leaf(model, options, kKey.fold("leaf"), pool, stop);
  }
};

std::unique_ptr<const Planner> make_pomcp(Request& r) {
  const PomcpOptions options = read_pomcp_options(r.params);
  auto leaf = r.leaf();
  r.params.finish();
  return std::make_unique<Pomcp>(r.model, options, std::move(leaf));
}

std::unique_ptr<const Planner> make_pomcpow(Request& r) {
  const PomcpowOptions options = read_pomcpow_options(r.params);
  auto leaf = r.leaf();
  r.params.finish();
  return std::make_unique<Pomcpow>(r.model, options, std::move(leaf));
}

std::unique_ptr<const Planner> make_pft(Request& r) {
  PftOptions options = read_pft_options(r.params);
  if (r.params.name() == "sparse-pft") {
    if (r.params.given("alpha_o")) throw Error("sparse-pft has no alpha_o: that is pft-dpw");
    options.widening.alpha_seen = 0;
  }
  auto leaf = r.leaf();
  r.params.finish();
  return std::make_unique<Pft>(r.model, options, std::move(leaf));
}

std::unique_ptr<const Planner> make_despot(Request& r) {
  const DespotOptions options = DespotOptions::read(r.params);
  auto lower = r.lower();
  auto upper = r.upper();
  r.params.finish();
  return std::make_unique<Despot>(r.model, options, std::move(lower), std::move(upper));
}

std::unique_ptr<const Planner> make_adaops(Request& r) {
  const AdaopsOptions options = AdaopsOptions::read(r.params);
  auto lower = r.lower();
  auto upper = r.upper();
  r.params.finish();
  return std::make_unique<Adaops>(r.model, options, std::move(lower), std::move(upper));
}

struct Entry : PlannerInfo {
  std::unique_ptr<const Planner> (*make)(Request&);
};
constexpr Entry kPlanners[] = {
    {{"pomcp", "upper confidence search over histories", kFinite}, make_pomcp},
    {{"pomcpow", "the same for continuous observations and actions", kLikelihood}, make_pomcpow},
    {{"pft-dpw", "upper confidence search over particle beliefs", kLikelihood}, make_pft},
    {{"sparse-pft", "the same with a fixed number of observations", kLikelihood}, make_pft},
    {{"despot", "search between bounds on sampled scenarios (AR-DESPOT)", kFinite}, make_despot},
    {{"adaops", "search between bounds on weighted particles, like observations merged",
      kFinite | kLikelihood},
     make_adaops},
};

const Entry* find(const std::string& spec) {
  const std::string name = spec.substr(0, spec.find('('));
  for (const Entry& planner : kPlanners)
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

const Classified* groups_of(const Pomdp& model) {
  const auto* groups = dynamic_cast<const Classified*>(&model);
  if (!groups)
    throw Error(fmt::format(
        "raw=true is for observations that are grouped, and those of {} are not: leave it out",
        model.facts().name));
  require(groups->inner(), Capability::kLikelihood, "raw=true");
  return groups;
}

}  // namespace

std::vector<PlannerInfo> planners() {
  return {std::begin(kPlanners), std::end(kPlanners)};
}

bool is_planner(const std::string& spec) {
  return find(spec) != nullptr;
}

bool needs_finite_observations(const std::string& spec) {
  const Entry* planner = find(spec);
  return planner && planner->needs.has(Capability::kFiniteObservations);
}

bool sees_raw(const std::string& spec, const Pomdp& model) {
  if (!is_planner(spec)) return false;
  Params params(Spec::parse(spec));
  return params.flag("raw", groups_of_likelihood(model) != nullptr, "");
}

NamedPlanner named_planner(const std::string& spec, const Pomdp& model, const ReadController& read,
                           ThreadPool& pool, const Stop& stop) {
  Params params(Spec::parse(spec));
  const Entry* entry = find(params.name());
  if (!entry) {
    std::vector<std::string> names;
    for (const Entry& planner : kPlanners) names.push_back(planner.name);
    throw Error(fmt::format("there is no planner '{}'{}; there are {}", params.name(),
                            did_you_mean(params.name(), names), fmt::join(names, ", ")));
  }
  if (entry->needs.has(kFinite)) require_finite(model, params.name());
  require(model, entry->needs, params.name());
  NamedPlanner out;
  out.options = read_online_options(params);
  if (params.flag("raw", groups_of_likelihood(model) != nullptr,
                  "the filter takes observations as they are, not their groups; true where they "
                  "are grouped and have a likelihood"))
    out.groups = groups_of(model);
  out.audited = std::make_shared<const Audited>(model);
  Request request{params, *out.audited, read, pool, stop};
  out.planner = entry->make(request);
  if (request.guide && params.given("leaf"))
    out.planner = std::make_unique<Guarded>(std::move(out.planner), request.guide);
  out.guide = request.guide;
  out.text = params.canonical();
  out.parameters = params.declarations();
  return out;
}

std::unique_ptr<Policy> online_policy(const std::string& spec, const Pomdp& model,
                                      const ReadController& read, ThreadPool& pool,
                                      const Stop& stop) {
  NamedPlanner named = named_planner(spec, model, read, pool, stop);
  check_first_steps(*named.audited);
  if (named.groups) check_first_steps(Audited(named.groups->inner()));
  return std::make_unique<OnlinePolicy>(std::move(named.audited), std::move(named.planner),
                                        named.guide, named.options, named.text, named.groups);
}

}  // namespace penumbra::search
