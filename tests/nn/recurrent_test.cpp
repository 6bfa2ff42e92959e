// The recurrent network against a plain one in double, and its gradients against differences.
#include <gtest/gtest.h>

#include <cmath>

#include "penumbra/base/error.h"
#include "penumbra/nn/action_head.h"
#include "penumbra/nn/clipped_adam.h"
#include "penumbra/nn/gru_sequence.h"
#include "penumbra/nn/orthogonal.h"
#include "tests/nn/test_data.h"

namespace penumbra::nn {
namespace {

constexpr int kLanes = 7, kSteps = 20, kHidden = 16;  // more rows than a tile

struct Problem {
  explicit Problem(RecurrentShape shape)
      : net(RecurrentNet::random(shape, 1, RngKey::from_seed(3))),
        memory(random_floats(kLanes * kHidden, 5, 1)),
        dense(random_floats(kLanes * kSteps * shape.input.num_dense, 6, 1)),
        slopes(random_floats(kLanes * kSteps * shape.outputs, 7, 1)) {
    std::vector<float> values = net.plain();
    const std::vector<float> extra = random_floats(values.size(), 4, 0.1);
    for (size_t i = 0; i < values.size(); ++i) values[i] += extra[i];
    net.set_plain(values);
    for (int row = 0; row < kLanes * kSteps; ++row) {
      Rng rng(RngKey::from_seed(8), row);
      for (int b = 0; b < net.layout().num_blocks(); ++b)
        index.push_back(net.layout().category_first[b] + rng.below(shape.input.categories[b]));
      starts.push_back(rng.bernoulli(0.15));
    }
  }
  SequenceInput input() const {
    return {kLanes, kSteps, index.data(), dense.data(), starts.data(), memory.data()};
  }

  // The sum of slopes times outputs, in double, from parameters in plain order.
  double loss(const std::vector<double>& p) const {
    const RecurrentShape& s = net.shape();
    const int in = s.input.width(), categories = in - s.input.num_dense;
    auto layer = [&](const double*& w, const std::vector<double>& x, int out, bool relu) {
      std::vector<double> y(w + x.size() * out, w + (x.size() + 1) * out);
      for (size_t k = 0; k < x.size(); ++k)
        for (int n = 0; n < out; ++n) y[n] += x[k] * w[k * out + n];
      for (double& v : y) v = relu && v < 0 ? 0 : v;
      w += (x.size() + 1) * out;
      return y;
    };
    auto sigmoid = [](double x) { return 1 / (1 + std::exp(-x)); };
    double total = 0;
    for (int lane = 0; lane < kLanes; ++lane) {
      std::vector<double> h(memory.begin() + lane * kHidden, memory.begin() + (lane + 1) * kHidden);
      for (int t = 0; t < kSteps; ++t) {
        const int row = t * kLanes + lane;
        if (starts[row]) h.assign(kHidden, 0);
        std::vector<double> x(in);
        const int blocks = net.layout().num_blocks();
        for (int b = 0; b < blocks; ++b) x[index[row * blocks + b]] = 1;
        for (int d = 0; d < s.input.num_dense; ++d)
          x[categories + d] = dense[row * s.input.num_dense + d];
        const double* w = p.data();
        const auto gx = layer(w, layer(w, x, kHidden, true), 3 * kHidden, false);
        const auto gh = layer(w, h, 3 * kHidden, false);
        for (int i = 0; i < kHidden; ++i) {
          const double r = sigmoid(gx[i] + gh[i]), z = sigmoid(gx[kHidden + i] + gh[kHidden + i]);
          const double n = std::tanh(gx[2 * kHidden + i] + r * gh[2 * kHidden + i]);
          h[i] = (1 - z) * n + z * h[i];
        }
        const auto out = layer(w, layer(w, h, kHidden, true), s.outputs, false);
        for (int o = 0; o < s.outputs; ++o) total += out[o] * slopes[row * s.outputs + o];
      }
    }
    return total;
  }

