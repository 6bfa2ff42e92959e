#include "penumbra/io/visits_dot.h"

#include <algorithm>
#include <map>

#include "penumbra/io/text.h"

namespace penumbra {
namespace {

constexpr size_t kListed = 4;  // observations on one arrow

std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (char c : text) {
    if (c == '"') out += '\\';
    out += c >= 0 && c < ' ' ? ' ' : c;
  }
  return out + '"';
}

struct Way {
  uint64_t count = 0;
  std::vector<std::string> seen;
};

}  // namespace

std::string visits_dot(const PolicyFile& policy, const ControllerUse& use, double least) {
  const Fsc& fsc = policy.controller();
  const Facts facts = facts_of(policy);
  const size_t width = size_t(fsc.num_observations);
  std::string out;
  append(out, "digraph {} {{\n  node [shape=box, style=\"rounded,filled\"];\n",
         quoted(policy.domain));
  uint64_t most = 1;
  for (uint64_t count : use.visits) most = std::max(most, count);
  for (int n = 0; n < fsc.num_nodes(); ++n) {
    const uint64_t count = use.visits[size_t(n)];
    if (count == 0) continue;
    const double share = double(count) / double(most);
    append(out, "  n{} [label={}, fillcolor=\"0.58 {:.2f} 1\"{}];\n", n,
           quoted(fmt::format("{}\\n{:.3g} per episode", facts.action_name(fsc.action[size_t(n)]),
                              double(count) / double(use.episodes))),
           0.5 * share, n == fsc.start ? ", peripheries=2" : "");
    std::map<int, Way> ways;
    for (size_t o = 0; o < width; ++o) {
      const uint64_t taken = use.taken[size_t(n) * width + o];
      if (taken == 0) continue;
      Way& way = ways[fsc.next(n, int(o))];
      way.count += taken;
      way.seen.push_back(facts.observation_name(int(o)));
    }
    for (auto& [to, way] : ways) {
      const double probability = double(way.count) / double(count);
      if (probability < least) continue;
      if (way.seen.size() > kListed) {
        const size_t more = way.seen.size() - (kListed - 1);
        way.seen.resize(kListed - 1);
        way.seen.push_back(fmt::format("{} more", more));
      }
      append(out, "  n{} -> n{} [label={}, penwidth={:.2f}];\n", n, to,
             quoted(fmt::format("{} {:.0f}%", fmt::join(way.seen, ", "), 100 * probability)),
             0.5 + 2.5 * probability);
    }
  }
  append(out, "}}\n");
  return out;
}

}  // namespace penumbra
