#include "penumbra/solvers/mcvi/likelihood_rollouts.h"

#include <numeric>

namespace penumbra::mcvi {

LikelihoodRollouts::LikelihoodRollouts(const Pomdp& model, int max_depth)
    : model_(model), max_depth_(max_depth) {}

void LikelihoodRollouts::run(const LikelihoodController& controller, ConstRecords state,
                             std::span<const int> node, std::span<const uint64_t> id, RngKey key,
                             std::span<float> out) {
  const size_t n = state.count;
  RecordBuffer current(model_.state_size());
  current.append(state);
  StepBuffers buffers(model_, n);
  std::vector<int> at(node.begin(), node.end()), lane(n);
  RecordBuffer action(model_.action_size(), n);
  std::vector<uint64_t> ids(id.begin(), id.end());
  std::iota(lane.begin(), lane.end(), 0);
  std::fill(out.begin(), out.end(), 0.0f);
  const auto discount = static_cast<float>(model_.facts().discount);
  float weight = 1;
  for (int t = 0; t < max_depth_ && !lane.empty(); ++t, weight *= discount) {
    const size_t live = lane.size();
    for (size_t i = 0; i < live; ++i) action.copy_from(i, controller.nodes[at[i]]->action_record());
    const StepResults results = buffers.results(live);
    model_.step(current.sub(0, live), action.sub(0, live), {key.fold(t), 0, ids.data()}, results);
    steps_ += live;
    size_t kept = 0;
    for (size_t i = 0; i < live; ++i) {
      out[lane[i]] += weight * results.reward[i];
      if (results.ended[i]) continue;
      at[kept] = next_node(model_, *controller.nodes[at[i]], results.seen.at(i), scratch_);
      current.copy_from(kept, results.next.at(i));
      ids[kept] = ids[i];
      lane[kept++] = lane[i];
    }
    lane.resize(kept);
  }
}

std::vector<float> LikelihoodRollouts::run(const LikelihoodController& controller,
                                           ConstRecords state, int node, RngKey key) {
  std::vector<uint64_t> ids(state.count);
  std::iota(ids.begin(), ids.end(), uint64_t{0});
  std::vector<float> out(state.count);
  run(controller, state, std::vector<int>(state.count, node), ids, key, out);
  return out;
}

}  // namespace penumbra::mcvi
