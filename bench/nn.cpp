// Networks beside libxsmm and Eigen. Prints the table of docs/networks.md:
//   build/release/bench_nn
//
// One thread unless said otherwise; bench/race.h says how it is measured. "Of peak" counts the
// multiply-adds of dense layers only: gathers, look-up tables, scatters, biases and Adam are
// overhead.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <numeric>

#include "bench/peer_network.h"
#include "bench/race.h"
#include "penumbra/nn/network_set.h"
#include "penumbra/nn/parallel.h"
#include "penumbra/nn/ridge.h"
#include "penumbra/nn/trainer.h"
#include "penumbra/nn/value_bank.h"

namespace {

using namespace penumbra;
using namespace penumbra::nn;

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

void bench_training(const char* what, const MlpShape& shape, int rounds) {
  constexpr int kRows = 1024, kSteps = 3;
  const FeatureBatch states = make_states(shape.input, kRows);
  const std::vector<float> targets = make_targets(kRows);
  Mlp network = Mlp::random(shape, RngKey::from_seed(1));
  const Inputs inputs(network.layout(), states);
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
  const Inputs inputs(sets[0][0].layout(), states);
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
    fmt::print("| {} | {} | {} | {} |\n", what, figure(ratios, 1, 2), figure(machine, 1, 2),
               ratios.size());
  };
  for (const auto& [what, shape] : {std::pair("training A", a), std::pair("training B", b)}) {
    const FeatureBatch states = make_states(shape.input, 1024);
    const std::vector<float> targets = make_targets(1024);
    Mlp network = Mlp::random(shape, RngKey::from_seed(1));
    const Inputs inputs(network.layout(), states);
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
    fmt::print("| fitting a head on 256 features: {} | {} |\n", c.name,
               figure(c.seconds, 1e3, 2, " ms"));
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
    fmt::print("| 200 heads on 5000 states: {} | {} |\n", c.name, figure(c.seconds, 1e3, 2, " ms"));
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
