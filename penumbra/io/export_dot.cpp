#include "penumbra/io/export_dot.h"

#include <map>

#include "penumbra/base/error.h"
#include "penumbra/io/text.h"

namespace penumbra {
namespace {

constexpr size_t kMany = 4;    // observations on one arrow
constexpr size_t kListed = 8;  // at most, where they are listed

std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c >= 0 && c < ' ' ? ' ' : c;
  }
  return out + '"';
}

std::string label(const std::vector<int>& seen, bool most_common, const Facts& facts) {
  if (static_cast<int>(seen.size()) == facts.num_observations) return "any";
  if (most_common && seen.size() > kMany) return "else";
  std::vector<std::string> names;
  for (size_t i = 0; i < seen.size() && i < kListed; ++i)
    names.push_back(facts.observation_name(seen[i]));
  if (seen.size() > kListed) names.push_back(fmt::format("{} more", seen.size() - kListed));
  return fmt::format("{}", fmt::join(names, ", "));
}

}  // namespace

std::string controller_dot(const PolicyFile& policy) {
  const Fsc& fsc = policy.controller();
  PENUMBRA_CHECK(fsc.num_nodes() > 0, "a graph is made of a controller");
  const Facts facts = facts_of(policy);
  std::string out =
      fmt::format("digraph {} {{\n  node [shape=box, style=rounded];\n", quoted(policy.domain));
  for (int n = 0; n < fsc.num_nodes(); ++n)
    append(out, "  n{} [label={}{}];\n", n, quoted(facts.action_name(fsc.action[n])),
           n == fsc.start ? ", peripheries=2" : "");
  for (int n = 0; n < fsc.num_nodes(); ++n) {
    std::map<int, std::vector<int>> ways;  // next node: the observations that lead there
    for (int o = 0; o < fsc.num_observations; ++o) ways[fsc.next(n, o)].push_back(o);
    auto common = ways.begin();
    for (auto way = ways.begin(); way != ways.end(); ++way)
      if (way->second.size() > common->second.size()) common = way;
    for (const auto& [to, seen] : ways)
      append(out, "  n{} -> n{} [label={}];\n", n, to,
             quoted(label(seen, to == common->first, facts)));
  }
  return out + "}\n";
}

}  // namespace penumbra
