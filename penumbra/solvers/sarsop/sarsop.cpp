#include "penumbra/solvers/sarsop/sarsop.h"

#include "penumbra/solvers/sarsop/trial.h"

namespace penumbra {
namespace {

class SarsopSolver final : public points::PointSolver {
 public:
  OptionList options() override { return list_options(options_); }

 private:
  std::unique_ptr<points::BackupOrder> order(points::PointBounds& bounds, uint64_t) const override {
    return std::make_unique<sarsop::Trial>(bounds, options_);
  }

  sarsop::Options options_;
};

}  // namespace

std::unique_ptr<Solver> make_sarsop() {
  return std::make_unique<SarsopSolver>();
}

}  // namespace penumbra
