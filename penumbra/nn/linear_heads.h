// Linear functions of shared features, one per node: value = head . features(state). All heads on
// a batch are one matrix product. Sums over groups of states need no values at all: the group sum
// of a head is the head applied to the group's summed features.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "penumbra/base/thread_pool.h"
#include "penumbra/nn/feature_map.h"
#include "penumbra/nn/groups.h"

namespace penumbra::nn {

class LinearHeads {
 public:
  explicit LinearHeads(int width);

  int width() const { return width_; }
  int size() const { return size_; }
  std::span<const float> head(int i) const;
  void add(std::span<const float> head);  // `width` floats
  void keep(std::span<const int> indices);

  // out[row * size + head] for features of `stride` floats a row; on the calling thread.
  void apply(const float* features, size_t stride, int rows, float* out) const;
  float apply_one(int head, const float* features) const;
  // out[row * size + head] for rows of doubles, in double.
  void apply_double(const double* rows, size_t stride, int count, double* out,
                    ThreadPool* pool = nullptr) const;

  void write(ByteWriter& out) const;
  static LinearHeads read(ByteReader& in);

 private:
  int width_, size_ = 0;
  int stride_;                   // of a row of rows_
  AlignedVector<float> rows_;    // one head after the other, padded
  AlignedVector<float> panels_;  // kPanel heads to a panel, [width][kPanel]
};

// All heads on states, through their feature map. Chunks of rows go to the pool.
void predict(const FeatureMap& map, const LinearHeads& heads, const FeatureBatch& states,
             std::span<float> out, ThreadPool* pool);
void predict_sums(const FeatureMap& map, const LinearHeads& heads, const FeatureBatch& states,
                  const Groups& groups, std::span<double> sums, ThreadPool* pool);
void predict_rows(const FeatureMap& map, const LinearHeads& heads, const FeatureBatch& states,
                  std::span<const int32_t> which, std::span<float> out, ThreadPool* pool);

}  // namespace penumbra::nn
