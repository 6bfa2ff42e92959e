#include "penumbra/nn/kernels.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "penumbra/nn/reference.h"
#include "tests/nn/test_data.h"

namespace penumbra::nn {
namespace {

// A sum of n products in float, in any order, is off by at most about n * 2^-24 * sum |a b|; the
// inputs here are below 5, so this bound holds with room for n up to a few hundred.
float bound(int inner) {
  return 25.0f * float(inner + 2) * float(inner + 2) * 0x1p-24f;
}

AlignedVector<float> noise(size_t count, uint64_t seed) {
  const std::vector<float> values = random_floats(count, seed);
  return {values.begin(), values.end()};
}

struct GemmCase {
  int rows, inner, panels;
  bool transposed, accumulate, relu, mask, bias;
};

void check_gemm(const Kernels& k, const GemmCase& t) {
  const size_t a_long = t.inner + 3, a_tall = t.rows + 5, width = size_t(t.panels) * kPanel;
  const AlignedVector<float> a = noise(a_long * a_tall + 1, 1);
  const AlignedVector<float> b = noise(width * t.inner + 1, 2);
  const AlignedVector<float> bias = noise(width + 1, 3), mask = noise(t.rows * width + 1, 4);
  AlignedVector<float> fast = noise(t.rows * width + 1, 5), plain = fast;
  Gemm<float> g{.rows = t.rows,
                .inner = t.inner,
                .panels = t.panels,
                .a = a.data(),
                .a_row = t.transposed ? 1 : a_long,
                .a_inner = t.transposed ? a_tall : 1,
                .b = b.data(),
                .b_panel = size_t(t.inner) * kPanel,
                .b_inner = kPanel,
                .c = fast.data(),
                .c_row = width,
                .c_panel = kPanel,
                .bias = t.bias ? bias.data() : nullptr,
                .accumulate = t.accumulate,
                .relu = t.relu,
                .mask = t.mask ? mask.data() : nullptr,
                .mask_row = width,
                .mask_panel = kPanel};
  k.gemm(g);
  g.c = plain.data();
  reference::gemm(g);
  for (size_t i = 0; i < fast.size(); ++i) {
    ASSERT_NEAR(fast[i], plain[i], bound(t.inner))
        << k.isa << " rows " << t.rows << " inner " << t.inner << " panels " << t.panels;
  }
}

TEST(Kernels, GemmMatchesReferenceOnOddSizes) {
  for (const Kernels& k : supported_kernels()) {
    for (int rows : {0, 1, 2, 5, 6, 7, 8, 11, 12, 13, 25}) {
      for (int inner : {0, 1, 2, 3, 4, 7, 33}) {
        for (int panels : {0, 1, 3}) {
          for (int flags = 0; flags < 32; ++flags) {
            check_gemm(k, {rows, inner, panels, bool(flags & 1), bool(flags & 2), bool(flags & 4),
                           bool(flags & 8), bool(flags & 16)});
          }
        }
      }
    }
  }
}

TEST(Kernels, GemmInDouble) {
  for (const Kernels& k : supported_kernels()) {
    const std::vector<float> noise_a = random_floats(6 * 50, 1),
                             noise_b = random_floats(16 * 50, 2);
    AlignedVector<double> a(noise_a.begin(), noise_a.end()), b(noise_b.begin(), noise_b.end());
    AlignedVector<double> fast(6 * 16, 1.0), plain(6 * 16, 1.0);
    Gemm<double> g{.rows = 6,
                   .inner = 50,
                   .panels = 2,
                   .a = a.data(),
                   .a_row = 1,
                   .a_inner = 6,
                   .b = b.data(),
                   .b_panel = 50 * 8,
                   .b_inner = 8,
                   .c = fast.data(),
                   .c_row = 16,
                   .c_panel = 8,
                   .accumulate = true};
    k.gemm_double(g);
    g.c = plain.data();
    reference::gemm(g);
    for (size_t i = 0; i < fast.size(); ++i) EXPECT_NEAR(fast[i], plain[i], 1e-12) << k.isa;
  }
}

// The bits of a result do not depend on how rows are split into blocks.
TEST(Kernels, GemmRowsAreIndependent) {
  const int inner = 37;
  const AlignedVector<float> a = noise(20 * inner, 1), b = noise(inner * kPanel, 2);
  AlignedVector<float> whole(20 * kPanel), single(20 * kPanel);
  Gemm<float> g{.rows = 20,
                .inner = inner,
                .panels = 1,
                .a = a.data(),
                .a_row = inner,
                .b = b.data(),
                .b_inner = kPanel,
                .c = whole.data(),
                .c_row = kPanel};
  kernels().gemm(g);
  for (int r = 0; r < 20; ++r) {
    g.rows = 1;
    g.a = a.data() + r * inner;
    g.c = single.data() + r * kPanel;
    kernels().gemm(g);
  }
  EXPECT_EQ(whole, single);
}

TEST(Kernels, GatherAndScatterMatchReference) {
  for (const Kernels& k : supported_kernels()) {
    for (int panels : {1, 3, 8}) {
      for (int rows : {0, 1, 9}) {
        const size_t columns = size_t(panels) * kPanel;
        std::vector<int32_t> index(rows * 3);
        for (size_t i = 0; i < index.size(); ++i) index[i] = int32_t(i * 5 % 7);
        AlignedVector<float> table = noise(7 * columns, 1), lut = noise(7 * columns, 2);
        const AlignedVector<float> bias = noise(columns, 3);
        AlignedVector<float> fast(rows * columns + 1), plain(rows * columns + 1);
        Gather g;
        g.index = index.data();
        g.num_table = 2, g.num_lut = 1, g.table_panel = g.lut_panel = 7 * kPanel;
        g.rows = rows, g.panels = panels, g.table = table.data(), g.lut = lut.data();
        g.bias = bias.data(), g.out = fast.data(), g.out_row = columns, g.relu = true;
        k.gather(g);
        g.out = plain.data();
        reference::gather(g);
        for (size_t i = 0; i < fast.size(); ++i) ASSERT_NEAR(fast[i], plain[i], bound(3)) << k.isa;

        AlignedVector<float> table2 = table, lut2 = lut;
        Scatter s;
        static_cast<Sources&>(s) = g;
        s.rows = rows, s.panels = panels, s.values = fast.data(), s.values_panel = rows * kPanel;
        s.table_panel = s.lut_panel = 7 * kPanel;
        s.table = table.data(), s.lut = lut.data();
        k.scatter(s);
        s.table = table2.data(), s.lut = lut2.data();
        reference::scatter(s);
        EXPECT_EQ(table, table2);
        EXPECT_EQ(lut, lut2);
      }
    }
  }
}

TEST(Kernels, AdamMatchesReference) {
  for (const Kernels& k : supported_kernels()) {
    AlignedVector<float> w = noise(3 * 32, 1), m = noise(3 * 32, 2), v = noise(3 * 32, 3);
    for (float& x : v) x = x * x;
    const AlignedVector<float> gradient = noise(2 * 3 * 32, 4);
    AlignedVector<float> w2 = w, m2 = m, v2 = v;
    Adam a;
    a.rows = 3, a.columns = 16, a.row = 32, a.gradient = gradient.data(), a.gradient_row = 32;
    a.gradient_step = 96, a.num_gradients = 2, a.scale = 0.25f, a.rate = 0.01f, a.epsilon = 1e-6f;
    a.weight = w.data(), a.mean = m.data(), a.square = v.data();
    k.adam(a);
    a.weight = w2.data(), a.mean = m2.data(), a.square = v2.data();
    reference::adam(a);
    for (size_t i = 0; i < w.size(); ++i) {
      EXPECT_NEAR(w[i], w2[i], 1e-5) << k.isa;
      EXPECT_NEAR(m[i], m2[i], 1e-6);
      EXPECT_NEAR(v[i], v2[i], 1e-5);
    }
  }
}

TEST(Kernels, RowProductsMatchPlainLoops) {
  for (const Kernels& k : supported_kernels()) {
    for (int rows : {0, 1, 5}) {
      const int columns = 48;
      const AlignedVector<float> a = noise(rows * columns + 1, 1), w = noise(columns, 2);
      const AlignedVector<float> d = noise(rows + 1, 3);
      std::vector<float> dots(rows + 1);
      k.dot_rows(rows, columns, a.data(), columns, w.data(), 0.5f, dots.data());
      AlignedVector<float> sums(columns, 1.0f), outer(rows * columns + 1);
      k.weighted_sum(rows, columns, d.data(), a.data(), columns, sums.data());
      k.outer(rows, columns, d.data(), w.data(), a.data(), outer.data(), columns);
      std::vector<double> wanted(columns, 1.0), doubles(columns);
      for (int r = 0; r < rows; ++r) {
        double dot = 0.5;
        k.add_double(columns, 2.0, a.data() + r * columns, doubles.data());
        for (int c = 0; c < columns; ++c) {
          dot += double(a[r * columns + c]) * w[c];
          wanted[c] += double(d[r]) * a[r * columns + c];
          EXPECT_EQ(outer[r * columns + c], a[r * columns + c] > 0 ? d[r] * w[c] : 0.0f);
        }
        EXPECT_NEAR(dots[r], dot, bound(columns)) << k.isa;
      }
      for (int c = 0; c < columns; ++c) EXPECT_NEAR(sums[c], wanted[c], bound(rows));
    }
  }
}

}  // namespace
}  // namespace penumbra::nn
