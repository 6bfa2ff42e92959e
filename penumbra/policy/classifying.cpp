#include "penumbra/policy/classifying.h"

namespace penumbra {
namespace {

class Classifying final : public Policy {
 public:
  Classifying(std::shared_ptr<const Policy> policy, const Classified& model)
      : policy_(std::move(policy)), model_(model) {}

  std::string describe() const override { return policy_->describe(); }
  size_t memory_size() const override { return policy_->memory_size(); }
  void check_model(const Pomdp& model) const override {
    check_same_seen(model_.inner(), model, describe());
  }
  void start(Streams streams, Records memory) const override { policy_->start(streams, memory); }
  void act(Records memory, Streams streams, Records action) const override {
    policy_->act(memory, streams, action);
  }
  void observe(Records memory, ConstRecords action, ConstRecords seen,
               Streams streams) const override {
    RecordBuffer group(sizeof(int), seen.count);
    for (size_t i = 0; i < seen.count; ++i)
      group.view().as<int>(i) =
          model_.classify(action.at(i), reinterpret_cast<const float*>(seen.at(i)));
    policy_->observe(memory, action, group, streams);
  }

 private:
  std::shared_ptr<const Policy> policy_;
  const Classified& model_;
};

}  // namespace

std::unique_ptr<Policy> classifying(std::shared_ptr<const Policy> policy, const Classified& model) {
  return std::make_unique<Classifying>(std::move(policy), model);
}

}  // namespace penumbra
