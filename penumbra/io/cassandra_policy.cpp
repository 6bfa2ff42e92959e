#include "penumbra/io/cassandra_policy.h"

#include <numeric>

#include "penumbra/base/error.h"
#include "penumbra/io/number_words.h"
#include "penumbra/io/replace_file.h"
#include "penumbra/io/sarsop_policy.h"
#include "penumbra/io/text.h"
#include "penumbra/policy/fnc.h"

namespace penumbra {
namespace {

constexpr double kMaxBytes = 8e9;

}  // namespace

AlphaVectors read_alpha_file(const std::string& path, const Tabular& model) {
  const SourceText source = SourceText::load(path, kMaxBytes);
  NumberWords words(source, source.text(), 0);
  AlphaVectors out;
  out.num_states = model.num_states;
  out.num_actions = model.num_actions;
  out.parts.emplace_back(model.num_states);
  std::iota(out.parts[0].begin(), out.parts[0].end(), 0);
  while (!words.at_end()) {
    AlphaVectors::Vector vector;
    vector.action = words.whole(0, model.num_actions - 1, "the action of a vector");
    for (int s = 0; s < model.num_states; ++s) vector.value.push_back(words.number());
    out.vectors.push_back(std::move(vector));
  }
  if (out.vectors.empty()) throw Error(path + ": there is no vector in this file");
  return out;
}

void write_alpha_file(const std::string& path, const AlphaVectors& vectors, const Tabular& model) {
  const double floor = worst_value(model);
  std::string out;
  std::vector<double> values(model.num_states);
  for (const AlphaVectors::Vector& vector : vectors.vectors) {
    std::fill(values.begin(), values.end(), floor);
    const std::vector<int>& states = vectors.parts[vector.part];
    for (size_t i = 0; i < states.size(); ++i) values[states[i]] = vector.value[i];
    append(out, "{}\n", vector.action);
    for (double v : values) append(out, "{} ", v);
    out += "\n\n";
  }
  replace_file(path, out);
}

Fsc read_pg_file(const std::string& path, const Facts& facts) {
  const SourceText source = SourceText::load(path, kMaxBytes);
  NumberWords words(source, source.text(), 0);
  Fsc fsc;
  fsc.num_observations = facts.num_observations;
  while (!words.at_end()) {
    const int node = fsc.num_nodes();
    words.whole(node, node, "the number of a node");
    fsc.action.push_back(words.whole(0, facts.num_actions - 1, "the action of a node"));
    for (int o = 0; o < facts.num_observations; ++o) {
      const bool never = words.skip("-") || words.skip("X") || words.skip("x");
      fsc.edges.push_back(never ? node : words.whole(0, INT32_MAX, "the next node"));
    }
  }
  try {
    check_fsc(fsc, facts);
  } catch (const Error& error) {
    throw Error(path + ": " + error.what());
  }
  return fsc;
}

void write_pg_file(const std::string& path, const Fsc& fsc) {
  const Fsc ordered = reachable(fsc);  // the start is node 0
  std::string out;
  for (int n = 0; n < ordered.num_nodes(); ++n) {
    append(out, "{} {} ", n, ordered.action[n]);
    for (int o = 0; o < ordered.num_observations; ++o) append(out, " {}", ordered.next(n, o));
    out += "\n";
  }
  replace_file(path, out);
}

}  // namespace penumbra
