// A finite set of actions chosen from a continuous one: action i is row i of a table.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "penumbra/model/decorated.h"

namespace penumbra {

class ActionTable final : public Decorated {
 public:
  ActionTable(std::unique_ptr<Pomdp> inner, RecordBuffer actions, std::vector<std::string> names);

  using Decorated::step;
  void step(ConstRecords state, ConstRecords action, Streams streams,
            const StepResults& out) const override;
  void likelihood(const std::byte* seen, const std::byte* action, ConstRecords next,
                  std::span<double> out) const override;
  void cumulative(float bound, int coordinate, const std::byte* action, ConstRecords next,
                  std::span<double> out) const override;
  const RecordBuffer& actions() const { return actions_; }

 private:
  const std::byte* entry(const std::byte* action) const;
  RecordBuffer actions_;
};

// `actions`: one record of the inner model's action type per action; `names`: one each, or none.
std::unique_ptr<Pomdp> action_table(std::unique_ptr<Pomdp> inner, RecordBuffer actions,
                                    std::vector<std::string> names);

}  // namespace penumbra