  RecurrentNet net;
  std::vector<float> memory, dense, slopes;
  std::vector<int32_t> index;
  std::vector<uint8_t> starts;
};

std::vector<RecurrentShape> shapes() {
  return {{layout_of({5, 3}, 0, 2), kHidden, 3},
          {layout_of({4}, 0, 0), kHidden, 1},
          {layout_of({}, 0, 1), kHidden, 18}};
}

struct Result {
  double loss = 0;
  std::vector<float> gradient;  // in plain order
};

Result fast(const Problem& p) {
  GruSequence sequence(p.net.layout(), kLanes, kSteps);
  sequence.forward(p.net.packed().data(), p.input());
  const int outputs = p.net.shape().outputs;
  Result r;
  for (int row = 0; row < kLanes * kSteps; ++row)
    for (int o = 0; o < outputs; ++o) {
      sequence.slopes(row)[o] = p.slopes[row * outputs + o];
      r.loss += double(sequence.outputs(row)[o]) * p.slopes[row * outputs + o];
    }
  TransposedNet transposed(p.net.layout());
  transposed.refresh(p.net.packed().data());
  RecurrentNet gradient(p.net.shape());
  sequence.backward(transposed, p.input(), gradient.packed().data());
  r.gradient = gradient.plain();
  return r;
}

TEST(Recurrent, OutputsAndGradientsMatchFiniteDifferences) {
  for (const RecurrentShape& shape : shapes()) {
    const Problem p(shape);
    const Result r = fast(p);
    const std::vector<float> start = p.net.plain();
    std::vector<double> parameters(start.begin(), start.end());
    EXPECT_NEAR(r.loss, p.loss(parameters), 1e-4 * (1 + std::abs(r.loss)));
    int wrong = 0;
    for (size_t i = 0; i < parameters.size(); i += i % 7 + 1) {
      const double h = 1e-6, kept = parameters[i];
      parameters[i] = kept + h;
      const double up = p.loss(parameters);
      parameters[i] = kept - h;
      const double slope = (up - p.loss(parameters)) / (2 * h);
      parameters[i] = kept;
      wrong += !(std::abs(r.gradient[i] - slope) <= 1e-4 * (1 + std::abs(slope)));
    }
    EXPECT_EQ(wrong, 0) << "of the shape with " << shape.outputs << " outputs";
  }
}

TEST(Recurrent, StepsOneByOneAndLanesOneByOneGiveTheSameBits) {
  const Problem p(shapes()[0]);
  GruSequence whole(p.net.layout(), kLanes, kSteps), single(p.net.layout(), 1, 1);
  whole.forward(p.net.packed().data(), p.input());
  for (int lane = 0; lane < kLanes; ++lane) {
    std::vector<float> memory(p.memory.begin() + lane * kHidden,
                              p.memory.begin() + (lane + 1) * kHidden);
    for (int t = 0; t < kSteps; ++t) {
      const int row = t * kLanes + lane;
      single.forward(p.net.packed().data(),
                     {1, 1, &p.index[row * 2], &p.dense[row * 2], &p.starts[row], memory.data()});
      memory.assign(single.memory(0), single.memory(0) + kHidden);
      for (int o = 0; o < 3; ++o) ASSERT_EQ(single.outputs(0)[o], whole.outputs(row)[o]);
    }
  }
}

TEST(Recurrent, IsReadAsItWasWritten) {
  const Problem p(shapes()[0]);
  ByteWriter out;
  p.net.write(out);
  ByteReader in(out.bytes());
  EXPECT_EQ(RecurrentNet::read(in).plain(), p.net.plain());
  Bytes cut(out.bytes().begin(), out.bytes().end() - 4);
  ByteReader short_in(cut);
  EXPECT_THROW(RecurrentNet::read(short_in), Error);
  EXPECT_THROW(RecurrentNet({layout_of({3}, 0, 0), 20, 1}), Error);
}

TEST(Orthogonal, RowsOrColumnsAreOrthogonal) {
  for (const auto& [m_rows, m_columns] : {std::pair(5, 9), std::pair(9, 5)}) {
    const int rows = m_rows, columns = m_columns;  // clang 14 captures no bindings
    const std::vector<float> m = orthogonal(rows, columns, 2, RngKey::from_seed(1));
    const int n = std::min(rows, columns), length = std::max(rows, columns);
    auto at = [&](int i, int k) {
      return rows < columns ? m[i * columns + k] : m[k * columns + i];
    };
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j) {
        double product = 0;
        for (int k = 0; k < length; ++k) product += at(i, k) * at(j, k);
        EXPECT_NEAR(product, i == j ? 4 : 0, 1e-5);
      }
  }
}

TEST(ActionHead, SlopesMatchFiniteDifferences) {
  for (const ActionHead head : {ActionHead{4, 0}, ActionHead{0, 2}}) {
    const std::vector<float> out = {0.3f, -1.1f, 0.7f, 0.2f};
    const std::vector<float> action = {head.choices > 0 ? 2.0f : 0.9f, 0.4f};
    std::vector<float> slope(4);
    head.slopes(out.data(), action.data(), 0.8, 0.3, slope.data());
    for (int i = 0; i < 4; ++i) {
      auto value = [&](float h) {
        std::vector<float> moved = out;
        moved[i] += h;
        return 0.8 * head.log_probability(moved.data(), action.data()) +
               0.3 * head.entropy(moved.data());
      };
      EXPECT_NEAR(slope[i], (value(0.01f) - value(-0.01f)) / 0.02, 1e-3);
    }
  }
}

TEST(ActionHead, SamplesAreAsLikelyAsItSays) {
  const ActionHead head{3, 0};
  const float out[] = {0, 1, -1};
  int count[3] = {};
  for (int i = 0; i < 20'000; ++i) {
    Rng rng(RngKey::from_seed(1), i);
    float action;
    head.sample(out, rng, &action);
    ++count[int(action)];
  }
  for (int a = 0; a < 3; ++a) {
    const float action = float(a);
    EXPECT_NEAR(count[a] / 20'000.0, std::exp(head.log_probability(out, &action)), 0.02);
  }
}

TEST(ClippedAdam, AddsPartsInOrderAndMovesAgainstTheGradient) {
  AlignedVector<float> a(32, 3.0f), b(32, 1.0f), parameters(32, 0.0f);
  float* parts[] = {a.data(), b.data()};
  EXPECT_NEAR(sum_gradients(parts, 32), 32 * 16.0, 1e-9);
  ClippedAdam adam(32);
  adam.step(parameters, a, 0.1, 0.01);
  EXPECT_NEAR(parameters[5], -0.01, 1e-5);
}

}  // namespace
}  // namespace penumbra::nn
