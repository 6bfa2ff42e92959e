// A finite set of actions chosen from a continuous one: action i is row i of a table.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "penumbra/model/decorated.h"

namespace penumbra {

class ActionTable : public Decorated {
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

 protected:
  // A view: the inner model outlives it. The facts count the first `num_actions` rows.
  ActionTable(const Pomdp& inner, RecordBuffer actions, int num_actions,
              std::vector<std::string> names);
  RecordBuffer actions_;

 private:
  void set_actions(int num_actions, std::vector<std::string> names);
  const std::byte* entry(const std::byte* action) const;
};

// `actions`: one record of the inner model's action type per action; `names`: one each, or none.
std::unique_ptr<Pomdp> action_table(std::unique_ptr<Pomdp> inner, RecordBuffer actions,
                                    std::vector<std::string> names);

}  // namespace penumbra
