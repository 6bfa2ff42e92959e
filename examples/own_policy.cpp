// A policy of one's own: believe the last thing heard, and walk towards 0. A policy keeps its
// memory outside itself, one record per episode, so that thousands run side by side.
#include <cmath>
#include <cstdio>

#include "domains/registry.h"
#include "penumbra/evaluate/score.h"
#include "penumbra/policy/named.h"

using namespace penumbra;

class Trusting final : public Policy {
 public:
  explicit Trusting(const Pomdp& model)
      : left_(find_action(model.facts(), "left")),
        stop_(find_action(model.facts(), "stop")),
        right_(find_action(model.facts(), "right")) {}

  std::string describe() const override { return "trusting"; }
  size_t memory_size() const override { return sizeof(float); }
  void start(Streams, Records memory) const override {
    for (size_t i = 0; i < memory.count; ++i) memory.as<float>(i) = 2;  // the mean of b0
  }
  void act(Records memory, Streams, Records action) const override {
    for (size_t i = 0; i < memory.count; ++i) {
      const float y = memory.as<float>(i);
      action.as<int>(i) = std::abs(y) < 0.5f ? stop_ : y > 0 ? left_ : right_;
    }
  }
  void observe(Records memory, ConstRecords, ConstRecords seen, Streams) const override {
    for (size_t i = 0; i < memory.count; ++i) memory.as<float>(i) = seen.as<float>(i);
  }

 private:
  int left_, stop_, right_;
};

int main() {
  const auto model = load_domain("light-dark");
  const auto random = named_policy("random", *model);
  ThreadPool pool;
  const Comparison c = compare(*model, Trusting(*model), *random, {.episodes = 100'000}, pool);
  std::printf("trusting %.3f, random %.3f, difference %.3f (95 %% interval %.3f to %.3f)\n",
              c.a.mean, c.b.mean, c.difference.mean, c.difference.low, c.difference.high);
}
