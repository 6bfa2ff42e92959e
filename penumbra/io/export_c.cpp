#include "penumbra/io/export_c.h"

#include <fmt/format.h>

#include <iterator>

#include "penumbra/base/error.h"
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

// Text that can stand in a comment: nothing in it opens or ends one.
std::string comment(const std::string& text) {
  std::string out;
  for (char c : text) out += c == '*' || c == '\\' || c < ' ' || c > '~' ? '.' : c;
  return out;
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

const char* smallest_type(size_t count) {
  return count <= 256 ? "uint8_t" : count <= 65'536 ? "uint16_t" : "uint32_t";
}

class CWriter {
 public:
  CWriter(const PolicyFile& policy, const std::string& prefix)
      : policy_(policy), fsc_(policy.controller()), facts_(facts_of(policy)), prefix_(prefix) {}

  std::string write() {
    opening();
    tables();
    functions();
    if (policy_.seen_dimension > 0) discretiser();
    names("action", policy_.num_actions, [&](int a) { return facts_.action_name(a); });
    names("observation", policy_.num_observations,
          [&](int o) { return facts_.observation_name(o); });
    add("#endif\n");
    return std::move(out_);
  }

 private:
  // Every {0} is the prefix, {1} the prefix in capitals.
  template <class... T>
  void add(const char* format, const T&... values) {
    fmt::format_to(std::back_inserter(out_), fmt::runtime(format), prefix_, upper(prefix_),
                   values...);
  }

  void opening() {
    const bool clustered = policy_.seen_dimension > 0;
    add("/* A policy for {2}: a finite-state controller.\n"
        "   Its whole memory is one int:\n"
        "\n"
        "     int state = {0}_start();\n"
        "     for (;;) {{\n"
        "       int action = {0}_act(state);\n"
        "       ... act, and see what comes of it ...\n"
        "       state = {0}_observe(state, {3});\n"
        "     }}\n"
        "\n"
        "   C99 and C++; no allocation, nothing to link. Written by penumbra export. */\n",
        comment(policy_.domain), clustered ? prefix_ + "_discretise(seen)" : "observation");
    add("#ifndef {1}_CONTROLLER_H\n#define {1}_CONTROLLER_H\n\n#include <stdint.h>\n\n");
    add("enum {{\n  {1}_NUM_STATES = {2},\n  {1}_NUM_ACTIONS = {3},\n"
        "  {1}_NUM_OBSERVATIONS = {4}{5}\n}};\n\n",
        fsc_.num_nodes(), policy_.num_actions, policy_.num_observations,
        clustered
            ? fmt::format(",\n  {}_SEEN_DIMENSION = {}", upper(prefix_), policy_.seen_dimension)
            : "");
  }

  template <class Values, class Word>
  void table(const std::string& type, const char* what, const Values& values, const Word& word) {
    constexpr size_t kColumns = 98;
    add("static const {2} {0}_{3}[{4}] = {{", type, what, values.size());
    std::string line;
    for (size_t i = 0; i < values.size(); ++i) {
      const std::string next = word(values[i]) + (i + 1 < values.size() ? "," : "");
      if (i == 0 || line.size() + 1 + next.size() > kColumns) {
        out_ += line + "\n";
        line = "   ";
      }
      line += " " + next;
    }
    out_ += line + "};\n";
  }

  void tables() {
    const auto plain = [](int value) { return std::to_string(value); };
    add("/* The action of each state; the next state, [state][observation]. */\n");
    table(smallest_type(policy_.num_actions), "actions", fsc_.action, plain);
    table(smallest_type(fsc_.num_nodes()), "next", fsc_.edges, plain);
  }

  void functions() {
    add("\nstatic inline int {0}_start(void) {{ return {2}; }}\n", fsc_.start);
    add("\n/* `state`: what {0}_start or {0}_observe gave. */\n"
        "static inline int {0}_act(int state) {{ return (int){0}_actions[state]; }}\n");
    add("\n/* An observation that does not exist leaves the state as it is. */\n"
        "static inline int {0}_observe(int state, int observation) {{\n"
        "  if (observation < 0 || observation >= {1}_NUM_OBSERVATIONS) return state;\n"
        "  return (int){0}_next[(uint32_t)state * (uint32_t){1}_NUM_OBSERVATIONS +\n"
        "      (uint32_t)observation];\n"
        "}}\n");
  }

  void discretiser() {
    if (policy_.seen_dimension == 1) {
      const std::vector<float> bounds = cluster_bounds(policy_.seen_centres);
      add("\n/* The number of an observation, one float: how many of these it is not below. */\n");
      if (!bounds.empty()) table("float", "bounds", bounds, number);
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
    table("float", "centres", policy_.seen_centres, number);
    add("static inline int {0}_discretise(const float* seen) {{\n"
        "  double best_distance = 0;\n"
        "  int best = 0, c, d;\n"
        "  for (c = 0; c < {1}_NUM_OBSERVATIONS; ++c) {{\n"
        "    double distance = 0;\n"
        "    for (d = 0; d < {1}_SEEN_DIMENSION; ++d) {{\n"
        "      const double apart =\n"
        "          (double)seen[d] - (double){0}_centres[c * {1}_SEEN_DIMENSION + d];\n"
        "      distance += apart * apart;\n"
        "    }}\n"
        "    if (c == 0 || distance < best_distance) {{\n"
        "      best_distance = distance;\n"
        "      best = c;\n"
        "    }}\n"
        "  }}\n"
        "  return best;\n"
        "}}\n");
  }

  template <class Name>
  void names(const char* what, int count, const Name& name) {
    std::vector<std::string> all;
    for (int i = 0; i < count; ++i) all.push_back(literal(name(i)));
    add("\n");
    table("char* const", fmt::format("{}_names", what).c_str(), all,
          [](const std::string& text) { return text; });
    add("static inline const char* {0}_{2}_name(int {2}) {{ return {0}_{2}_names[{2}]; }}\n", what);
    if (std::string(what) == "observation") add("\n");
  }

  const PolicyFile& policy_;
  const Fsc& fsc_;
  const Facts facts_;
  const std::string prefix_;
  std::string out_;
};

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

std::string c_header(const PolicyFile& policy, const std::string& prefix) {
  PENUMBRA_CHECK(policy.controller().num_nodes() > 0, "a C header is made of a controller");
  return CWriter(policy, prefix).write();
}

}  // namespace penumbra
