#include "penumbra/evaluate/arrivals.h"

#include <algorithm>
#include <cmath>

#include "penumbra/evaluate/controller_walk.h"

namespace penumbra {
namespace {

constexpr size_t kBatch = 512;  // episodes in lockstep
constexpr size_t kChunks = 16;

// Those with the smallest times of a race in which an arrival runs as fast as its discount are a
// sample in which each counts as much.
struct Racer {
  double time;
  uint64_t episode;
  int t;
  size_t state;  // in the pool of the edge
  bool operator<(const Racer& other) const {
    return time != other.time         ? time < other.time
           : episode != other.episode ? episode < other.episode
                                      : t < other.t;
  }
};

struct EdgeSample {
  double weight = 0;
  std::vector<Racer> racers;
  RecordBuffer states;

  // Only the `most` first of the race stay.
  void cut(size_t most) {
    if (racers.size() <= most) return;
    std::nth_element(racers.begin(), racers.begin() + long(most), racers.end());
    racers.resize(most);
    RecordBuffer kept(states.record_size(), most);
    for (size_t i = 0; i < most; ++i) {
      kept.copy_from(i, states.at(racers[i].state));
      racers[i].state = i;
    }
    states = std::move(kept);
  }
  void add(Racer racer, const std::byte* state) {
    if (states.record_size() == 0) return;
    racer.state = racers.size();
    racers.push_back(racer);
    states.push_back(state);
  }
};

using Samples = std::vector<EdgeSample>;

void run_chunk(const Pomdp& model, const Fsc& fsc, const ArrivalOptions& o, RngKey key,
               uint64_t from, uint64_t to, Samples& out) {
  const double discount = model.facts().discount;
  const RngKey race = key.fold("race");
  std::vector<double> power(size_t(o.max_steps) + 1, 1.0);
  for (size_t t = 1; t < power.size(); ++t) power[t] = power[t - 1] * discount;
  auto arrive = [&](size_t edge, uint64_t episode, int t, const std::byte* state) {
    EdgeSample& sample = out[edge];
    if (sample.racers.empty()) sample.states = RecordBuffer(model.state_size());
    sample.weight += power[t];
    const double u = (Rng(race.fold(uint64_t(t)), episode).bits32() + 0.5) * 0x1p-32;
    sample.add({-std::log(u) / power[t], episode, t, 0}, state);
    if (sample.racers.size() >= 2 * size_t(o.most)) sample.cut(size_t(o.most));
  };
  const size_t start = fsc.edges.size();
  for (uint64_t begin = from; begin < to; begin += kBatch)
    walk_controller(
        model, fsc, key, begin, std::min<uint64_t>(kBatch, to - begin), o.max_steps,
        [&](uint64_t episode, const std::byte* state) { arrive(start, episode, 0, state); },
        [&](const WalkStep& s) {
          if (!s.ended)
            arrive(size_t(s.node) * fsc.num_observations + s.seen, s.episode, s.t + 1, s.next);
        });
}

}  // namespace

Arrivals find_arrivals(const Pomdp& model, const Fsc& fsc, const ArrivalOptions& o, RngKey key,
                       ThreadPool& pool) {
  const size_t edges = fsc.edges.size() + 1;
  const size_t chunk = std::max<size_t>(kBatch, (o.episodes + kChunks - 1) / kChunks);
  std::vector<Samples> parts(ThreadPool::num_chunks(o.episodes, chunk));
  pool.for_chunks(o.episodes, chunk, [&](size_t index, size_t from, size_t to) {
    parts[index].resize(edges);
    run_chunk(model, fsc, o, key, from, to, parts[index]);
  });
  Arrivals all;
  all.weight.resize(edges);
  all.first.assign(edges + 1, 0);
  all.states = RecordBuffer(model.state_size());
  for (size_t e = 0; e < edges; ++e) {
    EdgeSample joined;
    joined.states = RecordBuffer(model.state_size());
    for (Samples& part : parts) {
      joined.weight += part[e].weight;
      for (const Racer& racer : part[e].racers) joined.add(racer, part[e].states.at(racer.state));
      part[e] = {};
    }
    all.weight[e] = joined.weight / double(o.episodes);
    std::sort(joined.racers.begin(), joined.racers.end());
    const double wanted =
        std::clamp(all.weight[e] * o.per_weight, double(o.fewest), double(o.most));
    joined.racers.resize(std::min(joined.racers.size(), size_t(std::ceil(wanted))));
    for (const Racer& racer : joined.racers) all.states.push_back(joined.states.at(racer.state));
    all.first[e + 1] = all.first[e] + joined.racers.size();
  }
  return all;
}

}  // namespace penumbra
