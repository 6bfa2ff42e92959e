#include "penumbra/solvers/pomcgs/supports.h"

#include <algorithm>
#include <numeric>

#include "penumbra/base/error.h"

namespace penumbra::pomcgs {
namespace {

constexpr size_t kManySims = 20'000;
constexpr double kMostTransits = 1.5e9;  // bytes; beyond, all are forgotten and made again

const std::byte* bytes_of(const int& x) {
  return reinterpret_cast<const std::byte*>(&x);
}

}  // namespace

// What one call of the simulator gave: lane by lane, cell by cell of the support.
struct Supports::Draft {
  Want want{};
  std::vector<uint32_t> owner;  // place of the lane's state in the support
  RecordBuffer next, seen;
  std::vector<float> reward;
  std::vector<uint8_t> ended;
  std::vector<int32_t> cell;  // of `next`; -1: ended
};

Supports::Supports(const Pomdp& model, const ActionStudy& study, const BlindPolicies& blind,
                   Cells& cells, const PomcgsOptions& options, RngKey key, const Tabular* table)
    : model_(model),
      table_(table),
      blind_(blind),
      cells_(cells),
      random_(study.random),
      weighted_(model.has(Capability::kLikelihood)),
      repeats_(model.has(Capability::kTable)),
      most_cells_(4 * size_t(options.particles > 0 ? options.particles : kSomeParticles)),
      sims_(options.sims),
      key_(key) {}

int Supports::insert(std::vector<int32_t> cells) {
  const uint64_t hash =
      hash_record(reinterpret_cast<const std::byte*>(cells.data()), cells.size() * sizeof(int32_t));
  const auto [begin, end] = by_hash_.equal_range(hash);
  for (auto it = begin; it != end; ++it)
    if (supports_[it->second]->cells == cells) return it->second;
  auto s = std::make_unique<Support>();
  for (int32_t c : cells) {
    if (c < 0 || c >= cells_.count()) throw Error("saved state: a support has unknown states");
    s->mdp.push_back(cells_.mdp(c));
  }
  for (int k = 0; k < blind_.size(); ++k)
    for (int32_t c : cells) s->blind.push_back(cells_.blind(c, k));
  s->cells = std::move(cells);
  bytes_ += static_cast<double>(s->count()) * (8 + 4 * blind_.size()) + 150;
  supports_.push_back(std::move(s));
  by_hash_.emplace(hash, count() - 1);
  return count() - 1;
}

std::unique_ptr<Transit> Supports::look_up(int action) const {
  auto t = std::make_unique<Transit>();
  const auto& cells = supports_[0]->cells;
  const size_t n = cells.size(), num_seen = table_->num_observations;
  std::vector<int> state(n), place(table_->num_states, -1);
  for (size_t i = 0; i < n; ++i) {
    model_.state_index(cells_.state(cells[i]), {&state[i], 1});
    place[state[i]] = static_cast<int>(i);
  }
  t->to = 0;
  t->row.push_back(0);
  t->chance.assign(num_seen * n, 0.0f);
  for (size_t i = 0; i < n; ++i) {
    t->reward.push_back(static_cast<float>(table_->reward[action][state[i]]));
    for (const auto& [next, chance] : table_->transition[action].row(state[i])) {
      if (place[next] < 0) continue;
      t->next.push_back(static_cast<uint32_t>(place[next]));
      t->share.push_back(static_cast<float>(chance));
    }
    t->row.push_back(static_cast<uint32_t>(t->next.size()));
    for (const auto& [seen, chance] : table_->observation[action].row(state[i]))
      t->chance[seen * n + i] = static_cast<float>(chance);
  }
  t->seen.resize(num_seen);
  std::iota(t->seen.begin(), t->seen.end(), 0);
  return t;
}

Supports::Draft Supports::simulate(Want want) const {
  const Support& support = *supports_[want.support];
  Draft d;
  d.want = want;
  const size_t size = model_.state_size();
  RecordBuffer now(size);
  std::vector<uint64_t> ids;
  // Of actions that were not studied the worst is assumed.
  const bool random = static_cast<size_t>(want.action) < random_.size()
                          ? random_[want.action]
                          : std::find(random_.begin(), random_.end(), 1) != random_.end();
  const bool once = weighted_ && !random;
  // Small supports are simulated more. Where next states are seldom equal each simulation gives a
  // new one, and a support must not grow.
  const size_t n_states = support.count(), least = sims_;
  const size_t many = repeats_ ? std::max(least, kManySims / n_states)
                               : std::clamp<size_t>(most_cells_ / n_states, 1, least);
  for (size_t i = 0; i < support.count(); ++i) {
    const int32_t cell = support.cells[i];
    for (size_t k = 0; k < (once ? 1 : many); ++k) {
      now.push_back(cells_.state(cell).at(0));
      d.owner.push_back(static_cast<uint32_t>(i));
      ids.push_back(uint64_t(cell) << 24 | k);
    }
  }
  const size_t n = ids.size();
  StepBuffers buffers(model_, n);
  const std::vector<int> actions(n, want.action);
  model_.step(now, std::span<const int>(actions),
              {key_.fold(static_cast<uint64_t>(want.action)), 0, ids.data()}, buffers.results(n));
  d.next = std::move(buffers.next);
  d.seen = std::move(buffers.seen);
  d.reward = std::move(buffers.reward);
  d.ended = std::move(buffers.ended);
  return d;
}

void Supports::finish(const Draft& d, Transit& t) const {
  const Support& from = *supports_[d.want.support];
  const size_t n = from.count();
  std::vector<uint32_t> lanes(n, 0);
  t.reward.assign(n, 0.0f);
  for (size_t lane = 0; lane < d.owner.size(); ++lane) {
    ++lanes[d.owner[lane]];
    t.reward[d.owner[lane]] += d.reward[lane];
  }
  for (size_t i = 0; i < n; ++i) t.reward[i] /= static_cast<float>(lanes[i]);
  t.row.assign(1, 0);
  if (t.to < 0) {
    t.row.resize(n + 1, 0);
    return;
  }
  const Support& to = *supports_[t.to];
  auto place = [&](int32_t cell) {
    return static_cast<uint32_t>(std::lower_bound(to.cells.begin(), to.cells.end(), cell) -
                                 to.cells.begin());
  };
  const int num_seen = model_.facts().num_observations;
  std::vector<float> chance(size_t(num_seen) * to.count(), 0.0f);
  std::vector<uint32_t> places, arrivals(to.count(), 0);
  bool stays = t.to == d.want.support;
  for (size_t i = 0, lane = 0; i < n; ++i) {
    places.clear();
    for (; lane < d.owner.size() && d.owner[lane] == i; ++lane) {
      if (d.cell[lane] < 0) continue;
      places.push_back(place(d.cell[lane]));
      if (weighted_) continue;
      chance[index_of(d.seen, lane) * to.count() + places.back()] += 1;
      ++arrivals[places.back()];
    }
    std::sort(places.begin(), places.end());
    for (size_t k = 0; k < places.size();) {
      size_t end = k;
      while (end < places.size() && places[end] == places[k]) ++end;
      t.next.push_back(places[k]);
      t.share.push_back(static_cast<float>(end - k) / static_cast<float>(lanes[i]));
      k = end;
    }
    t.row.push_back(static_cast<uint32_t>(t.next.size()));
    stays = stays && t.row[i + 1] == i + 1 && t.next[i] == i && t.share[i] == 1;
  }
  t.stays = stays;
  if (weighted_) {
    RecordBuffer states(model_.state_size());
    for (int32_t c : to.cells) states.append(cells_.state(c));
    std::vector<double> likelihood(states.count());
    for (int o = 0; o < num_seen; ++o) {
      model_.likelihood(bytes_of(o), bytes_of(d.want.action), states, likelihood);
      for (size_t j = 0; j < to.count(); ++j)
        chance[o * to.count() + j] = static_cast<float>(likelihood[j]);
    }
  } else {
    for (size_t k = 0; k < chance.size(); ++k)
      chance[k] /= static_cast<float>(std::max<uint32_t>(arrivals[k % to.count()], 1));
  }
  for (int o = 0; o < num_seen; ++o) {
    const auto begin = chance.begin() + static_cast<long>(o * to.count());
    if (std::all_of(begin, begin + static_cast<long>(to.count()), [](float x) { return !(x > 0); }))
      continue;
    t.seen.push_back(o);
    t.chance.insert(t.chance.end(), begin, begin + static_cast<long>(to.count()));
  }
}

void Supports::make(std::vector<Want> wanted, ThreadPool& pool) {
  if (transit_bytes_ > kMostTransits) {
    transits_.clear();
    transit_bytes_ = 0;
  }
  std::sort(wanted.begin(), wanted.end());
  wanted.erase(std::unique(wanted.begin(), wanted.end()), wanted.end());
  std::erase_if(wanted, [&](Want w) { return transits_.contains(key_of(w)); });
  if (closed()) {
    for (const Want& w : wanted) {
      auto& t = transits_[key_of(w)] = look_up(w.action);
      transit_bytes_ += static_cast<double>(t->bytes());
    }
    return;
  }
  // In batches, so that drafts do not pile up.
  constexpr size_t kBatch = 512;
  for (size_t first = 0; first < wanted.size(); first += kBatch) {
    const size_t n = std::min(kBatch, wanted.size() - first);
    std::vector<Draft> drafts(n);
    std::vector<std::unique_ptr<Transit>> made(n);
    pool.for_chunks(n, 1,
                    [&](size_t i, size_t, size_t) { drafts[i] = simulate(wanted[first + i]); });
    for (size_t i = 0; i < n; ++i) {
      Draft& d = drafts[i];
      made[i] = std::make_unique<Transit>();
      RecordBuffer alive(model_.state_size());
      for (size_t lane = 0; lane < d.owner.size(); ++lane)
        if (!d.ended[lane]) alive.push_back(d.next.at(lane));
      std::vector<int32_t> cells(alive.count());
      cells_.insert(alive, cells, pool);
      d.cell.assign(d.owner.size(), -1);
      for (size_t lane = 0, k = 0; lane < d.owner.size(); ++lane)
        if (!d.ended[lane]) d.cell[lane] = cells[k++];
      std::sort(cells.begin(), cells.end());
      cells.erase(std::unique(cells.begin(), cells.end()), cells.end());
      if (!cells.empty()) made[i]->to = insert(std::move(cells));
      steps_ += static_cast<double>(d.owner.size());
    }
    pool.for_chunks(n, 1, [&](size_t i, size_t, size_t) { finish(drafts[i], *made[i]); });
    for (size_t i = 0; i < n; ++i) {
      const Want w = wanted[first + i];
      transit_bytes_ += static_cast<double>(made[i]->bytes());
      transits_[key_of(w)] = std::move(made[i]);
    }
  }
}

}  // namespace penumbra::pomcgs
