#include "penumbra/io/c_text.h"

#include <algorithm>

#include "penumbra/model/cluster_observations.h"

namespace penumbra {
namespace {

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}
bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

std::string upper(std::string text) {
  for (char& c : text)
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  return text;
}

// Escapes are octal, which end after three digits; '?' could be part of a trigraph.
std::string literal(const std::string& text) {
  constexpr size_t kLongest = 1000;  // C99 promises room for 4095
  std::string out = "\"";
  for (char c : text.substr(0, kLongest)) {
    if (c == '"' || c == '\\' || c == '?')
      out += {'\\', c};
    else if (c < ' ' || c > '~')
      out += fmt::format("\\{:03o}", static_cast<unsigned char>(c));
    else
      out += c;
  }
  return out + '"';
}

// The shortest decimal that reads back as the same float.
std::string number(float value) {
  std::string text = fmt::format("{}", value);
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return text + 'f';
}

}  // namespace

std::string c_identifier(const std::string& text) {
  std::string out;
  for (char c : text) {
    if (is_letter(c) || is_digit(c))
      out += c;
    else if (!out.empty() && out.back() != '_')  // two together are reserved in C++
      out += '_';
  }
  while (!out.empty() && out.back() == '_') out.pop_back();
  if (out.empty()) return "policy";
  return is_letter(out[0]) ? out : "policy_" + out;
}

std::string c_comment(const std::string& text) {
  std::string out;
  for (char c : text) out += c == '*' || c == '\\' || c < ' ' || c > '~' ? '.' : c;
  return out;
}

const char* c_smallest_type(size_t count) {
  return count <= 256 ? "uint8_t" : count <= 65'536 ? "uint16_t" : "uint32_t";
}

CText::CText(const std::string& prefix) : prefix_(prefix), capitals_(upper(prefix)) {}

void CText::words(const std::string& type, const std::string& what,
                  const std::vector<std::string>& values) {
  constexpr size_t kColumns = 98;
  add("static const {2} {0}_{3}[{4}] = {{", type, what, values.size());
  std::string line;
  for (size_t i = 0; i < values.size(); ++i) {
    const std::string next = values[i] + (i + 1 < values.size() ? "," : "");
    if (i == 0 || line.size() + 1 + next.size() > kColumns) {
      out_ += line + "\n";
      line = "   ";
    }
    line += " " + next;
  }
  out_ += line + "};\n";
}

void CText::table(const std::string& type, const std::string& what, std::span<const int> values) {
  std::vector<std::string> all;
  for (int value : values) all.push_back(std::to_string(value));
  words(type, what, all);
}

void CText::table(const std::string& what, std::span<const float> values) {
  std::vector<std::string> all;
  for (float value : values) all.push_back(number(value));
  words("float", what, all);
}

void CText::texts(const std::string& what, const std::vector<std::string>& values) {
  std::vector<std::string> all;
  for (const std::string& value : values) all.push_back(literal(value));
  words("char* const", what, all);
}

std::string CText::number_of_seen(const PolicyFile& policy) const {
  if (policy.tree_dimension > 0)
    return fmt::format("{}_discretise({}, seen)", prefix(),
                       policy.controller().action_width > 0 ? "state" : "action");
  return policy.seen_dimension > 0 ? prefix() + "_discretise(seen)" : "observation";
}

std::string CText::seen_dimension(const PolicyFile& policy) const {
  const int dimension = std::max(policy.seen_dimension, policy.tree_dimension);
  return dimension > 0 ? fmt::format(",\n  {}_SEEN_DIMENSION = {}", capitals(), dimension) : "";
}

