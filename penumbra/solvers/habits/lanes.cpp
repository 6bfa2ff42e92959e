#include "penumbra/solvers/habits/lanes.h"

#include <cstring>

namespace penumbra::habits {
namespace {

struct Lane {
  size_t number;
  int action = -1, seen = -1, previous = -1;
};

}  // namespace

uint64_t play(const Pomdp& model, const MemoryForm& form, const Lanes& lanes, const Decide& decide,
              const Learn& learn) {
  const size_t size = model.state_size();
  RecordBuffer state(size, lanes.count);
  StepBuffers buffers(model, lanes.count);
  const bool certain = !form.parts.empty();
  FeatureBatch features(certain ? model.features() : FeatureLayout{});
  std::vector<Lane> lane(lanes.count);
  std::vector<uint64_t> ids(lanes.count);
  std::vector<int> action(lanes.count);
  std::vector<uint8_t> ended(lanes.count);
  model.sample_initial({lanes.key.fold("initial"), lanes.first}, state);
  model.is_terminal(state, ended);
  size_t live = 0;
  for (size_t i = 0; i < lanes.count; ++i) {
    if (ended[i]) continue;
    copy_record(state.at(live), state.at(i), size);
    lane[live].number = i;
    ids[live++] = lanes.first + i;
  }

  const RngKey step_key = lanes.key.fold("step");
  uint64_t steps = 0;
  for (int t = 0; live > 0; ++t) {
    features.resize(static_cast<int>(live));
    if (certain) model.encode(state.sub(0, live), features);
    for (size_t i = 0; i < live; ++i) {
      const FeatureRow row = features.row(static_cast<int>(i));
      const Lane& l = lane[i];
      action[i] = decide(l.number,
                         situation_of(form, row.category, row.bits, l.action, l.seen, l.previous));
    }
    if (t == lanes.depth) break;
    const StepResults out = buffers.results(live);
    model.step(state.sub(0, live), std::span<const int>(action.data(), live),
               {step_key.fold(t), 0, ids.data()}, out);
    steps += live;
    size_t kept = 0;
    for (size_t i = 0; i < live; ++i) {
      learn(lane[i].number, out.reward[i], out.ended[i] != 0);
      if (out.ended[i]) continue;
      copy_record(state.at(kept), out.next.at(i), size);
      lane[kept] = {lane[i].number, action[i], index_of(out.seen, i), lane[i].seen};
      ids[kept++] = ids[i];
    }
    live = kept;
  }
  return steps;
}

}  // namespace penumbra::habits
