// The backup of nvi's preset "paper": Algorithm 3 with a bank of networks.
#pragma once

#include <memory>
#include <optional>

#include "penumbra/solvers/nvi/fit_errors.h"
#include "penumbra/solvers/nvi/neural_backup.h"
#include "penumbra/solvers/nvi/paper_options.h"
#include "penumbra/solvers/value_iteration/backup.h"

namespace penumbra::nvi {

class NetworkBackup final : public value_iteration::Backup {
 public:
  NetworkBackup(const Pomdp& model, const PaperOptions& options, RngKey key, ThreadPool& pool,
                Work& work);

  const Fsc& fsc() const override { return fnc_.fsc; }
  int count() const override { return fnc_.networks->size(); }
  value_iteration::BestNode best(const Particles& belief, int first, RngKey key) const override;
  bool run(const Particles& belief, RngKey key, const std::function<bool()>& stop) override;
  std::vector<double> all_values(const Particles& belief, RngKey key,
                                 const std::function<bool()>& stop) override;
  double take_training_error() override { return fit_errors_.take(); }
  Fnc with_networks(const Fsc& fsc) override;

  void archive(Saver& saver) override;
  void archive(Loader& loader) override;

 private:
  // Samples the training states and gives them to the bank.
  void set_up();

  const Pomdp& model_;
  const PaperOptions& options_;
  RngKey key_;
  ThreadPool& pool_;
  Work& work_;
  Fnc fnc_;                                     // G is empty: Alg. 2, line 2
  mutable std::optional<NeuralBackup> backup_;  // values that it keeps do not show
  FitErrors fit_errors_;
};

}  // namespace penumbra::nvi
