#include "penumbra/solvers/pbvi.h"

#include <algorithm>
#include <cmath>

#include "penumbra/base/rng.h"
#include "penumbra/solvers/points/point_solver.h"

namespace penumbra {
namespace {

struct PbviOptions {
  int rounds = 10;  // of backups of the whole set between growths
  void list(OptionList& l) { l.add("rounds", rounds, 1, 1000, "of backups between growths"); }
};

using points::Child;
using points::PointBounds;

double distance(HiddenView a, HiddenView b, std::vector<double>& scratch) {
  for (size_t i = 0; i < a.size(); ++i) scratch[a.at(i)] += a.value[i];
  for (size_t i = 0; i < b.size(); ++i) scratch[b.at(i)] -= b.value[i];
  double sum = 0;
  for (HiddenView view : {a, b})
    for (size_t i = 0; i < view.size(); ++i) {
      sum += std::abs(scratch[view.at(i)]);
      scratch[view.at(i)] = 0;
    }
  return sum;
}

class Expansion {
 public:
  Expansion(PointBounds& bounds, uint64_t seed)
      : bounds_(bounds),
        key_(RngKey::from_seed(seed).fold("pbvi")),
        scratch_(bounds.model().largest_part(), 0.0) {}

  const std::vector<int>& beliefs() const { return beliefs_; }

  // False when `stop` came first: the next call goes on there.
  bool grow(const Stop& stop) {
    if (grown_from_ == 0) growing_ = beliefs_.size();
    for (; grown_from_ < growing_; ++grown_from_) {
      if (stop()) return false;
      const int from = beliefs_[grown_from_];
      Rng rng(key_, draws_++);
      int farthest = -1;
      double most = 1e-9;
      for (int a = 0; a < bounds_.model().num_actions(); ++a) {
        const int next = draw(from, a, rng);
        if (next < 0) continue;
        if (const double away = distance_to_set(next); away > most) most = away, farthest = next;
      }
      if (farthest >= 0) beliefs_.push_back(farthest);
    }
    grown_from_ = 0;
    return true;
  }

  template <class Archive>
  void archive(Archive& a) {
    a(draws_, beliefs_, grown_from_, growing_);
  }

 private:
  int draw(int from, int action, Rng& rng) {
    double u = rng.uniform();
    for (const Child& child : bounds_.children(from, action))
      if ((u -= child.chance) < 0) return child.node;
    return -1;  // the episode ended
  }

  double distance_to_set(int node) {
    double least = 2;
    const auto view = bounds_.graph().belief(node);
    const HiddenBelief copy{{view.value.begin(), view.value.end()},
                            {view.index.begin(), view.index.end()}};
    for (int other : beliefs_) {
      if (other == node) return 0;
      if (bounds_.graph().node(other).part != bounds_.graph().node(node).part) continue;
      least = std::min(least, distance(copy.view(), bounds_.graph().belief(other), scratch_));
    }
    return least;
  }

  PointBounds& bounds_;
  RngKey key_;
  uint64_t draws_ = 0;
  std::vector<int> beliefs_{PointBounds::kRoot};
  size_t grown_from_ = 0, growing_ = 0;  // where growing stands, and how many it goes over
  std::vector<double> scratch_;
};

class Sweeps final : public points::BackupOrder {
 public:
  Sweeps(PointBounds& bounds, uint64_t seed, int sweeps)
      : bounds_(bounds), set_(bounds, seed), sweeps_(sweeps) {}

  bool run(const Stop& stop) override {
    if (!growing_done_) {
      if (!set_.grow(stop)) return false;
      growing_done_ = true;
    }
    for (; sweep_ < sweeps_; ++sweep_, changed_ = false) {
      // The latest first: what they learn, those before them can use at once.
      if (left_ == 0) left_ = set_.beliefs().size();
      for (; left_ > 0; --left_) {
        if (stop()) return false;
        changed_ |= bounds_.back_up_lower(set_.beliefs()[left_ - 1]);
        changed_ |= bounds_.back_up_upper(set_.beliefs()[left_ - 1]);
      }
      if (!changed_) break;
    }
    growing_done_ = changed_ = false;
    sweep_ = 0;
    bounds_.prune_vectors();
    return true;
  }
  void save(Saver& saver) override { archive(saver); }
  void load(Loader& loader) override { archive(loader); }

 private:
  template <class Archive>
  void archive(Archive& a) {
    a(set_, growing_done_, changed_, sweep_, left_);
  }

  PointBounds& bounds_;
  Expansion set_;
  int sweeps_;  // over the whole set in a round
  bool growing_done_ = false, changed_ = false;
  int sweep_ = 0;
  size_t left_ = 0;  // beliefs of this sweep
};

class PbviSolver final : public points::PointSolver {
 public:
  OptionList options() override { return list_options(options_); }

 private:
  std::unique_ptr<points::BackupOrder> order(PointBounds& bounds, uint64_t seed) const override {
    return std::make_unique<Sweeps>(bounds, seed, options_.rounds);
  }

  PbviOptions options_;
};

}  // namespace

std::unique_ptr<Solver> make_pbvi() {
  return std::make_unique<PbviSolver>();
}

}  // namespace penumbra
