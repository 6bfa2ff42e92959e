// What the batched interface costs: Pomdp::step through adapt() against the same loop written
// inline on the plain struct. Repeats of both take turns, so that a busy machine hurts both alike;
// the figures are medians.
//
//   bench_step [--quick]
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <ctime>
#include <vector>

#include "domains/light_dark.h"
#include "domains/registry.h"
#include "domains/rock_sample.h"

namespace penumbra {
namespace {

template <class M>
struct Buffers {
  std::vector<typename M::State> state, next;
  std::vector<int> action;
  std::vector<typename M::Observation> seen;
  std::vector<float> reward;
  std::vector<uint8_t> ended;

  explicit Buffers(size_t n) : state(n), next(n), action(n), seen(n), reward(n), ended(n) {}
};

// What somebody would write who has the struct at hand: the semantics of Pomdp::step, for any
// streams (not specialised to those that this benchmark happens to pass).
#if defined(__clang__)
#define NOT_SPECIALISED [[gnu::noinline]]
#else
#define NOT_SPECIALISED [[gnu::noipa]]
#endif
template <class M>
NOT_SPECIALISED void inline_loop(const M& model, Buffers<M>& b, Streams streams) {
  const size_t n = b.state.size();
  const auto* state = b.state.data();
  const auto* action = b.action.data();
  auto* next = b.next.data();
  auto* seen = b.seen.data();
  auto* reward = b.reward.data();
  auto* ended = b.ended.data();
  for (size_t i = 0; i < n; ++i) {
    const typename M::State s = state[i];
    if (model.is_terminal(s)) {
      next[i] = s;
      seen[i] = {};
      reward[i] = 0;
      ended[i] = 1;
      continue;
    }
    Rng rng = streams.rng(i);
    const auto o = model.step(s, action[i], rng);
    next[i] = o.next;
    seen[i] = o.seen;
    reward[i] = o.reward;
    ended[i] = model.is_terminal(o.next);
  }
}

template <class M>
NOT_SPECIALISED void adapted_loop(const Pomdp& model, Buffers<M>& b, Streams streams) {
  const size_t n = b.state.size();
  auto bytes = [](auto& v) { return reinterpret_cast<std::byte*>(v.data()); };
  model.step(ConstRecords{bytes(b.state), sizeof(typename M::State), n}, b.action, streams,
             {{bytes(b.next), sizeof(typename M::State), n},
              {bytes(b.seen), sizeof(typename M::Observation), n},
              b.reward,
              b.ended});
}

// Time that this thread has run, in nanoseconds: what other programs take does not count.
double thread_nanoseconds() {
  timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return 1e9 * static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec);
}

// Nanoseconds per lane of `body`, called `calls` times.
template <class Body>
double time_once(size_t calls, size_t lanes, const Body& body) {
  const double start = thread_nanoseconds();
  for (size_t c = 0; c < calls; ++c) body(c);
  return (thread_nanoseconds() - start) / static_cast<double>(calls * lanes);
}

double median(std::vector<double> x) {
  std::nth_element(x.begin(), x.begin() + x.size() / 2, x.end());
  return x[x.size() / 2];
}

template <class M>
void run(const std::string& spec, int repeats, size_t steps_per_repeat) {
  const auto model = load_domain(spec);
  const M& plain = dynamic_cast<const Adapted<M>&>(*model).model();
  for (size_t lanes : {1, 256, 1024, 4096}) {
    Buffers<M> a(lanes), b(lanes);
    const RngKey key = RngKey::from_seed(1);
    for (size_t i = 0; i < lanes; ++i) {
      Rng rng(key, i);
      a.state[i] = plain.sample_initial(rng);
      a.action[i] = static_cast<int>(rng.below(model->facts().num_actions));
    }
    b = a;
    const size_t calls = std::max<size_t>(1, steps_per_repeat / lanes);
    std::vector<double> direct, adapted;
    auto time_direct = [&] {
      direct.push_back(
          time_once(calls, lanes, [&](size_t c) { inline_loop(plain, a, {key.fold(c)}); }));
    };
    auto time_adapted = [&] {
      adapted.push_back(
          time_once(calls, lanes, [&](size_t c) { adapted_loop<M>(*model, b, {key.fold(c)}); }));
    };
    for (int r = 0; r < repeats; ++r) {  // who goes first alternates
      if (r % 2 == 0) time_direct();
      time_adapted();
      if (r % 2 == 1) time_direct();
    }
    if (std::memcmp(a.next.data(), b.next.data(), lanes * sizeof(a.next[0])) != 0)
      fmt::print("the two loops disagree\n");
    // Differences and ratios of neighbours in time, so that a slow spell cancels out.
    std::vector<double> overhead, ratio;
    for (int r = 0; r < repeats; ++r) {
      overhead.push_back(adapted[r] - direct[r]);
      ratio.push_back(adapted[r] / direct[r]);
    }
    fmt::print("{:<24} {:>6} {:>11.2f} {:>11.2f} {:>+9.2f} {:>+8.1f} %\n", spec, lanes,
               median(direct), median(adapted), median(overhead), 100 * (median(ratio) - 1));
  }
}

}  // namespace
}  // namespace penumbra

int main(int argc, char** argv) {
  const bool quick = argc > 1 && std::strcmp(argv[1], "--quick") == 0;
  const int repeats = quick ? 21 : 401;
  const size_t steps = quick ? 50'000 : 100'000;
  fmt::print("{:<24} {:>6} {:>11} {:>11} {:>9} {:>10}\n", "ns per step", "batch", "inline",
             "adapted", "overhead", "");
  penumbra::run<penumbra::RockSample>("rock-sample(n=20,k=20)", repeats, steps);
  penumbra::run<penumbra::LightDark>("light-dark", repeats, steps);
}
