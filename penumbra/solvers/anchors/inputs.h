// What anchors see of a state of a model (nn/input_keys.h): its continuous inputs are the
// coordinates where the model has them, otherwise its dense features.
#pragma once

#include <span>
#include <vector>

#include "penumbra/model/pomdp.h"
#include "penumbra/nn/input_keys.h"

namespace penumbra::anchors {

using nn::InputRows;

class Inputs {
 public:
  Inputs(const Pomdp& model, ConstRecords sample);

  int width() const { return keys_.width(); }
  InputRows encode(ConstRecords states) const;
  bool are_coordinates() const { return coordinates_; }
  void keep_relevant(std::span<const float> relevance) { keys_.keep_relevant(relevance); }
  const nn::InputKeys& keys() const { return keys_; }

 private:
  struct Seen {
    FeatureBatch features;
    std::vector<float> x;  // coordinates, or dense features where there are none
  };
  Inputs(const Pomdp& model, const Seen& sample);
  static Seen look_at(const Pomdp& model, ConstRecords states);

  const Pomdp* model_;
  bool coordinates_;
  nn::InputKeys keys_;
};

}  // namespace penumbra::anchors
