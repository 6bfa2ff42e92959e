// Gradients against finite differences in double, for every kind of layer and loss.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "penumbra/nn/reference.h"
#include "penumbra/nn/trainer.h"
#include "tests/nn/test_data.h"

namespace penumbra::nn {
namespace {

struct Case {
  const char* name;
  MlpShape shape;
  Loss loss;
  bool heads = false, weights = false;
};

struct Problem {
  explicit Problem(const Case& c)
      : test(c),
        states(random_states(c.shape.input, 23, 1)),
        network(Mlp::random(c.shape, RngKey::from_seed(2))),
        targets(random_floats(23 * (c.heads ? 1 : c.shape.outputs), 3, 2)) {
    std::vector<float> values = network.plain();
    // Biases away from zero, so that no unit sits on its kink.
    const std::vector<float> extra = random_floats(values.size(), 4, 0.05);
    for (size_t i = 0; i < values.size(); ++i) values[i] += extra[i];
    network.set_plain(values);
    for (int r = 0; r < states.rows(); ++r) {
      if (c.heads) heads.push_back(r % c.shape.outputs);
      if (c.weights) weights.push_back(0.5f + float(r % 3));
    }
  }

  double loss(const std::vector<double>& parameters) const {
    reference::Network plain(test.shape, network.plain());
    plain.parameters() = parameters;
    return plain.loss(states, targets, weights, heads, test.loss);
  }
  std::vector<double> reference_gradient() const {
    reference::Network plain(test.shape, network.plain());
    std::vector<double> gradient(plain.parameters().size());
    plain.loss(states, targets, weights, heads, test.loss, &gradient);
    return gradient;
  }
  std::vector<double> fast_gradient() {
    const Inputs inputs(network.layout(), states);
    Trainer trainer(network, {&inputs, targets, weights, heads, {}}, test.loss, 64);
    std::vector<int32_t> rows(states.rows());
    std::iota(rows.begin(), rows.end(), 0);
    std::vector<float> gradient(network.plain().size());
    trainer.gradient(rows, gradient);
    return {gradient.begin(), gradient.end()};
  }

  Case test;
  FeatureBatch states;
  Mlp network;
  std::vector<float> targets, weights;
  std::vector<int32_t> heads;
};

// The number of components that differ from a central difference by more than the tolerance.
// Kinks of ReLU make a few components meaningless in any network; steps are small enough here
// that none is hit.
int wrong_components(const Problem& p, const std::vector<double>& gradient, double tolerance) {
  const std::vector<float> start = p.network.plain();
  std::vector<double> parameters(start.begin(), start.end());
  int wrong = 0;
  for (size_t i = 0; i < parameters.size(); ++i) {
    const double h = 1e-6, kept = parameters[i];
    parameters[i] = kept + h;
    const double up = p.loss(parameters);
    parameters[i] = kept - h;
    const double down = p.loss(parameters);
    parameters[i] = kept;
    const double slope = (up - down) / (2 * h);
    if (!(std::abs(gradient[i] - slope) <= tolerance * (1 + std::abs(slope)))) ++wrong;
  }
  return wrong;
}

std::vector<Case> cases() {
  const Loss squared, huber{LossKind::kHuber, 0.5};
  return {
      {"mixed", {kMixed, {20, 9}, 1}, squared},
      {"categories", {layout_of({6, 3}, 0, 0), {17}, 1}, squared},
      {"bits across words", {layout_of({}, 41, 0), {8, 5}, 1}, squared},
      {"dense", {layout_of({}, 0, 3), {33, 16, 4}, 1}, squared},
      {"one dense input", {layout_of({}, 0, 1), {5}, 1}, squared},
      {"linear", {kMixed, {}, 1}, squared},
      {"linear, several outputs", {kMixed, {}, 3}, squared},
      {"several outputs", {kMixed, {12, 7}, 18}, squared},
      {"one output of many per row", {kMixed, {12, 7}, 4}, squared, true},
      {"weights", {kMixed, {12}, 1}, squared, false, true},
      {"huber", {kMixed, {20, 9}, 1}, huber},
      {"huber with weights and heads", {kMixed, {10}, 3}, huber, true, true},
  };
}

TEST(Gradient, ReferenceMatchesFiniteDifferences) {
  for (const Case& c : cases()) {
    const Problem p(c);
    EXPECT_EQ(wrong_components(p, p.reference_gradient(), 1e-7), 0) << c.name;
  }
}

// The trainer works in float: about six digits are left.
TEST(Gradient, TrainerMatchesFiniteDifferences) {
  for (const Case& c : cases()) {
    Problem p(c);
    EXPECT_EQ(wrong_components(p, p.fast_gradient(), 2e-5), 0) << c.name;
  }
}

TEST(Gradient, TheCheckCanFail) {
  for (const Case& c : cases()) {
    Problem p(c);
    std::vector<double> gradient = p.fast_gradient();
    const size_t largest =
        std::max_element(gradient.begin(), gradient.end(),
                         [](double a, double b) { return std::abs(a) < std::abs(b); }) -
        gradient.begin();
    gradient[largest] *= 1.01;
    EXPECT_EQ(wrong_components(p, gradient, 2e-5), 1) << c.name;
  }
}

// A backward pass with a part missing: the first layer's table, a ReLU's mask, the Huber clip.
TEST(Gradient, StructuralMistakesAreFound) {
  Problem p({"mixed", {kMixed, {20, 9}, 1}, {}});
  std::vector<double> no_table = p.fast_gradient();
  std::fill_n(no_table.begin(), 12 * 20, 0.0);
  EXPECT_GT(wrong_components(p, no_table, 2e-5), 100);

  Problem negative({"unmasked", {kMixed, {20, 9}, 1}, {}});
  std::vector<float> values = negative.network.plain();
  const size_t bias = size_t(kMixed.width()) * 20;
  for (int n = 0; n < 20; ++n) values[bias + n] += 100;  // every unit on: the mask is never used
  Problem open = negative;
  open.network.set_plain(values);
  EXPECT_GT(wrong_components(negative, open.fast_gradient(), 2e-5), 100);

  Problem huber({"huber", {kMixed, {20, 9}, 1}, {LossKind::kHuber, 0.5}});
  Problem squared = huber;
  squared.test.loss = {};
  EXPECT_GT(wrong_components(huber, squared.fast_gradient(), 2e-5), 100);
}

}  // namespace
}  // namespace penumbra::nn
