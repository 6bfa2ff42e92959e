#include "penumbra/io/export_c_network.h"

#include <algorithm>

#include "penumbra/base/error.h"
#include "penumbra/nn/gated_bank.h"
#include "penumbra/nn/head_bank.h"
#include "penumbra/nn/network_bank.h"

namespace penumbra {
namespace {

// Heads and networks are layers of which the last has one output. Of networks every function has
// all of them, one after the other; heads share all but the last.
struct Weights {
  std::vector<int> layers;   // outputs of each
  std::vector<float> own;    // of one function after the other
  std::vector<float> heads;  // empty, or the last layer of one function after the other
};

Weights weights_of(const nn::ValueBank& bank) {
  Weights w{bank.hidden(), {}, {}};
  w.layers.push_back(1);
  if (const auto* heads = dynamic_cast<const nn::HeadBank*>(&bank)) {
    w.own = heads->map().trunk().plain();
    w.own.resize(w.own.size() - heads->map().width());  // its output is not used
    for (int i = 0; i < bank.size(); ++i) {
      const std::span<const float> head = heads->heads().head(i);
      w.heads.insert(w.heads.end(), head.begin(), head.end());
    }
    return w;
  }
  const auto* networks = dynamic_cast<const nn::NetworkBank*>(&bank);
  PENUMBRA_CHECK(networks != nullptr, "a bank has heads, networks or gated functions");
  for (int i = 0; i < bank.size(); ++i) {
    const std::vector<float> one = networks->networks()[i].plain();
    w.own.insert(w.own.end(), one.begin(), one.end());
  }
  return w;
}

void features(CText& c, const FeatureLayout& input) {
  c.add("\n/* A state, as the model's encode gives it. */\ntypedef struct {{\n");
  if (!input.categories.empty())
    c.add("  int32_t category[{1}_NUM_CATEGORIES]; /* from 0 to {0}_category_size[i] - 1 */\n");
  if (input.num_bits > 0) c.add("  uint8_t bit[{1}_NUM_BITS]; /* 0 or 1 */\n");
  if (input.num_dense > 0) c.add("  float dense[{1}_NUM_DENSE];\n");
  c.add("}} {0}_features;\n\n");
  if (!input.categories.empty()) c.table("int32_t", "category_size", input.categories);
}

// Rows of weights that belong to categories and bits are added, not multiplied.
void first_layer(CText& c, const FeatureLayout& input) {
  c.add(
      "  bias = weights + {1}_NUM_INPUTS * out;\n"
      "  for (n = 0; n < out; ++n) now[n] = bias[n];\n");
  if (!input.categories.empty())
    c.add(
        "  for (i = 0; i < {1}_NUM_CATEGORIES; ++i) {{\n"
        "    const int32_t at = features->category[i];\n"
        "    if (at >= 0 && at < {0}_category_size[i])\n"
        "      for (n = 0; n < out; ++n) now[n] += weights[at * out + n];\n"
        "    weights += {0}_category_size[i] * out;\n"
        "  }}\n");
  if (input.num_bits > 0)
    c.add(
        "  for (i = 0; i < {1}_NUM_BITS; ++i, weights += out)\n"
        "    if (features->bit[i])\n"
        "      for (n = 0; n < out; ++n) now[n] += weights[n];\n");
  if (input.num_dense > 0)
    c.add(
        "  for (i = 0; i < {1}_NUM_DENSE; ++i, weights += out)\n"
        "    for (n = 0; n < out; ++n) now[n] += features->dense[i] * weights[n];\n");
}

// What a function is called that values a state.
void has_alpha(CText& c) {
  c.add(
      "\n/* Whether a state of the controller has a network. */\n"
      "static inline int {0}_has_alpha(int state) {{ return {0}_network[state] >= 0; }}\n"
      "\n/* What the controller is worth from here on if it is in `state` and the world is as\n"
      "   `features` say; 0 where the state has no network. The value at a belief is the mean "
      "over\n"
      "   its states. */\n"
      "static inline float {0}_alpha(int state, const {0}_features* features) {{\n");
}

// Functions that are linear within a category: some parts each.
void gated(CText& c, const Fnc& fnc, const nn::GatedBank& bank) {
  const FeatureLayout& input = bank.layout();
  std::vector<int> first{0}, category;
  std::vector<float> weights;
  for (int f = 0; f < bank.size(); ++f) {
    for (const nn::GatedBank::Part& part : bank.parts(f)) {
      const std::vector<int> blocks = bank.gate().blocks(part.category);
      category.insert(category.end(), blocks.begin(), blocks.end());
      weights.insert(weights.end(), part.weights.begin(), part.weights.end());
    }
    first.push_back(static_cast<int>(weights.size()) / bank.gate().width());
  }
  c.add(
      "\n/* Networks: the value of a state of the world, one of each state of the controller; "
      "linear\n   within a category. */\n"
      "enum {{\n  {1}_NUM_NETWORKS = {2},\n  {1}_NUM_CATEGORIES = {3},\n  {1}_NUM_BITS = {4},\n"
      "  {1}_NUM_DENSE = {5},\n  {1}_NUM_WEIGHTS = {6} /* of a part */\n}};\n",
      bank.size(), input.categories.size(), input.num_bits, input.num_dense, bank.gate().width());
  features(c, input);
  c.add(
      "/* The network of each state, -1: none; the first part of each network; the categories of\n"
      "   each part; of a part a constant, then the slopes of bits - 1/2 and of numbers. */\n");
  c.table("int32_t", "network", fnc.alpha);
  c.table("int32_t", "part", first);
  if (!input.categories.empty()) c.table("int32_t", "part_category", category);
  c.table("weights", weights);
  c.table("elsewhere", std::vector<float>{bank.elsewhere()});
  has_alpha(c);
  c.add(
      "  const int32_t network = {0}_network[state];\n"
      "  int32_t p, i;\n"
      "  if (network < 0) return 0;\n"
      "  for (p = {0}_part[network]; p < {0}_part[network + 1]; ++p) {{\n"
      "    const float* weights = {0}_weights + p * {1}_NUM_WEIGHTS;\n"
      "    double sum = (double)weights[0];\n"
      "    int other = 0;\n");
  if (!input.categories.empty())
    c.add(
        "    for (i = 0; i < {1}_NUM_CATEGORIES; ++i)\n"
        "      other |= features->category[i] != {0}_part_category[p * {1}_NUM_CATEGORIES + i];\n");
  c.add("    if (other) continue;\n");
  if (input.num_bits > 0)
    c.add(
        "    for (i = 0; i < {1}_NUM_BITS; ++i)\n"
        "      sum += (features->bit[i] ? 0.5 : -0.5) * (double)weights[1 + i];\n");
  if (input.num_dense > 0)
    c.add(
        "    for (i = 0; i < {1}_NUM_DENSE; ++i)\n"
        "      sum += (double)features->dense[i] * (double)weights[1 + {1}_NUM_BITS + i];\n");
  if (input.num_bits + input.num_dense + static_cast<int>(input.categories.size()) == 0)
    c.add("    i = 0;\n    (void)i;\n");
  c.add("    return (float)sum;\n  }}\n  return {0}_elsewhere[0];\n}}\n");
}

// The sum at the end, of many terms that nearly cancel out, is in double.
void function(CText& c, const FeatureLayout& input, size_t layers, bool heads) {
  const bool between = layers > 2;  // hidden layers that read others
  has_alpha(c);
  c.add(
      "  float values[{2}][{1}_NUM_UNITS];\n"
      "  float* now = values[0];\n"
      "  const int32_t network = {0}_network[state];\n"
      "  const float *weights = {0}_weights, *bias;\n"
      "  int32_t out = {0}_layer[0], i, n;\n",
      between ? 2 : 1);
  if (between) c.add("  float *next = values[1], *other;\n  int32_t in, l;\n");
  if (layers > 1) c.add("  double sum;\n");
  c.add("  if (network < 0) return 0;\n");
  if (!heads) c.add("  weights += network * {1}_NUM_WEIGHTS;\n");
  first_layer(c, input);
  if (layers == 1) return c.add("  return now[0];\n}}\n");
  if (between || !heads) c.add("  weights = bias + out;\n");
  if (between)
    c.add(
        "  for (l = 1; l + 1 < {1}_NUM_LAYERS; ++l) {{\n"
        "    in = out;\n"
        "    out = {0}_layer[l];\n"
        "    bias = weights + in * out;\n"
        "    for (n = 0; n < out; ++n) next[n] = bias[n];\n"
        "    for (i = 0; i < in; ++i, weights += out)\n"
        "      if (now[i] > 0)\n"
        "        for (n = 0; n < out; ++n) next[n] += now[i] * weights[n];\n"
        "    weights = bias + out;\n"
        "    other = now;\n"
        "    now = next;\n"
        "    next = other;\n"
        "  }}\n");
  if (heads) c.add("  weights = {0}_heads + network * (out + 1);\n");
  c.add(
      "  sum = (double)weights[out];\n"
      "  for (n = 0; n < out; ++n)\n"
      "    if (now[n] > 0) sum += (double)now[n] * (double)weights[n];\n"
      "  return (float)sum;\n"
      "}}\n");
}

}  // namespace

void add_networks(CText& c, const Fnc& fnc) {
  PENUMBRA_CHECK(fnc.networks && fnc.networks->size() > 0, "networks are written of some");
  check_networks(fnc);
  const nn::ValueBank& bank = *fnc.networks;
  const FeatureLayout& input = bank.layout();
  if (bank.form() == nn::BankForm::kAnchors)
    throw Error(
        "the functions of this controller are values at sampled states, too many to write as C; "
        "export the controller without its networks, or use the policy file from C++ or Python");
  if (const auto* functions = dynamic_cast<const nn::GatedBank*>(&bank))
    return gated(c, fnc, *functions);
  const Weights w = weights_of(bank);
  const bool heads = !w.heads.empty();
  const size_t each = heads ? w.own.size() : w.own.size() / bank.size();
  c.add(
      "\n/* Networks: the value of a state of the world, one of each state of the controller. */\n"
      "enum {{\n  {1}_NUM_NETWORKS = {2},\n  {1}_NUM_INPUTS = {3},\n  {1}_NUM_CATEGORIES = {4},\n"
      "  {1}_NUM_BITS = {5},\n  {1}_NUM_DENSE = {6},\n  {1}_NUM_LAYERS = {7},\n"
      "  {1}_NUM_UNITS = {8}, /* of the widest layer */\n  {1}_NUM_WEIGHTS = {9} /* {10} */\n}};\n",
      bank.size(), input.width(), input.categories.size(), input.num_bits, input.num_dense,
      w.layers.size(), *std::max_element(w.layers.begin(), w.layers.end()), each,
      heads ? "that all share" : "of each");
  features(c, input);
  c.add(
      "/* Outputs of each layer; the network of each state, -1: none; of a layer weights\n"
      "   [input][output], then biases. */\n");
  c.table("int32_t", "layer", w.layers);
  c.table("int32_t", "network", fnc.alpha);
  c.table("weights", w.own);
  if (heads) c.table("heads", w.heads);
  function(c, input, w.layers.size(), heads);
}

}  // namespace penumbra
