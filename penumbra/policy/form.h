// The forms that a policy takes between a solver, a file and whoever plays it. One variant over
// them, light to include: the forms themselves are in the headers named beside them.
#pragma once

#include <memory>
#include <variant>

namespace penumbra {

struct Fnc;                   // policy/fnc.h: a finite (network) controller
struct VectorPolicy;          // policy/alpha_vectors.h
struct RecurrentActor;        // policy/recurrent.h
struct LikelihoodController;  // policy/likelihood_controller.h: of continuous observations

// In the order of the variant.
enum class PolicyForm { kController, kVectors, kRecurrent, kLikelihood };

using PolicyData = std::variant<std::shared_ptr<const Fnc>, std::shared_ptr<const VectorPolicy>,
                                std::shared_ptr<const RecurrentActor>,
                                std::shared_ptr<const LikelihoodController>>;

inline PolicyForm form_of(const PolicyData& policy) {
  return static_cast<PolicyForm>(policy.index());
}

// The policy in this form, or null where it has another.
template <class Form>
const Form* policy_as(const PolicyData& policy) {
  const auto* held = std::get_if<std::shared_ptr<const Form>>(&policy);
  return held ? held->get() : nullptr;
}

}  // namespace penumbra
