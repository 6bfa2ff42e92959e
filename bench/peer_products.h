// Matrix products of other libraries behind one interface: Eigen, and libxsmm where it is
// installed.
#pragma once

#include <Eigen/Dense>
#include <map>
#include <memory>
#include <tuple>
#include <vector>

#ifdef PENUMBRA_LIBXSMM
#include <libxsmm.h>
#endif

namespace penumbra::nn {

// Row-major products of a peer: C (+)= A B, and C += A^T B.
struct Products {
  virtual ~Products() = default;
  virtual const char* name() const = 0;
  virtual void times(int rows, int columns, int inner, const float* a, int lda, const float* b,
                     int ldb, float* c, int ldc) = 0;
  virtual void transposed_times(int rows, int columns, int inner, const float* a, int lda,
                                const float* b, int ldb, float* c, int ldc) = 0;
};

struct EigenProducts : Products {
  using Matrix = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  using In = Eigen::Map<const Matrix, 0, Eigen::OuterStride<>>;
  using Out = Eigen::Map<Matrix, 0, Eigen::OuterStride<>>;

  const char* name() const override { return "Eigen"; }
  void times(int rows, int columns, int inner, const float* a, int lda, const float* b, int ldb,
             float* c, int ldc) override {
    Out(c, rows, columns, Eigen::OuterStride<>(ldc)).noalias() =
        In(a, rows, inner, Eigen::OuterStride<>(lda)) *
        In(b, inner, columns, Eigen::OuterStride<>(ldb));
  }
  void transposed_times(int rows, int columns, int inner, const float* a, int lda, const float* b,
                        int ldb, float* c, int ldc) override {
    Out(c, rows, columns, Eigen::OuterStride<>(ldc)).noalias() +=
        In(a, inner, rows, Eigen::OuterStride<>(lda)).transpose() *
        In(b, inner, columns, Eigen::OuterStride<>(ldb));
  }
};

#ifdef PENUMBRA_LIBXSMM
// Column-major kernels compiled at run time: our row-major matrices are their transposes.
struct XsmmProducts : Products {
  using Key = std::tuple<int, int, int, int, int, int, int>;
  std::map<Key, libxsmm_smmfunction> cache;
  std::vector<float> flipped;

  const char* name() const override { return "libxsmm"; }
  libxsmm_smmfunction find(int m, int n, int k, int lda, int ldb, int ldc, float beta, bool flip) {
    libxsmm_smmfunction& f = cache[{m, n, k, lda, ldb, ldc, (beta != 0) + 2 * flip}];
    if (f) return f;
    const float alpha = 1;
    const int flags = flip ? LIBXSMM_GEMM_FLAG_TRANS_B : LIBXSMM_GEMM_FLAG_NONE;
    f = libxsmm_smmdispatch(m, n, k, &lda, &ldb, &ldc, &alpha, &beta, &flags, nullptr);
    return f;
  }
  void times(int rows, int columns, int inner, const float* a, int lda, const float* b, int ldb,
             float* c, int ldc) override {
    find(columns, rows, inner, ldb, lda, ldc, 0, false)(b, a, c);
  }
  void transposed_times(int rows, int columns, int inner, const float* a, int lda, const float* b,
                        int ldb, float* c, int ldc) override {
    if (auto f = find(columns, rows, inner, ldb, lda, ldc, 1, true)) return f(b, a, c);
    flipped.resize(size_t(rows) * inner);
    libxsmm_otrans(flipped.data(), a, sizeof(float), rows, inner, lda, inner);
    find(columns, rows, inner, ldb, inner, ldc, 1, false)(b, flipped.data(), c);
  }
};
#endif

inline std::vector<std::unique_ptr<Products>> peers() {
  std::vector<std::unique_ptr<Products>> all;
#ifdef PENUMBRA_LIBXSMM
  all.push_back(std::make_unique<XsmmProducts>());
#endif
  all.push_back(std::make_unique<EigenProducts>());
  return all;
}

}  // namespace penumbra::nn
