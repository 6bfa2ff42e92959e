// A finite set of observations made from continuous ones: the nearest of k centres. The centres
// come from k-means over observations of random walks, the way the benchmarks of the field do it.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "penumbra/model/decorated.h"

namespace penumbra {

struct ClusterOptions {
  int num_clusters = 20;
  uint64_t seed = 1;
  int num_samples = 20'000;  // observations to cluster
  int max_depth = 40;        // length of a random walk
  int max_iterations = 100;  // of Lloyd's algorithm
};

// Deterministic k-means++ and Lloyd over row-major points of `dimension` floats. Returns the
// centres, row-major; those of a line are sorted. Fewer than k when there are fewer distinct
// points.
std::vector<float> k_means(std::span<const float> points, int dimension, int k, uint64_t seed,
                           int max_iterations = 100);

// On a line: what separates each of the sorted centres from the next; a value that is not below a
// bound belongs to the side above it.
std::vector<float> cluster_bounds(std::span<const float> centres);

class ClusterObservations final : public Decorated {
 public:
  // Row-major centres of the inner observation's dimension.
  ClusterObservations(std::unique_ptr<Pomdp> inner, std::vector<float> centres);

  using Decorated::step;
  void step(ConstRecords state, ConstRecords action, Streams streams,
            const StepResults& out) const override;
  // Exact when the inner model offers its cumulative distribution.
  void likelihood(const std::byte* seen, const std::byte* action, ConstRecords next,
                  std::span<double> out) const override;

  int classify(const float* seen) const;
  const std::vector<float>& centres() const { return centres_; }
  int dimension() const { return dimension_; }

 private:
  std::vector<float> centres_;
  std::vector<float> bounds_;  // on a line: bounds_[i] separates centre i from i+1
  int dimension_;
};

std::unique_ptr<Pomdp> cluster_observations(std::unique_ptr<Pomdp> inner,
                                            const ClusterOptions& options);

}  // namespace penumbra
