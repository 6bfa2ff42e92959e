// The alpha-vector policy: at a belief b, the action of the vector with the largest product with
// b. Where a part of the state is always known, a vector is only as long as its part.
#pragma once

#include <memory>
#include <vector>

#include "penumbra/belief/mixed_filter.h"
#include "penumbra/model/mixed_model.h"
#include "penumbra/policy/belief_memory.h"
#include "penumbra/policy/fsc.h"
#include "penumbra/policy/policy.h"

namespace penumbra {

struct AlphaVectors {
  struct Vector {
    int action = 0;
    int part = 0;
    std::vector<double> value;  // one per state of the part, in its order
    bool operator==(const Vector&) const = default;
  };
  int num_states = 0, num_actions = 0;
  std::vector<std::vector<int>> parts;  // the states of each, ascending; parts may overlap
  std::vector<Vector> vectors;
  bool operator==(const AlphaVectors&) const = default;
};

// Throws Error if an action, a part or a length is out of range, or a value is no number.
void check_alpha_vectors(const AlphaVectors& vectors);

// Vectors as a solver gives them. The controller is the same plan without a belief; no nodes: it
// would be too large. `model`, where there is one, is the table they were made on: who plays them
// need not make it again.
struct VectorPolicy {
  AlphaVectors vectors;
  Fsc controller{};
  std::shared_ptr<const MixedModel> model{};
};

// Keeps an exact belief per lane, or the number of one that is remembered.
class AlphaPolicy final : public Policy {
 public:
  // Throws Error if the vectors are for another number of states or actions, or do not value b0.
  // `most_remembered`: bytes of beliefs, about; what is played does not depend on it.
  AlphaPolicy(const AlphaVectors& vectors, std::shared_ptr<const MixedModel> model,
              size_t most_remembered = kMostRemembered);
  AlphaPolicy(const AlphaPolicy&) = delete;
  AlphaPolicy& operator=(const AlphaPolicy&) = delete;

  std::string describe() const override;
  size_t memory_size() const override { return (2 + size_t(model_->largest_part())) * 8; }
  void start(Streams streams, Records memory) const override;
  void act(Records memory, Streams streams, Records action) const override;
  void observe(Records memory, ConstRecords action, ConstRecords seen,
               Streams streams) const override;

  // The best vector at a belief (an index into the vectors given), -1 where none covers the part.
  int best_vector(int part, HiddenView belief) const;
  // The action there: of the best vector, or the first where there is none.
  int action(int part, HiddenView belief) const;
  // max over the vectors at b0; no bound unless the vectors are one.
  double start_value() const;
  const MixedModel& model() const { return *model_; }

 private:
  struct Restricted {  // a vector on the states of one part of the model
    int vector, action;
    std::vector<double> value;
  };
  const Restricted* best(int part, HiddenView belief, double& value) const;

  std::shared_ptr<const MixedModel> model_;
  std::vector<std::vector<Restricted>> of_part_;
  int num_vectors_;
  std::unique_ptr<BeliefMemory> remembered_;
};

}  // namespace penumbra
