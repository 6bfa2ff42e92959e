// penumbra simulate: one episode step by step, for people to read.
#include "penumbra/evaluate/simulate.h"

#include <fmt/format.h>

#include <memory>

#include "cli/command.h"
#include "cli/common_options.h"
#include "cli/json.h"
#include "penumbra/runs/load.h"
#include "penumbra/runs/score_json.h"
#include "penumbra/runs/watched.h"

namespace penumbra::cli {
namespace {

constexpr const char* kSimulateExamples =
    "Examples:\n"
    "  penumbra simulate tiger --policy random --steps 5\n"
    "  penumbra simulate 'rock-sample(n=5,k=3)' --policy random --episode 4\n"
    "  penumbra simulate light-dark --policy 'blind(action=right)' --steps 8 --plain\n"
    "  penumbra simulate 'rock-sample(n=7,k=8)' --policy 'despot(time=10ms)' --plain\n"
    "\n"
    "Episode E of seed S is the one that `penumbra evaluate --seed S` runs under that number.\n"
    "Drawings of rock-sample: @ robot, + good rock, - bad rock, P or M robot on a good or bad "
    "one.\n";

struct SimulateArguments {
  std::string domain, policy;
  uint64_t episode = 0, steps = 50;
  bool plain = false;
  CommonOptions common;
};

using Looks = std::vector<search::OnlinePolicy::Look>;

std::string words(const search::Decision& d) {
  std::string text = fmt::format("plans: worth {:.3f}", d.value);
  if (d.lower <= d.upper) text += fmt::format(", between {:.3f} and {:.3f}", d.lower, d.upper);
  text += fmt::format("; {} descents, {} beliefs, depth {}", d.simulations, d.beliefs, d.depth);
  return d.by_search ? text : text + "; as without a search";
}

Json as_json(const SimulateArguments& o, const Job& job, const std::vector<TraceStep>& steps,
             const Looks& looks, double total) {
  const Pomdp& m = *job.model;
  Json list = Json::array();
  for (const TraceStep& s : steps)
    list.push_back({{"state", m.describe_state(s.state.data())},
                    {"action", m.describe_action(s.action.data())},
                    {"observation", m.describe_seen(s.seen.data())},
                    {"reward", s.reward},
                    {"next", m.describe_state(s.next.data())}});
  for (size_t t = 0; t < looks.size(); ++t) list[t]["decision"] = decision_json(looks[t].decision);
  return {{"domain", m.facts().name},
          {"policy", job.policies[0]->describe()},
          {"seed", o.common.seed},
          {"episode", o.episode},
          {"steps", list},
          {"return", total},
          {"ended", !steps.empty() && steps.back().ended}};
}

void print_trace(const SimulateArguments& o, const Job& job, const std::vector<TraceStep>& steps,
                 const Looks& looks, double total) {
  const Pomdp& m = *job.model;
  const bool draws = !o.plain && m.has(Capability::kDrawing);
  auto show = [&](size_t t, const std::vector<std::byte>& state) {
    fmt::print("step {}: {}\n", t, m.describe_state(state.data()));
    if (draws) fmt::print("{}", m.draw(state.data()));
  };
  fmt::print("{}, policy {}, seed {}, episode {}\n\n", m.facts().name, job.policies[0]->describe(),
             o.common.seed, o.episode);
  for (size_t t = 0; t < steps.size(); ++t) {
    const TraceStep& s = steps[t];
    show(t, s.state);
    if (t < looks.size()) fmt::print("  {}\n", words(looks[t].decision));
    fmt::print("  does {}, sees {}, reward {:g}\n", m.describe_action(s.action.data()),
               m.describe_seen(s.seen.data()), s.reward);
    if (draws) fmt::print("\n");
  }
  const bool ended = !steps.empty() && steps.back().ended;
  if (!steps.empty()) show(steps.size(), steps.back().next);
  fmt::print("\n{} after {} steps, return {:.4f} (discount {:g})\n",
             ended           ? "ended"
             : steps.empty() ? "nothing to do: the start is terminal"
                             : "cut",
             steps.size(), total, m.facts().discount);
}

int run(const SimulateArguments& o) {
  const Job job = load_job(o.domain, {o.policy}, o.common);
  // The streams of `evaluate`, so that its episodes can be looked at.
  const RngKey key = RngKey::from_seed(o.common.seed).fold("evaluate");
  const Watched policy(*job.policies[0]);
  const std::vector<TraceStep> steps =
      trace(*job.model, policy, key, o.episode, static_cast<int>(o.steps));
  double total = 0, weight = 1;
  for (const TraceStep& s : steps) {
    total += weight * s.reward;
    weight *= job.model->facts().discount;
  }
  if (o.common.json)
    print_json(as_json(o, job, steps, policy.looks(), total));
  else
    print_trace(o, job, steps, policy.looks(), total);
  return kOk;
}

}  // namespace

std::function<int()> declare_simulate(Flags& flags) {
  auto o = std::make_shared<SimulateArguments>();
  flags.positional("DOMAIN", o->domain, Need::kRequired,
                   "the problem: a name (penumbra domains lists them) or a .pomdp or .pomdpx file");
  flags.text("--policy", o->policy, Need::kRequired, "what the agent does");
  flags.count("--episode", o->episode, 0, kMaxEpisodes - 1, "which episode (0)");
  flags.count("--steps", o->steps, 1, 1'000'000, "show at most this many (50)");
  flags.flag("--plain", o->plain, "no drawings");
  declare_common(flags, o->common);
  flags.examples(kSimulateExamples);
  return [o] { return run(*o); };
}

}  // namespace penumbra::cli
