#include "penumbra/solvers/islands.h"

#include <algorithm>
#include <cmath>

#include "penumbra/base/share_out.h"

namespace penumbra {
namespace {

// Backups of each island in the first round, and how they grow from round to round: every round
// ends with simulations, and later ones take longer.
constexpr uint64_t kFirst = 64, kEarly = 500;
constexpr double kEarlyGrowth = 2, kGrowth = 1.2;

template <class Write>
Bytes bytes_of(const Write& write) {
  BytesSink sink;
  Saver saver(sink);
  write(saver);
  return std::move(sink.bytes);
}

template <class Read>
void read_bytes(const Bytes& bytes, const Read& read) {
  BytesSource source(bytes);
  Loader loader(source);
  read(loader);
}

template <class Archive>
void archive_estimate(Archive& a, Estimate& e) {
  a(e.mean, e.standard_error, e.low, e.high, e.count);
}

}  // namespace

void IslandOptions::list(OptionList& l) {
  l.add("islands", count, 1, 1024, "controllers that improve apart and learn from the best");
  l.add("exchange", exchange, 1, 1'000'000'000,
        "backups of each island from one exchange to the next, at least");
}

std::string no_islands(const std::string& solver, const std::string& preset) {
  return solver + ": the preset " + preset + " has one controller; leave out islands or the preset";
}

RngKey island_key(RngKey run, int number) {
  return number == 0 ? run : run.fold("island").fold(number);
}

template <class Archive>
void Islands::Place::archive(Archive& a) {
  a(backups, nodes, work);
  archive_estimate(a, simulated);
  archive_estimate(a, best);
  a(estimate, training_error, upper, policy, offer, state, taken, judged, complete, stopped);
}

template <class Archive>
void Islands::archive_all(Archive& a) {
  a(places_, target_, exchanged_at_, offering_, offer_);
  if constexpr (Archive::kLoading) {
    if (places_.size() != live_.size()) throw Error("saved state: another number of islands");
    for (auto& island : live_) island.reset();
    add_work();
  }
}

void Islands::archive(Saver& saver) {
  archive_all(saver);
}
void Islands::archive(Loader& loader) {
  archive_all(loader);
}

Islands::Islands(const IslandOptions& options, uint64_t backups, ThreadPool& pool, const Stop& stop,
                 MakeIsland make)
    : options_(options),
      limit_((backups + options.count - 1) / options.count),
      pool_(pool),
      stop_(stop),
      make_(std::move(make)),
      pools_(options.count),
      live_(options.count),
      places_(options.count),
      target_(std::min<uint64_t>(kFirst, options.exchange)) {
  const int ranks = pool.team().size(), rank = pool.team().rank();
  const int own = (options.count - rank + ranks - 1) / ranks;
  const int threads = std::max(1, pool.num_threads() / std::max(1, own));
  for (int i = rank; i < options.count; i += ranks)
    pools_[i] = std::make_unique<ThreadPool>(threads);
}

void Islands::start() {
  places_ = share_out<Place>(pool_, places_.size(), [&](size_t i) { return begin(i); });
  add_work();
  if (std::any_of(places_.begin(), places_.end(), [](const Place& p) { return p.stopped; }))
    throw Stopped();
}

Islands::Place Islands::begin(size_t i) {
  Place place;
  try {
    live_[i] = make_(static_cast<int>(i), *pools_[i]);
    live_[i]->start();
    judge(*live_[i], place, stop_);
    keep(*live_[i], place);
  } catch (const Stopped&) {
    place.stopped = true;
  }
  return place;
}

Island& Islands::live(size_t i) {
  if (!live_[i]) {
    live_[i] = make_(static_cast<int>(i), *pools_[i]);
    read_bytes(places_[i].state, [&](Loader& loader) { live_[i]->archive(loader); });
  }
  return *live_[i];
}

bool Islands::round(const Stop& stop) {
  places_ = share_out<Place>(pool_, places_.size(), [&](size_t i) { return go_on(i, stop); });
  add_work();
  if (std::any_of(places_.begin(), places_.end(), [](const Place& p) { return p.stopped; }))
    return false;
  if (std::all_of(places_.begin(), places_.end(), [](const Place& p) { return p.complete; }))
    exchange();
  return true;
}

// To the end of the round, or to the island's share of the backups: then a resumed run does the
// rest.
Islands::Place Islands::go_on(size_t i, const Stop& stop) {
  Place place = places_[i];
  Island& island = live(i);
  place.stopped = false;
  if (place.taken < exchanged_at_ && offering_ != i) {
    read_bytes(offer_, [&](Loader& loader) { island.take(loader); });
    place.judged = false;
  }
  place.taken = exchanged_at_;
  while (!place.stopped && island.backups() < target_ &&
         (limit_ == 0 || island.backups() < limit_)) {
    place.stopped = !island.round(stop);
    place.judged = false;
  }
  place.complete = !place.stopped && island.backups() >= target_;
  if (place.complete && !place.judged) judge(island, place, stop);
  keep(island, place);
  return place;
}

void Islands::judge(Island& island, Place& place, const Stop& stop) const {
  SolveProgress line;
  island.evaluate(line, stop);
  place.judged = true;
  place.simulated = line.simulated;
  place.estimate = line.estimate;
  place.upper = line.upper;
  place.training_error = line.training_error;
  place.best = island.best_score();
  place.policy = bytes_of([&](Saver& saver) { island.archive_best(saver); });
}

void Islands::keep(Island& island, Place& place) const {
  place.backups = island.backups();
  place.nodes = island.standing().nodes;
  place.work = island.work();
  place.offer = bytes_of([&](Saver& saver) { island.offer(saver); });
  place.state = bytes_of([&](Saver& saver) { island.archive(saver); });
}

// The end of a round that is complete.
void Islands::exchange() {
  if (target_ >= exchanged_at_ + static_cast<uint64_t>(options_.exchange)) {
    offering_ = best_by(&Place::simulated);
    offer_ = places_[offering_].offer;
    exchanged_at_ = target_;
  }
  const double growth = target_ < kEarly ? kEarlyGrowth : kGrowth;
  target_ = static_cast<uint64_t>(std::ceil(growth * static_cast<double>(target_)));
}

void Islands::keep_stopped_round() {
  for (size_t i = 0; i < places_.size(); ++i) {
    Place& place = places_[i];
    if (!live_[i] || !place.stopped) continue;
    live_[i]->keep_stopped_round();
    place.backups = live_[i]->backups();
    place.nodes = live_[i]->standing().nodes;
    place.work = live_[i]->work();
  }
  add_work();
}

// At the end of a round all are judged already. Within one it is only done because the solve ends:
// an island that goes on all the same does so from what was kept of it before.
void Islands::evaluate(SolveProgress& line, const Stop& stop) {
  const auto judged = [](const Place& p) { return p.judged; };
  if (!std::all_of(places_.begin(), places_.end(), judged)) {
    places_ = share_out<Place>(pool_, places_.size(), [&](size_t i) {
      Place place = places_[i];
      if (place.judged || !owned(i)) return place;
      judge(live(i), place, stop);
      place.work = live_[i]->work();
      live_[i].reset();
      return place;
    });
    add_work();
  }
  const Place& best = places_[best_by(&Place::simulated)];
  line.simulated = best.simulated;
  line.estimate = best.estimate;
  line.training_error = best.training_error;
  line.upper = places_[0].upper;
}

uint64_t Islands::backups() const {
  uint64_t sum = 0;
  for (const Place& place : places_) sum += place.backups;
  return sum;
}

void Islands::add_work() {
  work_ = {};
  for (const Place& place : places_) work_ += place.work;
}

size_t Islands::best_by(Estimate Place::*score) const {
  size_t best = 0;
  for (size_t i = 1; i < places_.size(); ++i)
    if ((places_[i].*score).mean > (places_[best].*score).mean) best = i;
  return best;
}

Standing Islands::standing() const {
  Standing s;
  for (const Place& place : places_) s.nodes = std::max(s.nodes, place.nodes);
  const Estimate& best = places_[best_by(&Place::best)].best;
  if (best.count > 0) s.gap = places_[0].upper.value - best.low;
  return s;
}

void Islands::finish(Solution& solution) {
  const size_t best = best_by(&Place::best);
  const std::unique_ptr<Island> island = make_(static_cast<int>(best), pool_);
  read_bytes(places_[best].policy, [&](Loader& loader) { island->archive_best(loader); });
  island->finish(solution);
  solution.upper = places_[0].upper;
}

}  // namespace penumbra
