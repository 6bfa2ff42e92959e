#include "penumbra/search/uct.h"

#include <cmath>

namespace penumbra::search {
namespace {
constexpr double kDepthTail = 0.01;  // discount^depth
constexpr int kMaxDepth = 200;
constexpr int kCautiousPower = 4;
constexpr size_t kStepGrain = 256;  // lanes that are worth a thread
}  // namespace

UctOptions read_uct_options(Params& params, UctOptions defaults) {
  UctOptions options;
  options.exploration = params.real("c", defaults.exploration, 0, 1e9,
                                    "exploration; 0: from the spread of what descents find");
  options.depth = params.integer("depth", defaults.depth, 0, 1000,
                                 "where the leaf is asked at the latest; 0: discount^depth < 0.01");
  options.power = params.integer("power", defaults.power, 0, 8,
                                 "a belief's value weighs actions by visits^power; 1: the mean of "
                                 "all descents, as published; 0: 1 if the leaf is optimistic, "
                                 "else 4");
  options.wave = params.integer("wave", defaults.wave, 1, 65'536,
                                "descents at once; 1: one after the other, as published");
  return options;
}

UctOptions resolve(UctOptions options, const Facts& facts, const Leaf& leaf) {
  if (options.power == 0) options.power = leaf.optimistic() ? 1 : kCautiousPower;
  if (options.depth == 0)
    options.depth =
        facts.discount == 0
            ? 1
            : std::min<int>(kMaxDepth, std::ceil(std::log(kDepthTail) / std::log(facts.discount)));
  return options;
}

double Exploration::constant() const {
  if (given_ > 0) return given_;
  const Estimate found = results_.estimate();
  const double spread = found.count < 2 ? 0 : found.standard_error * std::sqrt(double(found.count));
  const double c = std::max(deviations_ * spread, least_);
  return c > 0 ? c : 1;
}

void ask_at_root(const Pomdp& model, ConstRecords states, int node, LeafBatch& leaves, RngKey key,
                 Exploration& exploration) {
  std::vector<uint8_t> ended(states.count);
  model.is_terminal(states, ended);
  leaves.clear();
  for (size_t i = 0; i < states.count; ++i)
    if (!ended[i]) leaves.add(states.at(i), node, i);
  leaves.run(key);
  exploration.begin();
  int asked = 0;
  for (size_t i = 0; i < states.count; ++i) exploration.add(ended[i] ? 0 : leaves.value(asked++));
}

void step_lanes(const Pomdp& model, ConstRecords action, Streams streams,
                const StepResults& results, ThreadPool* pool) {
  const size_t count = results.next.count;
  if (!pool || count <= kStepGrain) return model.step(results.next, action, streams, results);
  pool->for_chunks(count, kStepGrain, [&](size_t, size_t begin, size_t end) {
    const StepResults part = results.sub(begin, end - begin);
    model.step(part.next, action.sub(begin, end - begin), streams.from(begin), part);
  });
}

}  // namespace penumbra::search
