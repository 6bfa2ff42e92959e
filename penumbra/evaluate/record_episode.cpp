#include "penumbra/evaluate/record_episode.h"

#include <algorithm>

#include "penumbra/belief/particle_filter.h"

namespace penumbra {
namespace {

constexpr double kFew = 300;  // particles

std::vector<float> values_of(const Pomdp& model, ConstRecords states, size_t fields) {
  std::vector<float> out(states.count * fields);
  model.scene_values(states, out);
  return out;
}

void describe_belief(const Pomdp& model, const Scene& scene, const Particles& belief, RngKey key,
                     int cloud, RecordedMoment& out) {
  const size_t fields = scene.fields.size();
  const std::vector<float> all = values_of(model, belief.states, fields);
  std::vector<double> sums(fields, 0.0);
  for (size_t i = 0; i < belief.count(); ++i)
    for (size_t f = 0; f < fields; ++f) sums[f] += belief.weight(i) * all[i * fields + f];
  out.means.assign(sums.begin(), sums.end());
  if (scene.cloud_fields == 0) return;
  const Particles kept = resample(belief, cloud, key.fold("cloud"));
  const std::vector<float> values = values_of(model, kept.states, fields);
  for (size_t i = 0; i < kept.count(); ++i)
    out.cloud.insert(out.cloud.end(), &values[i * fields],
                     &values[i * fields] + scene.cloud_fields);
}

}  // namespace

RecordedEpisode record_episode(const Pomdp& model, const Policy& policy, RngKey key,
                               uint64_t episode, const RecordOptions& options) {
  RecordedEpisode out;
  out.steps = trace(model, policy, key, episode, options.max_steps);
  double weight = 1;
  for (const TraceStep& s : out.steps) {
    out.total += weight * s.reward;
    weight *= model.facts().discount;
  }
  if (!model.has(Capability::kScene) || out.steps.empty()) return out;

  const Scene scene = model.scene();
  const size_t fields = scene.fields.size(), size = model.state_size();
  const RngKey filter_key = key.fold("record").fold(episode);
  const ParticleFilter filter(model, {.num_particles = options.num_particles});
  Particles belief = filter.initial(filter_key);
  bool lost = false;
  for (size_t t = 0; t <= out.steps.size(); ++t) {
    RecordedMoment moment;
    const auto& state = t < out.steps.size() ? out.steps[t].state : out.steps.back().next;
    moment.state = values_of(model, {state.data(), size, 1}, fields);
    moment.lost = lost;
    describe_belief(model, scene, belief, filter_key.fold(t), options.cloud, moment);
    out.moments.push_back(std::move(moment));
    if (t == out.steps.size() || out.steps[t].ended) continue;
    const TraceStep& s = out.steps[t];
    const RngKey step_key = filter_key.fold(t);
    const FilterReport report = filter.update(belief, s.action.data(), s.seen.data(), step_key);
    lost = report.revived > 0;
    // Copies of a few particles in a model without noise would stay copies: the cloud would tell
    // less than the agent could know.
    if (!lost && report.effective_size < kFew && model.has(Capability::kPerturb))
      model.perturb(belief.states, {step_key.fold("spread")}, belief.states);
  }
  return out;
}

}  // namespace penumbra
