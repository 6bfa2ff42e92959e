#include "penumbra/solvers/ppo/options.h"

#include <fmt/format.h>

#include "penumbra/base/error.h"
#include "penumbra/base/spec.h"

namespace penumbra::ppo {
namespace {

struct Preset {
  const char* name;
  Settings settings;
};

// The paper's table of the best of 50 trials each.
// clang-format off
constexpr Preset kPresets[] = {
    //                  lanes steps hidden epochs minibatches  rate    clip   entropy value  gae    norm decay
    {"default",          {}},
    {"paper-rs7",        { 64,  64, 256, 3,  8, 1.41e-4, 0.284,  0.084,  0.572,  0.367,  1.064, 0}},
    {"paper-rs11",       { 64,  64, 128, 6,  8, 5.08e-4, 0.389,  0.015,  0.318,  0.448,  0.786, 0}},
    {"paper-rs15",       {128,  64, 256, 8,  4, 1.54e-4, 0.319,  0.076,  0.599,  0.102,  1.186, 0}},
    {"paper-rs20",       {128,  64, 128, 6, 16, 2.42e-4, 0.227,  0.0004, 0.435,  0.734,  0.558, 0}},
    {"paper-light-dark", { 64,  64, 512, 7, 16, 8.99e-4, 0.1024, 0.0126, 0.4793, 0.1,    0.5627, 0}},
    {"paper-roomba",     { 64, 256, 256, 6,  8, 3.81e-4, 0.3107, 0.0566, 0.4785, 0.1277, 1.9196, 0}},
};
// clang-format on

// The paper's column that a domain belongs to.
std::string column(const std::string& domain) {
  Spec spec = Spec::parse(domain);
  if (spec.name == "light-dark") return "paper-light-dark";
  if (spec.name == "lidar-roomba") return "paper-roomba";
  if (spec.name == "rock-sample") {
    const std::string n = spec.take("n");
    if (n.empty() || n == "7") return "paper-rs7";
    if (n == "11" || n == "15" || n == "20") return "paper-rs" + n;
  }
  throw Error(fmt::format(
      "the paper has no settings for {}; name a preset, such as --preset paper-rs7", domain));
}

}  // namespace

void PpoOptions::list(OptionList& l) {
  std::vector<std::string> names = {"default", "paper"};
  for (const Preset& p : kPresets)
    if (names[0] != p.name) names.push_back(p.name);
  l.add("preset", preset, names, "where options come from that are not given");
  l.add("lanes", lanes, 0, 65'536, "episodes side by side; 0: the preset's");
  l.add("steps", steps, 0, 65'536, "of each lane per round, and of back-propagation; 0: preset");
  l.add("hidden", hidden, 0, 8192, "units of every layer, a multiple of 16; 0: preset");
  l.add("epochs", epochs, 0, 1000, "passes over what a round collected; 0: preset");
  l.add("minibatches", minibatches, 0, 65'536, "gradient steps per pass; 0: preset");
  l.add("rate", rate, 0, 1, "of learning; 0: preset");
  l.add("clip", clip, 0, 10, "how far a probability may move per round; 0: preset");
  l.add("entropy", entropy, -1, 10, "weight of staying undecided; -1: preset");
  l.add("value-weight", value_weight, 0, 100, "of the critic's error; 0: preset");
  l.add("gae", gae, 0, 1, "lambda of the advantages; 0: preset");
  l.add("max-norm", max_norm, 0, 1e6, "of a gradient; 0: preset");
  l.add(
      "decay", decay, -1, 2'000'000'000,
      "backups over which rate and entropy fall, to a tenth and a hundredth; 0: never; -1: preset");
  l.add("max-episode", max_episode, 0, 1'000'000, "cut training episodes here; 0: by the discount");
  l.add("evaluations", evaluations, 1, 100'000'000, "episodes of each simulated value");
}

Settings PpoOptions::settings(const std::string& domain) const {
  const std::string wanted = preset == "paper" ? column(domain) : preset;
  Settings s;
  for (const Preset& p : kPresets)
    if (wanted == p.name) s = p.settings;
  auto take = [](auto& to, auto given) {
    if (given > 0) to = given;
  };
  take(s.lanes, lanes);
  take(s.steps, steps);
  take(s.hidden, hidden);
  take(s.epochs, epochs);
  take(s.minibatches, minibatches);
  take(s.rate, rate);
  take(s.clip, clip);
  if (entropy >= 0) s.entropy = entropy;
  take(s.value_weight, value_weight);
  take(s.gae, gae);
  take(s.max_norm, max_norm);
  if (decay >= 0) s.decay = decay;
  if (s.hidden % 16 != 0)
    throw Error(fmt::format("hidden={} is not allowed; it must be a multiple of 16", s.hidden));
  if (s.minibatches > s.lanes)
    throw Error(fmt::format(
        "minibatches={} is not allowed with lanes={}: a minibatch has at least one lane",
        s.minibatches, s.lanes));
  return s;
}

}  // namespace penumbra::ppo
