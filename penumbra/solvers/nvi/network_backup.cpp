#include "penumbra/solvers/nvi/network_backup.h"

#include <algorithm>
#include <numeric>

#include "penumbra/solvers/archive_parts.h"

namespace penumbra::nvi {
namespace {

constexpr int kAnnealSteps = 420;  // of annealed training, at least

nn::BankOptions bank_options(const PaperOptions& o, const Pomdp& model) {
  nn::BankOptions bank;
  bank.form = nn::bank_form(o.form);
  bank.features = o.features;
  bank.hidden = nn::preset(o.network_for(model.features()));
  bank.fit = nn::FitOptions::preset(o.training);
  bank.fit.adam.rate = static_cast<decltype(bank.fit.adam.rate)>(o.learning_rate);
  if (o.batch > 0) bank.fit.batch = o.batch;
  bank.fit.target_mse = o.target_mse;
  // Few samples make short epochs: networks get about as many steps as with many.
  const int steps = (o.num_samples + bank.fit.batch - 1) / bank.fit.batch;
  if (bank.fit.anneal) bank.fit.max_epochs = std::max(bank.fit.max_epochs, kAnnealSteps / steps);
  if (o.max_epochs > 0) bank.fit.max_epochs = o.max_epochs;
  return bank;
}

NeuralBackupOptions backup_options(const PaperOptions& o) {
  NeuralBackupOptions b;
  b.num_particles = o.num_particles;
  b.num_samples = o.num_samples;
  b.sample_depth = o.sample_depth;
  b.local_samples = o.local_samples;
  b.warm_start = o.warm_start;
  b.data.num_sims = o.num_sims;
  b.data.targets = o.targets == "rollout" ? Targets::kRollout : Targets::kBootstrap;
  return b;
}

}  // namespace

NetworkBackup::NetworkBackup(const Pomdp& model, const PaperOptions& options, RngKey key,
                             ThreadPool& pool, Work& work)
    : model_(model), options_(options), key_(key), pool_(pool), work_(work) {
  fnc_.networks = nn::make_bank(model.features(), bank_options(options, model), key.fold("bank"));
  fnc_.fsc.num_observations = model.facts().num_observations;
  set_up();
}

void NetworkBackup::set_up() {
  backup_.emplace(model_, backup_options(options_), *fnc_.networks, key_.fold("backup"), pool_,
                  work_);
}

value_iteration::BestNode NetworkBackup::best(const Particles& belief, int first, RngKey) const {
  const std::vector<double> values = backup_->values(belief, first);
  const auto best = std::max_element(values.begin() + first, values.end());
  return {*best, static_cast<int>(best - values.begin())};
}

bool NetworkBackup::run(const Particles& belief, RngKey key, const std::function<bool()>& stop) {
  try {
    fit_errors_.add(backup_->run(fnc_, belief, key, stop).fit);
  } catch (const Stopped&) {
    return false;
  }
  return true;
}

std::vector<double> NetworkBackup::all_values(const Particles& belief, RngKey,
                                              const std::function<bool()>&) {
  PhaseTimer timer(work_, Phase::kPredict);
  const std::vector<double> values = backup_->values(belief, 0);
  std::vector<double> by_node(fnc_.fsc.num_nodes());
  for (size_t n = 0; n < by_node.size(); ++n) by_node[n] = values[fnc_.alpha[n]];
  return by_node;
}

Fnc NetworkBackup::with_networks(const Fsc& fsc) {
  Fnc out{fsc, {fnc_.alpha.begin(), fnc_.alpha.begin() + fsc.num_nodes()}, fnc_.networks};
  out.networks->keep(out.alpha);
  std::iota(out.alpha.begin(), out.alpha.end(), 0);
  return out;
}

void NetworkBackup::archive(Saver& saver) {
  nn::Bytes bank = fnc_.networks->save();
  saver(bank, fnc_.fsc, fnc_.alpha);
}

void NetworkBackup::archive(Loader& loader) {
  nn::Bytes bank;
  loader(bank, fnc_.fsc, fnc_.alpha);
  fnc_.networks = nn::load_bank(bank, bank_options(options_, model_));
  set_up();
}

}  // namespace penumbra::nvi
