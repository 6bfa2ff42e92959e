#include "penumbra/io/c_text.h"

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

void CText::discretiser(const PolicyFile& policy) {
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

void CText::names(const PolicyFile& policy) {
  const Facts facts = facts_of(policy);
  auto list = [&](const char* what, int count, auto name) {
    std::vector<std::string> all;
    for (int i = 0; i < count; ++i) all.push_back(name(i));
    add("\n");
    texts(fmt::format("{}_names", what), all);
    add("static inline const char* {0}_{2}_name(int {2}) {{ return {0}_{2}_names[{2}]; }}\n", what);
  };
  list("action", policy.num_actions, [&](int a) { return facts.action_name(a); });
  list("observation", policy.num_observations, [&](int o) { return facts.observation_name(o); });
}

}  // namespace penumbra
