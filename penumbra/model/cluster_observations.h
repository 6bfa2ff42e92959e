// A finite set of observations made from continuous ones: the nearest of k centres. The centres
// come from k-means over observations of random walks, the way the benchmarks of the field do it.
//
// Vectors whose coordinates are independent given the next state (the model offers `cumulative`)
// are cut coordinate by coordinate: the centres are all combinations of the centres of every
// coordinate, each by a k-means of its own, which needs no common scale. The cells are then boxes,
// and the likelihood of one is exact, a product of differences of cumulative distributions.
// Other vectors are clustered in units of the spread of each coordinate. Cells of such a k-means
// have no formula for the likelihood: representative observations of a
// cell fail where noise is much finer than the cell, and sampling costs a simulation per state.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "penumbra/model/classified.h"

namespace penumbra {

struct ClusterOptions {
  int num_clusters = 20;
  uint64_t seed = 1;
  int num_samples = 20'000;  // observations to cluster
  int max_depth = 40;        // length of a random walk
  int max_iterations = 100;  // of Lloyd's algorithm
  // Of the observations only this share is clustered, the one of the highest density given its
  // state, where the model has a likelihood: what is heard through much noise needs no fine
  // clusters.
  double sharpest = 1;
};

// Deterministic k-means++ and Lloyd over row-major points of `dimension` floats. Returns the
// centres, row-major; those of a line are sorted. Fewer than k when there are fewer distinct
// points.
std::vector<float> k_means(std::span<const float> points, int dimension, int k, uint64_t seed,
                           int max_iterations = 100);

// All combinations of centres of single coordinates, at most k of them, the last coordinate running
// fastest. Coordinates get the same number of centres where k allows it, the first ones more.
std::vector<float> product_centres(std::span<const float> points, int dimension, int k,
                                   uint64_t seed, int max_iterations = 100);

// On a line: what separates each of the sorted centres from the next; a value that is not below a
// bound belongs to the side above it.
std::vector<float> cluster_bounds(std::span<const float> centres);

class ClusterObservations final : public Classified {
 public:
  // Row-major centres of the inner observation's dimension. `units`: what a distance of 1 is along
  // each coordinate; none: 1 along all.
  ClusterObservations(std::unique_ptr<Pomdp> inner, std::vector<float> centres,
                      std::vector<float> units = {});

  // Exact; there when the inner model offers its cumulative distribution and cells are boxes.
  void likelihood(const std::byte* seen, const std::byte* action, ConstRecords next,
                  std::span<double> out) const override;

  int classify(const float* seen) const;
  int classify(const std::byte* /*action*/, const float* seen) const override {
    return classify(seen);
  }
  const std::vector<float>& centres() const { return centres_; }
  // What a distance of 1 is along each coordinate. None: the same along all, or cells are boxes.
  std::vector<float> units() const { return bounds_.empty() ? units_ : std::vector<float>(); }

 private:
  std::vector<float> centres_;
  std::vector<float> units_;
  // Where the centres are all combinations of those of each coordinate (on a line always):
  // bounds_[d][i] separates value i of coordinate d from i+1. Otherwise empty.
  std::vector<std::vector<float>> bounds_;
  int dimension_;
};

std::unique_ptr<Pomdp> cluster_observations(std::unique_ptr<Pomdp> inner,
                                            const ClusterOptions& options);

}  // namespace penumbra
