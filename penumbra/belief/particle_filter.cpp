#include "penumbra/belief/particle_filter.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "penumbra/base/error.h"

namespace penumbra {
namespace {

RecordBuffer repeat(const std::byte* record, size_t size, size_t count) {
  RecordBuffer out(size, count);
  for (size_t i = 0; i < count; ++i) out.copy_from(i, record);
  return out;
}

}  // namespace

ParticleFilter::ParticleFilter(const Pomdp& model, FilterOptions options)
    : model_(model),
      options_(options),
      weighted_(options.use_likelihood && model.has(Capability::kLikelihood)) {
  if (options.num_particles < 1) throw Error("a particle filter needs at least one particle");
  if (!weighted_) require(model, Capability::kFiniteObservations, "a filter by rejection");
}

Particles ParticleFilter::initial(RngKey key) const {
  Particles belief(model_.state_size(), options_.num_particles);
  model_.sample_initial({key.fold("filter initial")}, belief.states);
  leave_out_terminal(model_, belief.states);
  return belief;
}

void leave_out_terminal(const Pomdp& model, Records states) {
  std::vector<uint8_t> ended(states.count);
  model.is_terminal(states, ended);
  size_t live = 0;
  for (size_t i = 0; i < states.count; ++i)
    if (!ended[i]) std::memmove(states.at(live++), states.at(i), states.size);
  if (live == 0) return;
  for (size_t i = live; i < states.count; ++i)
    std::memcpy(states.at(i), states.at(i - live), states.size);
}

FilterReport ParticleFilter::update(Particles& belief, const std::byte* action,
                                    const std::byte* seen, RngKey key) const {
  PENUMBRA_CHECK(belief.count() > 0, "an empty belief cannot be updated");
  return weighted_ ? update_weighted(belief, action, seen, key)
                   : update_rejecting(belief, action, seen, key);
}

FilterReport ParticleFilter::update_weighted(Particles& belief, const std::byte* action,
                                             const std::byte* seen, RngKey key) const {
  const size_t n = belief.count();
  FilterReport report;
  StepBuffers buffers(model_, n);
  const StepResults out = buffers.results(n);
  model_.step(belief.states, ConstRecords(repeat(action, model_.action_size(), n)),
              {key.fold("filter step")}, out);
  Particles next(model_.state_size(), n);
  std::memcpy(next.states.view().data, out.next.data, n * model_.state_size());
  next.weights.resize(n);
  model_.likelihood(seen, action, next.states, next.weights);
  double total = 0;
  for (size_t i = 0; i < n; ++i) {
    double& w = next.weights[i];
    w = out.ended[i] || !(w > 0) ? 0 : w * belief.weight(i);
    total += w;
  }
  report.evidence = total;
  if (!(total > 0) || !std::isfinite(total)) {
    for (size_t i = 0; i < n; ++i) next.weights[i] = out.ended[i] ? 0 : belief.weight(i);
    report.revived = revive(belief, next, key);
    report.effective_size = 0;
    return report;
  }
  for (double& w : next.weights) w /= total;
  report.effective_size = next.effective_size();
  if (report.effective_size < options_.resample_below * static_cast<double>(n) ||
      n != options_.num_particles) {
    next = resample(next, options_.num_particles, key.fold("filter resample"));
    report.resampled = true;
  }
  belief = std::move(next);
  return report;
}

FilterReport ParticleFilter::update_rejecting(Particles& belief, const std::byte* action,
                                              const std::byte* seen, RngKey key) const {
  const size_t wanted = options_.num_particles;
  FilterReport report;
  const Particles source = resample(belief, wanted, key.fold("filter source"));
  const RecordBuffer actions = repeat(action, model_.action_size(), wanted);
  StepBuffers buffers(model_, wanted);
  Particles kept(model_.state_size(), 0), propagated(model_.state_size(), 0);
  size_t tried = 0;
  for (int round = 0; round < options_.max_tries && kept.count() < wanted; ++round) {
    const StepResults out = buffers.results(wanted);
    model_.step(source.states, ConstRecords(actions), {key.fold("filter try").fold(round)}, out);
    // A round is used whole: to stop in its middle would favour the first particles.
    tried += wanted;
    for (size_t i = 0; i < wanted; ++i) {
      if (out.ended[i]) continue;
      if (round == 0) propagated.states.push_back(out.next.at(i));
      if (std::memcmp(out.seen.at(i), seen, model_.seen_size()) == 0)
        kept.states.push_back(out.next.at(i));
    }
  }
  report.evidence = static_cast<double>(kept.count()) / static_cast<double>(tried);
  report.effective_size = static_cast<double>(kept.count());
  if (kept.count() == 0) {
    report.revived = revive(belief, propagated, key);
    return report;
  }
  const bool too_few = kept.count() < wanted;
  if (kept.count() != wanted) kept = resample(kept, wanted, key.fold("filter resample"));
  if (too_few) {
    report.resampled = true;
    if (model_.has(Capability::kPerturb))
      model_.perturb(kept.states, {key.fold("filter perturb")}, kept.states);
  }
  belief = std::move(kept);
  return report;
}

size_t ParticleFilter::revive(Particles& belief, const Particles& propagated, RngKey key) const {
  double total = 0;
  for (size_t i = 0; i < propagated.count(); ++i) total += propagated.weight(i);
  if (propagated.count() == 0 || !(total > 0)) {  // all have ended: start over
    belief = initial(key.fold("filter restart"));
    return belief.count();
  }
  belief = resample(propagated, options_.num_particles, key.fold("filter revive"));
  if (model_.has(Capability::kPerturb))
    model_.perturb(belief.states, {key.fold("filter perturb")}, belief.states);
  return belief.count();
}

}  // namespace penumbra
