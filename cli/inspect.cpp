// penumbra inspect: what a policy is made of and what of it is used.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <numeric>

#include "cli/command.h"
#include "cli/json.h"
#include "penumbra/base/error.h"
#include "penumbra/evaluate/controller_use.h"
#include "penumbra/evaluate/simulate.h"
#include "penumbra/io/export_dot.h"
#include "penumbra/io/visits_dot.h"
#include "penumbra/nn/value_bank.h"
#include "penumbra/policy/fnc.h"
#include "penumbra/runs/load.h"
#include "penumbra/runs/load_controller.h"

namespace penumbra::cli {
namespace {

constexpr const char* kInspectExamples =
    "Examples:\n"
    "  penumbra inspect rs7.policy\n"
    "  penumbra inspect runs/rs11                      the policy of a run\n"
    "  penumbra inspect rs7.policy --top 20 --json\n"
    "  penumbra inspect tiger.policy --dot | dot -Tsvg -o tiger.svg\n"
    "\n"
    "Visits are counted by simulation. The graph of --dot has only what was visited, with how\n"
    "often; penumbra export writes the whole controller.\n";

struct InspectArguments {
  std::string policy, model;
  uint64_t episodes = 10'000, top = 10, max_nodes = 10'000;
  bool dot = false;
  CommonOptions common;
};

// Everything that is told about a controller.
struct Portrait {
  PolicyFile policy;
  std::string source;
  int reachable = 0, minimal = 0, depth = 0;
  std::vector<int> nodes_by_action;
  ControllerUse use;                      // no episodes: the model could not be loaded
  std::vector<uint64_t> steps_by_action;  // simulated
  std::string unvisited;                  // why there are no visits
};

Portrait look(const InspectArguments& o) {
  std::string path = o.policy;
  if (const std::string best = path + "/best.policy"; std::filesystem::is_directory(path))
    path = best;
  LoadedController loaded = load_controller(path, o.model, o.max_nodes, o.common);
  if (policy_as<RecurrentActor>(loaded.policy.policy))
    throw Error(path +
                " holds a recurrent network, which has no nodes to look at; 'penumbra "
                "export' writes it as C or JSON");
  Portrait p;
  p.policy = std::move(loaded.policy);
  p.source = loaded.source;
  const Fsc& fsc = p.policy.controller();
  for (int steps : steps_from_start(fsc)) {
    p.reachable += steps >= 0;
    p.depth = std::max(p.depth, steps);
  }
  p.minimal = minimised(fsc).num_nodes();
  p.nodes_by_action.resize(size_t(p.policy.num_actions));
  for (int action : fsc.action) ++p.nodes_by_action[size_t(action)];
  std::unique_ptr<Pomdp> model;
  try {
    model = load_model(o.model.empty() ? p.policy.domain : o.model, o.common, true);
    check_policy_fits(p.policy, *model, path);
  } catch (const Error& error) {
    if (!o.model.empty()) throw;
    p.unvisited = error.what();
    return p;
  }
  ThreadPool pool(static_cast<int>(o.common.threads));
  p.use = controller_use(*model, fsc, o.episodes, horizon_for(model->facts(), 1e-3), o.common.seed,
                         pool);
  p.steps_by_action.resize(size_t(p.policy.num_actions));
  for (size_t n = 0; n < p.use.visits.size(); ++n)
    p.steps_by_action[size_t(fsc.action[n])] += p.use.visits[n];
  return p;
}

// The numbers of the `top` largest, largest first; none that is 0.
std::vector<size_t> largest(const std::vector<uint64_t>& counts, size_t top) {
  std::vector<size_t> order(counts.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return counts[a] > counts[b]; });
  order.resize(std::min(order.size(), top));
  while (!order.empty() && counts[order.back()] == 0) order.pop_back();
  return order;
}

// How many nodes it takes for this share of all steps.
int nodes_for(const ControllerUse& use, double share) {
  std::vector<uint64_t> counts = use.visits;
  std::sort(counts.rbegin(), counts.rend());
  const double enough = share * double(use.steps());
  double sum = 0;
  for (size_t n = 0; n < counts.size(); ++n)
    if ((sum += double(counts[n])) >= enough) return int(n + 1);
  return int(counts.size());
}

double per_episode(const Portrait& p, uint64_t count) {
  return double(count) / double(std::max<uint64_t>(1, p.use.episodes));
}

// Null: the controller has none.
const nn::ValueBank* networks_of(const Portrait& p) {
  const auto* fnc = policy_as<Fnc>(p.policy.policy);
  return fnc ? fnc->networks.get() : nullptr;
}

std::string network_words(const nn::ValueBank& bank) {
  if (bank.form() == nn::BankForm::kGated)
    return fmt::format("{} functions, linear within a category", bank.size());
  if (bank.form() == nn::BankForm::kAnchors)
    return fmt::format("{} functions, known at sampled states", bank.size());
  const std::string units =
      bank.hidden().empty() ? "no hidden" : fmt::format("{}", fmt::join(bank.hidden(), "-"));
  return bank.form() == nn::BankForm::kHeads
             ? fmt::format("{} heads on {} shared units", bank.size(), units)
             : fmt::format("{} networks of {} units", bank.size(), units);
}

Json network_json(const nn::ValueBank& bank) {
  const FeatureLayout& input = bank.layout();
  return {
      {"count", bank.size()},
      {"form", nn::name(bank.form())},
      {"hidden", bank.hidden()},
      {"weights", bank.num_weights()},
      {"inputs",
       {{"categories", input.categories}, {"bits", input.num_bits}, {"dense", input.num_dense}}}};
}

Json portrait_json(const InspectArguments& o, const Portrait& p) {
  const Facts facts = facts_of(p.policy);
  const Fsc& fsc = p.policy.controller();
  Json out{{"policy", o.policy},       {"domain", p.policy.domain},
           {"controller", p.source},   {"nodes", fsc.num_nodes()},
           {"reachable", p.reachable}, {"minimal", p.minimal},
           {"depth", p.depth},         {"vectors", p.policy.vectors().vectors.size()},
           {"start", fsc.start}};
  if (const nn::ValueBank* bank = networks_of(p)) out["networks"] = network_json(*bank);
  out["actions"] = Json::array();
  for (size_t a = 0; a < p.nodes_by_action.size(); ++a) {
    Json action{{"action", facts.action_name(int(a))}, {"nodes", p.nodes_by_action[a]}};
    if (p.use.episodes > 0) action["per_episode"] = per_episode(p, p.steps_by_action[a]);
    out["actions"].push_back(std::move(action));
  }
  if (p.use.episodes == 0) {
    out["problem"] = p.unvisited;
    return out;
  }
  out["episodes"] = p.use.episodes;
  out["steps_per_episode"] = per_episode(p, p.use.steps());
  out["top_nodes"] = Json::array();
  for (size_t n : largest(p.use.visits, o.top))
    out["top_nodes"].push_back({{"node", n},
                                {"action", facts.action_name(fsc.action[n])},
                                {"per_episode", per_episode(p, p.use.visits[n])}});
  out["top_edges"] = Json::array();
  for (size_t e : largest(p.use.taken, o.top)) {
    const size_t n = e / size_t(fsc.num_observations);
    const int seen = int(e % size_t(fsc.num_observations));
    out["top_edges"].push_back({{"from", n},
                                {"to", fsc.edges[e]},
                                {"observation", facts.observation_name(seen)},
                                {"per_episode", per_episode(p, p.use.taken[e])},
                                {"probability", double(p.use.taken[e]) / double(p.use.visits[n])}});
  }
  return out;
}

void print_portrait(const InspectArguments& o, const Portrait& p) {
  const Facts facts = facts_of(p.policy);
  const Fsc& fsc = p.policy.controller();
  fmt::print("{}: a controller for {}\n", o.policy, p.policy.domain);
  fmt::print("  from      {}\n", p.source);
  if (const size_t vectors = p.policy.vectors().vectors.size(); vectors > 0)
    fmt::print("  vectors   {}\n", vectors);
  fmt::print("  nodes     {}; {} can be reached from the start, {} behave differently\n",
             fsc.num_nodes(), p.reachable, p.minimal);
  if (const nn::ValueBank* bank = networks_of(p))
    fmt::print("  networks  {}, {} weights in {:.1f} kB\n", network_words(*bank),
               bank->num_weights(), static_cast<double>(bank->num_weights() * sizeof(float)) / 1e3);
  fmt::print("  depth     {} steps from the start to the farthest node\n", p.depth);
  const auto used = std::count_if(p.nodes_by_action.begin(), p.nodes_by_action.end(),
                                  [](int nodes) { return nodes > 0; });
  fmt::print("  actions   {} of {}\n", used, p.nodes_by_action.size());
  if (p.use.episodes == 0) {
    fmt::print("  visits    not simulated: {}\n", p.unvisited);
    return;
  }
  fmt::print("  visits    {} episodes of {:.1f} steps: half of the steps in {} nodes, 99 % in {}\n",
             p.use.episodes, per_episode(p, p.use.steps()), nodes_for(p.use, 0.5),
             nodes_for(p.use, 0.99));
  fmt::print("\n{:<20} {:>7} {:>12}\n", "action", "nodes", "per episode");
  for (size_t a : largest(p.steps_by_action, p.steps_by_action.size()))
    fmt::print("{:<20} {:7} {:12.3f}\n", facts.action_name(int(a)), p.nodes_by_action[a],
               per_episode(p, p.steps_by_action[a]));
  fmt::print("\n{:<8} {:<20} {:>12}\n", "node", "action", "per episode");
  for (size_t n : largest(p.use.visits, o.top))
    fmt::print("{:<8} {:<20} {:12.3f}\n", fmt::format("{}{}", n, int(n) == fsc.start ? " *" : ""),
               facts.action_name(fsc.action[n]), per_episode(p, p.use.visits[n]));
  fmt::print("\n{:<8} {:<20} {:<8} {:>12} {:>12}\n", "from", "observation", "to", "per episode",
             "probability");
  for (size_t e : largest(p.use.taken, o.top)) {
    const size_t n = e / size_t(fsc.num_observations);
    fmt::print("{:<8} {:<20} {:<8} {:12.3f} {:12.3f}\n", n,
               facts.observation_name(int(e % size_t(fsc.num_observations))), fsc.edges[e],
               per_episode(p, p.use.taken[e]), double(p.use.taken[e]) / double(p.use.visits[n]));
  }
}

int run(const InspectArguments& o) {
  const Portrait p = look(o);
  if (o.dot)
    fmt::print("{}", p.use.episodes > 0 ? visits_dot(p.policy, p.use) : controller_dot(p.policy));
  else if (o.common.json)
    print_json(portrait_json(o, p));
  else
    print_portrait(o, p);
  return kOk;
}

}  // namespace

std::function<int()> declare_inspect(Flags& flags) {
  auto o = std::make_shared<InspectArguments>();
  flags.positional("POLICY", o->policy, Need::kRequired, "a policy file, or the folder of a run");
  flags.text("--model", o->model, Need::kOptional,
             "the model, where the policy file does not name one that can be loaded");
  flags.count("--episodes", o->episodes, 1, 1'000'000'000, "that count visits (10000)");
  flags.count("--top", o->top, 0, 1'000'000, "nodes and edges that are listed (10)");
  flags.count("--max-nodes", o->max_nodes, 1, 10'000'000,
              "beliefs that alpha-vectors are followed to (10000)");
  flags.flag("--dot", o->dot, "print a graph for Graphviz instead");
  declare_common(flags, o->common);
  flags.examples(kInspectExamples);
  return [o] { return run(*o); };
}

}  // namespace penumbra::cli
