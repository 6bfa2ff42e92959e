// Networks beside libxsmm and Eigen. Prints the table of docs/networks.md:
//   build/release/bench_nn
//
// One thread unless said otherwise, in that thread's CPU time; all contenders and the peak are
// measured in turn, and figures are medians over the rounds. A round counts only if a small matrix
// product in the first-level cache ran at its usual speed right before and after it: otherwise
// somebody else had a share of the core, and it is done again. "Of peak" counts the multiply-adds
// of dense layers only: gathers, look-up tables, scatters, biases and Adam are overhead.
#include <fmt/format.h>
#include <time.h>

#include <Eigen/Dense>
#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <numeric>
#include <tuple>

#include "penumbra/nn/network_set.h"
#include "penumbra/nn/parallel.h"
#include "penumbra/nn/ridge.h"
#include "penumbra/nn/trainer.h"
#include "penumbra/nn/value_bank.h"

#ifdef PENUMBRA_LIBXSMM
#include <libxsmm.h>
#endif

namespace {

using namespace penumbra;
using namespace penumbra::nn;

double cpu_seconds() {
  timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return double(t.tv_sec) + 1e-9 * double(t.tv_nsec);
}

double wall_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + values.size() / 2, values.end());
  return values[values.size() / 2];
}

// Multiply-adds per second of one core, right now.
double peak_rate() {
  float sink = float(wall_seconds());
  const double start = cpu_seconds();
  const double done = kernels().fma_loop(400'000, &sink);
  return done / (cpu_seconds() - start);
}

// A product that needs the whole core, not only its multiply-add units: it slows down as soon as
// anybody shares the core, which the peak alone does not.
class Probe {
 public:
  void run() {
    for (int i = 0; i < 60; ++i) {
      kernels().gemm({.rows = 24,
                      .inner = 64,
                      .panels = 4,
                      .a = a_.data(),
                      .a_row = 80,
                      .b = b_.data(),
                      .b_panel = 64 * kPanel,
                      .b_inner = kPanel,
                      .c = c_.data(),
                      .c_row = 80,
                      .c_panel = kPanel});
    }
  }
  // Whether this thread had a core for itself just now.
  bool undisturbed() {
    run();
    const double start = wall_seconds();
    run();
    const double took = wall_seconds() - start;
    best_ = std::min(best_, took);
    return took < 1.04 * best_;
  }

 private:
  AlignedVector<float> a_ = AlignedVector<float>(24 * 80, 0.5f);
  AlignedVector<float> b_ = AlignedVector<float>(64 * 64, 0.5f);
  AlignedVector<float> c_ = AlignedVector<float>(24 * 80);
  double best_ = 1;
};

Probe probe;

struct Contender {
  std::string name;
  std::function<void()> run;
  std::vector<double> seconds = {}, of_peak = {};
};

// Runs the contenders in turn until each has its rounds, or the patience is at an end.
void race(std::vector<Contender>& all, int rounds, double fmas) {
  for (Contender& c : all) c.run();
  for (int i = 0; i < 60 * rounds; ++i) {
    bool done = true;
    for (Contender& c : all) {
      if (int(c.seconds.size()) >= rounds) continue;
      done = false;
      const double peak = peak_rate();
      if (!probe.undisturbed()) continue;
      const double start = cpu_seconds();
      c.run();
      const double took = cpu_seconds() - start;
      if (!probe.undisturbed()) continue;
      c.seconds.push_back(took);
      c.of_peak.push_back(fmas / took / std::max(peak, peak_rate()));
    }
    if (done) return;
  }
  for (Contender& c : all) {
    if (c.seconds.empty()) c.seconds.push_back(NAN), c.of_peak.push_back(NAN);
    if (int(c.seconds.size()) < rounds)
      c.name += fmt::format(" ({} rounds only)", c.seconds.size());
  }
}

void print(const char* what, const std::vector<Contender>& all, double rows) {
  const double ours = median(all[0].seconds);
  for (const Contender& c : all) {
    fmt::print("| {} | {} | {:.3f} us | {:.1f} % | {:.2f} |\n", what, c.name,
               1e6 * median(c.seconds) / rows, 100 * median(c.of_peak), median(c.seconds) / ours);
  }
}

FeatureBatch make_states(const FeatureLayout& layout, int rows) {
  FeatureBatch batch(layout, rows);
  for (int r = 0; r < rows; ++r) {
    Rng rng(RngKey::from_seed(1), r);
    FeatureRow row = batch.row(r);
    for (size_t b = 0; b < layout.categories.size(); ++b) {
      row.category[b] = int32_t(rng.below(layout.categories[b]));
    }
    for (int b = 0; b < layout.num_bits; ++b) row.set_bit(b, rng.bernoulli(0.5));
    for (float& x : row.dense) x = float(rng.normal());
  }
  return batch;
}

std::vector<float> make_targets(int rows) {
  Rng rng(RngKey::from_seed(2), 0);
  std::vector<float> targets(rows);
  for (float& t : targets) t = float(rng.normal());
  return targets;
}

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

// The same network on a peer's products: our gather, scatter and Adam, its matrix products, and
// plain loops for biases and ReLU. Weights are random; only the work matters.
class PeerNetwork {
 public:
  static constexpr int kTile = 128;

  PeerNetwork(const MlpShape& shape, Products& products)
      : plan_(shape), products_(products), widths_(shape.hidden) {
    const size_t inputs = plan_.table_rows + plan_.lut_rows + plan_.num_dense;
    weights_.push_back(random(inputs * widths_[0]));
    for (size_t l = 1; l < widths_.size(); ++l) {
      weights_.push_back(random(size_t(widths_[l - 1]) * widths_[l]));
      flipped_.push_back(weights_.back());
    }
    weights_.push_back(random(widths_.back()));
    for (auto& w : weights_) {
      gradients_.emplace_back(w.size());
      means_.emplace_back(w.size());
      squares_.emplace_back(w.size());
    }
    for (int w : widths_) {
      bias_.push_back(random(w));
      stride_.push_back(row_stride(w));
      h_.emplace_back(size_t(kTile) * stride_.back());
    }
    out_.resize(kTile);
  }

  // With `states` the first layer adds a row per category and per set bit, as one would without
  // look-up tables.
  void forward(const Inputs& inputs, int begin, int rows, const FeatureBatch* states = nullptr) {
    if (states) {
      add_plain_rows(*states, begin, rows);
    } else if (plan_.num_sources() > 0) {
      Gather g;
      static_cast<Sources&>(g) = sources(inputs, begin);
      g.rows = rows, g.panels = widths_[0] / kPanel, g.table = weights_[0].data();
      g.table_panel = size_t(plan_.table_rows) * kPanel;
      g.lut_panel = size_t(plan_.lut_rows) * kPanel;
      g.lut = g.table + size_t(plan_.table_rows) * widths_[0];
      g.bias = bias_[0].data(), g.out = h_[0].data(), g.out_row = stride_[0], g.relu = true;
      kernels().gather(g);
    } else {
      products_.times(rows, widths_[0], plan_.num_dense, inputs.dense(begin), plan_.num_dense,
                      weights_[0].data(), widths_[0], h_[0].data(), stride_[0]);
      add_bias(0, rows);
    }
    for (size_t l = 1; l < widths_.size(); ++l) {
      products_.times(rows, widths_[l], widths_[l - 1], h_[l - 1].data(), stride_[l - 1],
                      weights_[l].data(), widths_[l], h_[l].data(), stride_[l]);
      add_bias(l, rows);
    }
    kernels().dot_rows(rows, widths_.back(), h_.back().data(), stride_.back(),
                       weights_.back().data(), 0, out_.data());
  }
  const float* outputs() const { return out_.data(); }

  void step(const Inputs& inputs, std::span<const float> targets) {
    for (auto& g : gradients_) std::fill(g.begin(), g.end(), 0.0f);
    const int count = int(targets.size());
    for (int begin = 0; begin < count; begin += kTile) {
      const int rows = std::min(kTile, count - begin);
      forward(inputs, begin, rows);
      for (int r = 0; r < rows; ++r) out_[r] -= targets[begin + r];
      backward(inputs, begin, rows);
    }
    for (size_t i = 0; i < weights_.size(); ++i) {
      Adam a;
      a.rows = 1, a.columns = int(weights_[i].size());
      a.weight = weights_[i].data(), a.mean = means_[i].data(), a.square = squares_[i].data();
      a.gradient = gradients_[i].data(), a.scale = 1.0f / float(count);
      a.rate = 0.005f, a.epsilon = 1e-8f;
      kernels().adam(a);
    }
    for (size_t l = 1; l < widths_.size(); ++l) flip(l);
  }

 private:
  static AlignedVector<float> random(size_t count) {
    Rng rng(RngKey::from_seed(count), 0);
    AlignedVector<float> values(count);
    for (float& v : values) v = float(rng.normal(0, 0.1));
    return values;
  }
  Sources sources(const Inputs& inputs, int begin) const {
    return {inputs.index(begin), int(plan_.category_first.size()), int(plan_.groups.size())};
  }
  void scatter(const Inputs& inputs, int begin, int rows) {
    const int panels = widths_[0] / kPanel;
    for (int r = 0; r < rows; ++r) {
      for (int p = 0; p < panels; ++p) {
        std::copy_n(h_[0].data() + size_t(r) * stride_[0] + p * kPanel, kPanel,
                    panel_.data() + (size_t(p) * kTile + r) * kPanel);
      }
    }
    Scatter s;
    static_cast<Sources&>(s) = sources(inputs, begin);
    s.rows = rows, s.panels = panels;
    s.values = panel_.data(), s.values_panel = size_t(kTile) * kPanel;
    s.table = gradients_[0].data(), s.table_panel = size_t(plan_.table_rows) * kPanel;
    s.lut = s.table + size_t(plan_.table_rows) * widths_[0];
    s.lut_panel = size_t(plan_.lut_rows) * kPanel;
    kernels().scatter(s);
  }
  void add_plain_rows(const FeatureBatch& states, int begin, int rows) {
    const int width = widths_[0], words = states.layout().words();
    const size_t blocks = plan_.category_first.size();
    for (int r = 0; r < rows; ++r) {
      float* h = h_[0].data() + size_t(r) * stride_[0];
      std::copy_n(bias_[0].data(), width, h);
      auto add = [&](size_t row) {
        const float* w = weights_[0].data() + row * width;
        for (int c = 0; c < width; ++c) h[c] += w[c];
      };
      for (size_t b = 0; b < blocks; ++b) {
        add(plan_.category_first[b] + states.category()[(begin + r) * blocks + b]);
      }
      for (int w = 0; w < words; ++w) {
        for (uint32_t bits = states.bits()[(begin + r) * words + w]; bits != 0; bits &= bits - 1) {
          add(plan_.category_rows + 32 * w + std::countr_zero(bits));
        }
      }
      for (int c = 0; c < width; ++c) h[c] = std::max(0.0f, h[c]);
    }
  }
  void add_bias(size_t l, int rows) {
    for (int r = 0; r < rows; ++r) {
      float* h = h_[l].data() + size_t(r) * stride_[l];
      const float* b = bias_[l].data();
      for (int c = 0; c < widths_[l]; ++c) h[c] = std::max(0.0f, h[c] + b[c]);
    }
  }
  void flip(size_t l) {
    for (int k = 0; k < widths_[l - 1]; ++k) {
      for (int n = 0; n < widths_[l]; ++n) {
        flipped_[l - 1][size_t(n) * widths_[l - 1] + k] = weights_[l][size_t(k) * widths_[l] + n];
      }
    }
  }
  void backward(const Inputs& inputs, int begin, int rows) {
    const size_t last = widths_.size() - 1;
    kernels().weighted_sum(rows, widths_[last], out_.data(), h_[last].data(), stride_[last],
                           gradients_[last + 1].data());
    kernels().outer(rows, widths_[last], out_.data(), weights_[last + 1].data(), h_[last].data(),
                    h_[last].data(), stride_[last]);
    for (size_t l = last; l > 0; --l) {
      products_.transposed_times(widths_[l - 1], widths_[l], rows, h_[l - 1].data(), stride_[l - 1],
                                 h_[l].data(), stride_[l], gradients_[l].data(), widths_[l]);
      kernels().weighted_sum(rows, widths_[l], nullptr, h_[l].data(), stride_[l], bias_sum_.data());
      delta_.resize(size_t(kTile) * stride_[l - 1]);
      products_.times(rows, widths_[l - 1], widths_[l], h_[l].data(), stride_[l],
                      flipped_[l - 1].data(), widths_[l - 1], delta_.data(), stride_[l - 1]);
      for (int r = 0; r < rows; ++r) {
        float* h = h_[l - 1].data() + size_t(r) * stride_[l - 1];
        const float* d = delta_.data() + size_t(r) * stride_[l - 1];
        for (int c = 0; c < widths_[l - 1]; ++c) h[c] = h[c] > 0 ? d[c] : 0.0f;
      }
    }
    if (plan_.num_sources() > 0) {
      scatter(inputs, begin, rows);
    } else {
      products_.transposed_times(plan_.num_dense, widths_[0], rows, inputs.dense(begin),
                                 plan_.num_dense, h_[0].data(), stride_[0], gradients_[0].data(),
                                 widths_[0]);
    }
  }

  Plan plan_;
  Products& products_;
  std::vector<int> widths_, stride_;
  std::vector<AlignedVector<float>> weights_, flipped_, bias_, gradients_, means_, squares_, h_;
  AlignedVector<float> delta_, out_;
  AlignedVector<float> panel_ = AlignedVector<float>(size_t(kTile) * 512);
  AlignedVector<float> bias_sum_ = AlignedVector<float>(1024);
};

// Multiply-adds of the dense layers for one row, forward, and forward with backward.
double forward_fmas(const MlpShape& shape) {
  double count = double(shape.input.num_dense) * shape.hidden[0];
  for (size_t l = 0; l < shape.hidden.size(); ++l) {
    count += double(shape.hidden[l]) *
             (l + 1 < shape.hidden.size() ? shape.hidden[l + 1] : shape.outputs);
  }
  return count;
}
double training_fmas(const MlpShape& shape) {
  return 3 * forward_fmas(shape) - double(shape.input.num_dense) * shape.hidden[0];
}

std::vector<std::unique_ptr<Products>> peers() {
  std::vector<std::unique_ptr<Products>> all;
#ifdef PENUMBRA_LIBXSMM
  all.push_back(std::make_unique<XsmmProducts>());
#endif
  all.push_back(std::make_unique<EigenProducts>());
  return all;
}

void bench_training(const char* what, const MlpShape& shape, int rounds) {
  constexpr int kRows = 1024, kSteps = 3;
  const FeatureBatch states = make_states(shape.input, kRows);
  const std::vector<float> targets = make_targets(kRows);
  Mlp network = Mlp::random(shape, RngKey::from_seed(1));
  const Inputs inputs(network.plan(), states);
  const TrainingData data{.inputs = &inputs, .targets = targets};
  Trainer trainer(network, data, {}, kRows);
  std::vector<int32_t> rows(kRows);
  std::iota(rows.begin(), rows.end(), 0);
  std::vector<Contender> all = {{"penumbra", [&] {
                                   for (int i = 0; i < kSteps; ++i) trainer.step(rows, {});
                                 }}};
  auto products = peers();
  std::vector<PeerNetwork> networks;
  networks.reserve(products.size());
  for (auto& p : products) {
    PeerNetwork& peer = networks.emplace_back(shape, *p);
    all.push_back({p->name(), [&] {
                     for (int i = 0; i < kSteps; ++i) peer.step(inputs, targets);
                   }});
  }
  race(all, rounds, training_fmas(shape) * kRows * kSteps);
  print(what, all, double(kRows) * kSteps);
}

// The networks are taken in slices of 20, one slice a round, so that rounds stay short.
void bench_predict(const MlpShape& shape, int rounds) {
  constexpr int kRows = 5000, kSlice = 20, kSlices = 10;
  const FeatureBatch states = make_states(shape.input, kRows);
  std::vector<NetworkSet> sets;
  for (int s = 0; s < kSlices; ++s) {
    NetworkSet& set = sets.emplace_back(shape);
    for (int i = 0; i < kSlice; ++i) set.add(Mlp::random(shape, RngKey::from_seed(i)));
  }
  std::vector<float> out(size_t(kRows) * kSlice);
  const Inputs inputs(sets[0][0].plan(), states);
  std::vector<int32_t> group(kRows);
  for (int r = 0; r < kRows; ++r) group[r] = r * 40 / kRows;
  std::vector<double> sums(40 * kSlice);
  int slice = 0, sum_slice = 0;
  std::vector<Contender> all = {
      {"penumbra", [&] { sets[slice++ % kSlices].predict(states, out); }},
      {"penumbra, sums of 40 groups", [&] {
         sets[sum_slice++ % kSlices].predict_sums(states, {group, 40, {}}, sums);
       }}};
  auto products = peers();
  std::vector<std::vector<PeerNetwork>> networks(products.size());
  std::vector<int> next(products.size());
  for (size_t p = 0; p < products.size(); ++p) {
    for (int i = 0; i < kSlice * kSlices; ++i) networks[p].emplace_back(shape, *products[p]);
    auto evaluate = [&, p](const FeatureBatch* plain_states) {
      const int first = next[p]++ % kSlices * kSlice;
      for (int n = 0; n < kSlice; ++n) {
        PeerNetwork& net = networks[p][first + n];
        for (int r = 0; r < kRows; r += PeerNetwork::kTile) {
          const int rows = std::min(PeerNetwork::kTile, kRows - r);
          net.forward(inputs, r, rows, plain_states);
          for (int i = 0; i < rows; ++i) out[size_t(r + i) * kSlice + n] = net.outputs()[i];
        }
      }
    };
    const std::string name = products[p]->name();
    all.push_back({name, [evaluate] { evaluate(nullptr); }});
    all.push_back({name + ", a row per set bit", [evaluate, &states] { evaluate(&states); }});
  }
  race(all, rounds, forward_fmas(shape) * kRows * kSlice);
  print("200 networks A on 5000 states", all, double(kRows) * kSlice);
}

// Whether two threads had a core each just now: both start the probe within a millisecond.
bool two_idle_cores(ThreadPool& two) {
  static Probe probes[2];
  std::array<bool, 2> alone = {};
  std::atomic<int> started{0};
  two.for_chunks(2, 1, [&](size_t c, size_t, size_t) {
    const double start = wall_seconds();
    ++started;
    while (started < 2 && wall_seconds() - start < 1e-3) {
    }
    alone[c] = started == 2 && wall_seconds() - start < 1e-3 && probes[c].undisturbed();
  });
  return alone[0] && alone[1];
}

// Wall time. Rounds count only if two cores were idle before and after. Beside each speed stands
// that of a bare multiply-add loop in the same rounds: what the machine itself gives to two
// threads, which on a shared host is less than two.
void bench_two_threads(const MlpShape& a, const MlpShape& b, int rounds) {
  ThreadPool two(2);
  auto seconds = [](const auto& run) {
    const double start = wall_seconds();
    run();
    return wall_seconds() - start;
  };
  auto bare = [&](ThreadPool* pool) {
    auto loop = [](size_t, size_t begin, size_t end) {
      for (; begin < end; ++begin) {
        float sink = 1;
        kernels().fma_loop(100'000, &sink);
      }
    };
    pool ? pool->for_chunks(8, 1, loop) : loop(0, 0, 8);
  };
  auto report = [&](const char* what, const std::function<void(ThreadPool*)>& run) {
    run(nullptr), run(&two);
    std::vector<double> ratios, machine;
    for (int i = 0; i < 40 * rounds && int(ratios.size()) < rounds; ++i) {
      const bool before = two_idle_cores(two);
      const double one = seconds([&] { run(nullptr); }), both = seconds([&] { run(&two); });
      const double loop = seconds([&] { bare(nullptr); }), loops = seconds([&] { bare(&two); });
      if (!before || !two_idle_cores(two)) continue;
      ratios.push_back(one / both);
      machine.push_back(loop / loops);
    }
    fmt::print("| {} | {:.2f} | {:.2f} | {} |\n", what, ratios.empty() ? NAN : median(ratios),
               ratios.empty() ? NAN : median(machine), ratios.size());
  };
  for (const auto& [what, shape] : {std::pair("training A", a), std::pair("training B", b)}) {
    const FeatureBatch states = make_states(shape.input, 1024);
    const std::vector<float> targets = make_targets(1024);
    Mlp network = Mlp::random(shape, RngKey::from_seed(1));
    const Inputs inputs(network.plan(), states);
    const TrainingData data{.inputs = &inputs, .targets = targets};
    std::vector<int32_t> rows(1024);
    std::iota(rows.begin(), rows.end(), 0);
    Trainer one(network, data, {}, 1024), both(network, data, {}, 1024, &two);
    report(what, [&](ThreadPool* pool) {
      for (int i = 0; i < 5; ++i) (pool ? both : one).step(rows, {});
    });
  }
  const FeatureBatch states = make_states(a.input, 5000);
  NetworkSet set(a);
  for (int i = 0; i < 24; ++i) set.add(Mlp::random(a, RngKey::from_seed(i)));
  std::vector<float> out(5000 * 24);
  report("24 networks A on 5000 states",
         [&](ThreadPool* pool) { set.predict(states, out, Order::kStateMajor, pool); });
  const FeatureMap map = FeatureMap::random(a.input, 256, RngKey::from_seed(1));
  const FeatureMatrix x = map.compute(states);
  const std::vector<float> targets = make_targets(5000);
  report("a head on 5000 rows of its own", [&](ThreadPool* pool) {
    fit_head({&x, targets, {}}, {}, pool);
  });
}

void bench_heads(const FeatureLayout& layout, int rounds) {
  const FeatureBatch pool_states = make_states(layout, 2000);
  const std::vector<float> targets = make_targets(5000);
  BankOptions options;
  auto bank = make_bank(layout, options, RngKey::from_seed(1));
  bank->set_pool(pool_states);
  const FeatureBatch few = make_states(layout, 500);
  const std::span<const float> t(targets);
  const FitData own{.local = &pool_states, .local_targets = t.first(2000)};
  const FitData shared{.pool_targets = t.first(2000)};
  const FitData both{.pool_targets = t.first(2000), .local = &few, .local_targets = t.first(500)};
  const std::vector<int> none;
  auto add = [&](const FitData& data) {
    return [&bank, &none, &data] {
      bank->add(data, {});
      bank->keep(none);
    };
  };
  std::vector<Contender> all = {{"2000 rows of its own", add(own)},
                                {"2000 shared rows, Gram matrix reused", add(shared)},
                                {"2000 shared rows and 500 of its own", add(both)}};
  race(all, rounds, 0);
  for (const Contender& c : all) {
    fmt::print("| fitting a head on 256 features: {} | {:.2f} ms |\n", c.name,
               1e3 * median(c.seconds));
  }

  auto* heads = dynamic_cast<ValueBank*>(bank.get());
  for (int i = 0; i < 200; ++i) heads->add(shared, {});
  const FeatureBatch states = make_states(layout, 5000);
  std::vector<float> out(5000 * 200);
  std::vector<int32_t> group(5000);
  for (int r = 0; r < 5000; ++r) group[r] = r / 125;
  std::vector<double> sums(40 * 200);
  std::vector<Contender> predictions = {{"all values", [&] { heads->predict(states, out); }},
                                        {"sums of 40 groups", [&] {
                                           heads->predict_sums(states, {group, 40, {}}, sums);
                                         }}};
  race(predictions, rounds, 0);
  for (const Contender& c : predictions) {
    fmt::print("| 200 heads on 5000 states: {} | {:.2f} ms |\n", c.name, 1e3 * median(c.seconds));
  }
}

}  // namespace

int main(int argc, char** argv) {
  const int rounds = argc > 1 ? std::max(1, std::atoi(argv[1])) : 41;
  FeatureLayout rocks;
  rocks.categories = {400};
  rocks.num_bits = 20;
  FeatureLayout dense;
  dense.num_dense = 3;
  MlpShape a, b;
  a.input = rocks, a.hidden = preset("paper-rock-sample");
  b.input = dense, b.hidden = preset("paper-continuous");
  fmt::print("{}, measured peak {:.1f} G multiply-adds per second\n\n", kernels().isa,
             1e-9 * peak_rate());
  fmt::print("| | | per row | of peak | time / ours |\n|---|---|---|---|---|\n");
  bench_training("training A, batch 1024", a, rounds);
  bench_training("training B, batch 1024", b, rounds);
  bench_predict(a, rounds);
  fmt::print(
      "\n| two threads against one | speed | of a bare loop | rounds |\n|---|---|---|---|\n");
  bench_two_threads(a, b, rounds);
  fmt::print("\n| | time |\n|---|---|\n");
  bench_heads(rocks, rounds);
}
