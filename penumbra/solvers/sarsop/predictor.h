// Expects the value of a belief from those of similar ones: bins over its first upper bound and
// its entropy, at two resolutions. Only steers where SARSOP looks; no bound depends on it.
#pragma once

#include <vector>

#include "penumbra/solvers/points/point_bounds.h"

namespace penumbra::sarsop {

class Predictor {
 public:
  explicit Predictor(points::PointBounds& bounds) : bounds_(bounds) {}
  // What V*(b) may be: the mean lower bound of the beliefs in its bin; its upper bound where
  // nothing is known.
  double expect(int node);
  // The node's lower bound has changed, or the node is new.
  void update(int node);

  template <class Archive>
  void archive(Archive& a) {
    a(places_, bins_, low_, high_);
  }

 private:
  static constexpr int kLevels = 2;
  struct Bin {
    double sum = 0, error = 0;
    int count = 0;
    template <class Archive>
    void archive(Archive& a) {
      a(sum, error, count);
    }
  };
  struct Place {
    int bin[kLevels] = {-1, -1};
    double counted = 0;  // the value that the bins hold of this node
    bool is_counted = false;
    template <class Archive>
    void archive(Archive& a) {
      a(bin, counted, is_counted);
    }
  };
  Place& place(int node);

  points::PointBounds& bounds_;
  std::vector<Place> places_;
  std::vector<Bin> bins_[kLevels];
  double low_ = 0, high_ = 0;
};

}  // namespace penumbra::sarsop
