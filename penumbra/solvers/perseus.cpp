#include "penumbra/solvers/perseus.h"

#include <algorithm>
#include <numeric>

#include "penumbra/base/rng.h"
#include "penumbra/solvers/points/point_solver.h"

namespace penumbra {
namespace {

struct PerseusOptions {
  int beliefs = 1000;  // of the set
  void list(OptionList& l) { l.add("beliefs", beliefs, 1, 10'000'000, "from random walks"); }
};

using points::Child;
using points::PointBounds;

// Stages over a fixed set of beliefs.
class Stages final : public points::BackupOrder {
 public:
  Stages(PointBounds& bounds, uint64_t seed, int count)
      : bounds_(bounds), key_(RngKey::from_seed(seed).fold("perseus")), count_(count) {}

  bool run(const Stop& stop) override {
    if (!collected_) {
      if (!collect(stop)) return false;
      collected_ = true;
    }
    if (left_.empty()) {
      before_.clear();
      for (int node : beliefs_) before_.push_back(bounds_.lower(node));
      left_.resize(beliefs_.size());
      std::iota(left_.begin(), left_.end(), size_t{0});
    }
    if (!stage(stop)) return false;
    ++number_;
    picks_ = 0;
    bounds_.prune_vectors();
    return true;
  }
  void save(Saver& saver) override { archive(saver); }
  void load(Loader& loader) override { archive(loader); }

 private:
  template <class Archive>
  void archive(Archive& a) {
    a(collected_, beliefs_, member_, walk_, before_, left_, number_, picks_);
  }

  // Distinct beliefs from walks with random actions and observations, each of at most 100 steps.
  bool collect(const Stop& stop) {
    auto enough = [&] { return static_cast<int>(beliefs_.size()) >= count_; };
    for (; !enough() && walk_ <= 20 * uint64_t(count_); ++walk_) {  // there may not be so many
      if (stop()) return false;
      Rng rng(key_.fold("walks"), walk_);
      int node = PointBounds::kRoot;
      for (int step = 0; step < 100 && !enough(); ++step) {
        const auto action = static_cast<int>(rng.below(bounds_.model().num_actions()));
        double u = rng.uniform();
        int next = -1;
        for (const Child& child : bounds_.children(node, action))
          if ((u -= child.chance) < 0) {
            next = child.node;
            break;
          }
        if (next < 0) break;
        node = next;
        member_.resize(std::max<size_t>(member_.size(), node + 1), 0);
        if (!member_[node]) beliefs_.push_back(node);
        member_[node] = 1;
      }
    }
    return true;
  }

  // Backups at random beliefs until none is left that has not risen.
  bool stage(const Stop& stop) {
    for (; !left_.empty(); ++picks_) {
      if (stop()) return false;
      Rng rng(key_.fold("stages").fold(number_), picks_);
      const size_t done = left_[rng.below(static_cast<uint32_t>(left_.size()))];
      bounds_.back_up_lower(beliefs_[done]);
      bounds_.back_up_upper(beliefs_[done]);
      std::erase_if(left_,
                    [&](size_t i) { return i == done || bounds_.lower(beliefs_[i]) > before_[i]; });
    }
    return true;
  }

  PointBounds& bounds_;
  RngKey key_;
  int count_;  // of beliefs
  bool collected_ = false;
  std::vector<int> beliefs_{PointBounds::kRoot};
  std::vector<char> member_{1};  // per node
  uint64_t walk_ = 0;
  std::vector<double> before_;       // values when the stage began
  std::vector<size_t> left_;         // beliefs that have not risen
  uint64_t number_ = 0, picks_ = 0;  // of the stage, and in it
};

class PerseusSolver final : public points::PointSolver {
 public:
  OptionList options() override { return list_options(options_); }

 private:
  std::unique_ptr<points::BackupOrder> order(PointBounds& bounds, uint64_t seed) const override {
    return std::make_unique<Stages>(bounds, seed, options_.beliefs);
  }

  PerseusOptions options_;
};

}  // namespace

std::unique_ptr<Solver> make_perseus() {
  return std::make_unique<PerseusSolver>();
}

}  // namespace penumbra
