// The upper bound on V_mdp that a domain offers itself: proven by whoever wrote the domain.
#pragma once

#include "penumbra/bounds/mdp_value.h"

namespace penumbra {

class DomainMdpValue final : public MdpValue {
 public:
  // Throws Error unless the domain offers an MDP value. Keeps a reference.
  explicit DomainMdpValue(const Pomdp& model) : model_(model) {
    require(model, Capability::kMdpValue, "mdp source 'domain'");
  }

  void value(ConstRecords state, std::span<double> out) const override {
    model_.mdp_value(state, out);
  }
  bool proven() const override { return true; }
  std::string source() const override { return "domain"; }

 private:
  const Pomdp& model_;
};

}  // namespace penumbra