void CText::trees(const PolicyFile& policy) {
  const ActionTrees& trees = policy.seen_trees;
  std::vector<int> root, coordinate, below, above;
  std::vector<float> bound;
  for (const ObservationTree& tree : trees.trees) {
    const auto first = static_cast<int>(bound.size());
    root.push_back(tree.splits().empty() ? -1 : first);
    for (const ObservationTree::Split& s : tree.splits()) {
      coordinate.push_back(s.coordinate);
      bound.push_back(s.bound);
      below.push_back(s.below < 0 ? s.below : first + s.below);
      above.push_back(s.above < 0 ? s.above : first + s.above);
    }
  }
  // Real actions are rows of the controller's: after one the state still tells which.
  const Fsc& fsc = policy.controller();
  const size_t width = static_cast<size_t>(fsc.action_width);
  std::vector<int> root_of;
  for (size_t row = 0; width > 0 && row * width < fsc.action_values.size(); ++row)
    root_of.push_back(
        root[&trees.of(reinterpret_cast<const std::byte*>(fsc.action_values.data() + row * width)) -
             trees.trees.data()]);
  for (size_t a = 0; width == 0 && a < trees.tree_of.size(); ++a)
    root_of.push_back(root[trees.tree_of[a]]);
  add("\n/* The number of an observation, {1}_SEEN_DIMENSION floats, after {2}: a tree of\n"
      "   bounds. Negative: ~ of the number. */\n",
      width > 0 ? "the action of a state" : "an action");
  table("int32_t", "tree_root", root_of);
  if (!bound.empty()) {
    table("int32_t", "tree_coordinate", coordinate);
    table("tree_bound", bound);
    table("int32_t", "tree_below", below);
    table("int32_t", "tree_above", above);
  }
  if (width > 0)
    add("static inline int {0}_discretise(int state, const float* seen) {{\n"
        "  int at = (int){0}_tree_root[{0}_actions[state]];\n");
  else
    add("static inline int {0}_discretise(int action, const float* seen) {{\n"
        "  int at = (int){0}_tree_root[action];\n");
  if (bound.empty())
    add("  (void)seen;\n");
  else
    add("  while (at >= 0) {{\n"
        "    at = (int)(seen[{0}_tree_coordinate[at]] < {0}_tree_bound[at] ? {0}_tree_below[at]\n"
        "                                                              : {0}_tree_above[at]);\n"
        "  }}\n");
  add("  return ~at;\n}}\n");
}

void CText::discretiser(const PolicyFile& policy) {
  if (policy.tree_dimension > 0) trees(policy);
  if (policy.seen_dimension == 0) return;
  if (policy.seen_dimension == 1) {
    const std::vector<float> bounds = cluster_bounds(policy.seen_centres);
    add("\n/* The number of an observation, one float: how many of these it is not below. */\n");
    if (!bounds.empty()) table("bounds", bounds);
    add("static inline int {0}_discretise(const float* seen) {{\n"
        "  int below = 0, above = {1}_NUM_OBSERVATIONS - 1;\n");
    if (bounds.empty())
      add("  (void)seen;\n  (void)above;\n");
    else
      add("  while (below < above) {{\n"
          "    const int middle = (below + above) / 2;\n"
          "    if ({0}_bounds[middle] <= *seen) {{\n"
          "      below = middle + 1;\n"
          "    }} else {{\n"
          "      above = middle;\n"
          "    }}\n"
          "  }}\n");
    add("  return below;\n}}\n");
    return;
  }
  add("\n/* The number of an observation, {1}_SEEN_DIMENSION floats: the nearest of these. */\n");
  table("centres", policy.seen_centres);
  const bool units = !policy.seen_units.empty();
  if (units) {
    add("/* What a distance of 1 is along each coordinate. */\n");
    table("units", policy.seen_units);
  }
  add("static inline int {0}_discretise(const float* seen) {{\n"
      "  double best_distance = 0;\n"
      "  int best = 0, c, d;\n"
      "  for (c = 0; c < {1}_NUM_OBSERVATIONS; ++c) {{\n"
      "    double distance = 0;\n"
      "    for (d = 0; d < {1}_SEEN_DIMENSION; ++d) {{\n"
      "      const double apart =\n"
      "          ((double)seen[d] - (double){0}_centres[c * {1}_SEEN_DIMENSION + d]){2};\n"
      "      distance += apart * apart;\n"
      "    }}\n"
      "    if (c == 0 || distance < best_distance) {{\n"
      "      best_distance = distance;\n"
      "      best = c;\n"
      "    }}\n"
      "  }}\n"
      "  return best;\n"
      "}}\n",
      units ? " / (double)" + prefix() + "_units[d]" : "");
}

void CText::names(const PolicyFile& policy) {
  const Facts facts = facts_of(policy);
  auto list = [&](const char* what, int count, auto name) {
    std::vector<std::string> all;
    for (int i = 0; i < count; ++i) all.push_back(name(i));
    add("\n");
    texts(fmt::format("{}_names", what), all);
    add("static inline const char* {0}_{2}_name(int {2}) {{ return {0}_{2}_names[{2}]; }}\n", what);
  };
  if (policy.controller().action_width == 0)
    list("action", policy.num_actions, [&](int a) { return facts.action_name(a); });
  list("observation", policy.num_observations, [&](int o) { return facts.observation_name(o); });
}

}  // namespace penumbra
