// The beliefs that nodes were made for, each as the mean of a few random features of its states:
// nodes made for similar beliefs are likely to be of use for each other.
#pragma once

#include <span>
#include <vector>

#include "penumbra/base/archive.h"
#include "penumbra/model/pomdp.h"
#include "penumbra/nn/feature_map.h"

namespace penumbra::controller {

FeatureBatch encode(const Pomdp& model, ConstRecords states);

class Origins {
 public:
  Origins(const Pomdp& model, int width, RngKey key);

  std::vector<float> sketch(ConstRecords states) const;
  void add(std::span<const float> sketch);
  int count() const { return static_cast<int>(square_.size()); }
  // Origins kept[0], kept[1], ... (ascending) become 0, 1, ...
  void keep(std::span<const int> kept);

  // How near each group of states is to the origins, by means of features.
  class Nearness {
   public:
    int count(int group) const { return count_[group]; }  // states
    // Minus the squared distance, up to a constant of the group. To every origin:
    void to_all(int group, std::span<float> out) const;
    float to(int group, std::span<const float> sketch) const;

   private:
    friend class Origins;
    size_t width_ = 0, origins_ = 0;
    std::vector<float> sum_, dots_;  // [group][feature], [group][origin]
    std::vector<int> count_;
    std::span<const float> square_;
  };
  Nearness nearness(const FeatureBatch& batch, std::span<const int32_t> group,
                    int num_groups) const;

  template <class Archive>
  void archive(Archive& a) {
    a(origin_, square_);
  }

 private:
  const Pomdp& model_;
  nn::FeatureMap sketch_;
  std::vector<float> origin_;  // [origin][width]
  std::vector<float> square_;  // [origin]
};

// The numbers of the k largest scores, largest first, ties by number.
void top(std::span<const float> score, int k, std::vector<int>& out);

}  // namespace penumbra::controller
