// A policy that a Python class describes (penumbra/policies.py), for `evaluate` and all others that
// play policies.
#pragma once

#include "python/extension/shared.h"

namespace penumbra::python {

class PythonPolicy final : public Policy {
 public:
  explicit PythonPolicy(HeldObject adapter);

  std::string describe() const override { return name_; }
  size_t memory_size() const override { return memory_size_; }
  void start(Streams streams, Records memory) const override;
  void act(Records memory, Streams streams, Records action) const override;
  void observe(Records memory, ConstRecords action, ConstRecords seen,
               Streams streams) const override;

 private:
  HeldObject adapter_;
  std::string name_;
  size_t memory_size_ = 0;
};

}  // namespace penumbra::python
