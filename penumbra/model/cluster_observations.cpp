#include "penumbra/model/cluster_observations.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "penumbra/base/error.h"
#include "penumbra/model/uniform_action.h"

namespace penumbra {
namespace {

// `units`: none for 1 along every coordinate.
double squared_distance(const float* a, const float* b, int dimension,
                        std::span<const float> units = {}) {
  double sum = 0;
  for (int d = 0; d < dimension; ++d) {
    const double off = (double(a[d]) - b[d]) / (units.empty() ? 1.0 : double(units[d]));
    sum += off * off;
  }
  return sum;
}

int nearest(const float* point, std::span<const float> centres, int dimension,
            std::span<const float> units = {}) {
  int best = 0;
  double best_distance = std::numeric_limits<double>::infinity();
  for (size_t c = 0; c * dimension < centres.size(); ++c) {
    const double distance =
        squared_distance(point, centres.data() + c * dimension, dimension, units);
    if (distance < best_distance) {
      best_distance = distance;
      best = static_cast<int>(c);
    }
  }
  return best;
}

// The standard deviation of every coordinate; 1 where they are all the same.
std::vector<float> spreads(std::span<const float> points, int dimension) {
  const size_t n = points.size() / dimension;
  std::vector<float> out;
  for (int d = 0; d < dimension; ++d) {
    double sum = 0, squares = 0;
    for (size_t i = 0; i < n; ++i) sum += points[i * dimension + d];
    const double mean = sum / static_cast<double>(n);
    for (size_t i = 0; i < n; ++i) {
      const double off = points[i * dimension + d] - mean;
      squares += off * off;
    }
    const double spread = std::sqrt(squares / static_cast<double>(n));
    out.push_back(spread > 0 ? static_cast<float>(spread) : 1.0f);
  }
  return out;
}

// k-means in units of the spreads: a coordinate with large numbers has no more say than others.
std::vector<float> k_means_in_units(std::vector<float> points, std::span<const float> units,
                                    const ClusterOptions& options) {
  const size_t dimension = units.size();
  for (size_t i = 0; i < points.size(); ++i) points[i] /= units[i % dimension];
  std::vector<float> centres = k_means(points, static_cast<int>(dimension), options.num_clusters,
                                       options.seed, options.max_iterations);
  for (size_t i = 0; i < centres.size(); ++i) centres[i] *= units[i % dimension];
  return centres;
}

// k-means++: each further centre is a point drawn in proportion to its squared distance.
std::vector<float> first_centres(std::span<const float> points, int dimension, int k, Rng& rng) {
  const size_t n = points.size() / dimension;
  std::vector<float> centres;
  std::vector<double> distance(n, std::numeric_limits<double>::infinity());
  size_t chosen = rng.below(static_cast<uint32_t>(n));
  while (true) {
    const float* centre = points.data() + chosen * dimension;
    centres.insert(centres.end(), centre, centre + dimension);
    double total = 0;
    for (size_t i = 0; i < n; ++i) {
      distance[i] =
          std::min(distance[i], squared_distance(points.data() + i * dimension, centre, dimension));
      total += distance[i];
    }
    if (centres.size() / dimension == k || total <= 0) return centres;
    chosen = rng.categorical(distance);
  }
}

// Those that were made where observations are sharpest: with the highest densities.
std::vector<float> sharpest(const std::vector<float>& points, const std::vector<double>& density,
                            double share) {
  const size_t width = points.size() / density.size();
  std::vector<size_t> order(density.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return density[a] > density[b]; });
  order.resize(std::max<size_t>(1, static_cast<size_t>(share * static_cast<double>(order.size()))));
  std::vector<float> kept;
  for (size_t i : order) kept.insert(kept.end(), &points[i * width], &points[i * width] + width);
  return kept;
}

// Observations of random walks from b0.
std::vector<float> sample_observations(const Pomdp& model, const ClusterOptions& options) {
  const RngKey root = RngKey::from_seed(options.seed).fold("cluster_observations");
  const size_t lanes = std::max(1, std::min(1000, options.num_samples));
  const size_t width = model.seen_size() / sizeof(float);
  RecordBuffer state(model.state_size(), lanes);
  RecordBuffer action(model.action_size(), lanes);
  StepBuffers buffers(model, lanes);
  std::vector<float> points;
  std::vector<double> density;
  const bool select = options.sharpest < 1 && model.has(Capability::kLikelihood);
  for (uint64_t round = 0; points.size() / width < options.num_samples; ++round) {
    model.sample_initial({root.fold("start").fold(round)}, state);
    std::vector<uint8_t> ended(lanes, 0);
    for (int t = 0; t < options.max_depth; ++t) {
      const RngKey key = root.fold(round).fold(t);
      for (size_t i = 0; i < lanes; ++i) {
        Rng rng(key.fold("action"), i);
        uniform_action(model.facts(), rng, action.at(i));
      }
      const StepResults out = buffers.results(lanes);
      model.step(state, action, {key}, out);
      for (size_t i = 0; i < lanes && points.size() / width < options.num_samples; ++i) {
        if (ended[i]) continue;
        const float* seen = reinterpret_cast<const float*>(out.seen.at(i));
        points.insert(points.end(), seen, seen + width);
        if (select)
          model.likelihood(out.seen.at(i), action.view().at(i), out.next.sub(i, 1),
                           std::span(&density.emplace_back(), 1));
        ended[i] = out.ended[i];
      }
      std::memcpy(state.view().data, out.next.data, lanes * model.state_size());
    }
  }
  return select ? sharpest(points, density, options.sharpest) : points;
}

// The bounds of every coordinate where the centres are all combinations of values of single
// coordinates, in order, the last running fastest. Otherwise nothing.
std::vector<std::vector<float>> box_bounds(std::span<const float> centres, int dimension) {
  std::vector<std::vector<float>> values(dimension);
  const size_t count = centres.size() / dimension;
  size_t combinations = 1;
  for (int d = 0; d < dimension; ++d) {
    for (size_t c = 0; c < count; ++c) values[d].push_back(centres[c * dimension + d]);
    std::sort(values[d].begin(), values[d].end());
    if (dimension > 1)
      values[d].erase(std::unique(values[d].begin(), values[d].end()), values[d].end());
    combinations *= values[d].size();
  }
  if (combinations != count) return {};
  for (size_t c = 0; c < count; ++c)
    for (size_t d = dimension, rest = c; d-- > 0; rest /= values[d].size())
      if (centres[c * dimension + d] != values[d][rest % values[d].size()]) return {};
  std::vector<std::vector<float>> bounds;
  for (const std::vector<float>& of_one : values) bounds.push_back(cluster_bounds(of_one));
  return bounds;
}

int interval(std::span<const float> bounds, float value) {
  // Counting is faster than searching while the bounds are few: no branch to mispredict.
  constexpr size_t kFew = 64;
  if (bounds.size() > kFew)
    return static_cast<int>(std::upper_bound(bounds.begin(), bounds.end(), value) - bounds.begin());
  int count = 0;
  for (float bound : bounds) count += bound <= value;
  return count;
}

}  // namespace

std::vector<float> k_means(std::span<const float> points, int dimension, int k, uint64_t seed,
                           int max_iterations) {
  PENUMBRA_CHECK(dimension > 0 && k > 0 && !points.empty(), "k_means needs points and k > 0");
  Rng rng(RngKey::from_seed(seed).fold("k_means"), 0);
  std::vector<float> centres = first_centres(points, dimension, k, rng);
  const size_t n = points.size() / dimension, found = centres.size() / dimension;
  std::vector<int> label(n, -1);
  for (int iteration = 0; iteration < max_iterations; ++iteration) {
    bool changed = false;
    std::vector<double> sum(found * dimension, 0.0);
    std::vector<size_t> count(found, 0);
    for (size_t i = 0; i < n; ++i) {
      const int c = nearest(points.data() + i * dimension, centres, dimension);
      changed |= c != label[i];
      label[i] = c;
      ++count[c];
      for (int d = 0; d < dimension; ++d) sum[c * dimension + d] += points[i * dimension + d];
    }
    if (!changed) break;
    for (size_t c = 0; c < found; ++c)
      for (int d = 0; count[c] > 0 && d < dimension; ++d)
        centres[c * dimension + d] = static_cast<float>(sum[c * dimension + d] / count[c]);
  }
  if (dimension == 1) std::sort(centres.begin(), centres.end());
  return centres;
}

std::vector<float> product_centres(std::span<const float> points, int dimension, int k,
                                   uint64_t seed, int max_iterations) {
  std::vector<int> parts(dimension, 1);
  for (int64_t total = 1; true;) {
    const auto fewest = std::min_element(parts.begin(), parts.end());  // the first of them
    if (total / *fewest * (*fewest + 1) > k) break;
    total = total / *fewest * (*fewest + 1);
    ++*fewest;
  }
  std::vector<float> centres, column(points.size() / dimension);
  for (int d = 0; d < dimension; ++d) {
    for (size_t i = 0; i < column.size(); ++i) column[i] = points[i * dimension + d];
    const std::vector<float> values = k_means(column, 1, parts[d], seed, max_iterations);
    std::vector<float> longer;
    const size_t rows = d == 0 ? 1 : centres.size() / d;
    for (size_t row = 0; row < rows; ++row)
      for (float value : values) {
        longer.insert(longer.end(), centres.begin() + row * d, centres.begin() + (row + 1) * d);
        longer.push_back(value);
      }
    centres = std::move(longer);
  }
  return centres;
}

std::vector<float> cluster_bounds(std::span<const float> centres) {
  std::vector<float> bounds;
  for (size_t i = 0; i + 1 < centres.size(); ++i)
    bounds.push_back(0.5f * (centres[i] + centres[i + 1]));
  return bounds;
}

ClusterObservations::ClusterObservations(std::unique_ptr<Pomdp> inner_model,
                                         std::vector<float> centres, std::vector<float> units)
    : Classified(std::move(inner_model)),
      centres_(std::move(centres)),
      units_(std::move(units)),
      dimension_(dimension()) {
  PENUMBRA_CHECK(!centres_.empty() && centres_.size() % dimension_ == 0, "centres of wrong size");
  PENUMBRA_CHECK(units_.empty() || units_.size() == dimension_, "units of wrong size");
  bounds_ = box_bounds(centres_, dimension_);
  std::vector<std::string> names;
  for (size_t c = 0; c < centres_.size(); c += dimension_)
    names.push_back(fmt::format(
        "~{:.3g}", fmt::join(centres_.begin() + c, centres_.begin() + c + dimension_, "/")));
  const auto count = static_cast<int>(names.size());
  set_classes(count, std::move(names), !bounds_.empty() && inner().has(Capability::kCumulative));
}

int ClusterObservations::classify(const float* seen) const {
  if (bounds_.empty()) return nearest(seen, centres_, dimension_, units_);
  int cluster = interval(bounds_[0], seen[0]);
  for (int d = 1; d < dimension_; ++d)
    cluster = cluster * static_cast<int>(bounds_[d].size() + 1) + interval(bounds_[d], seen[d]);
  return cluster;
}

void ClusterObservations::likelihood(const std::byte* seen, const std::byte* action,
                                     ConstRecords next, std::span<double> out) const {
  if (!has(Capability::kLikelihood)) lacks(Capability::kLikelihood);
  int cluster;
  std::memcpy(&cluster, seen, sizeof cluster);
  std::fill(out.begin(), out.end(), 1.0);
  std::vector<double> below(out.size()), above(dimension_ > 1 ? out.size() : 0);
  for (int d = dimension_; d-- > 0;) {
    const std::vector<float>& bounds = bounds_[d];
    const size_t part = static_cast<size_t>(cluster) % (bounds.size() + 1);
    cluster /= static_cast<int>(bounds.size() + 1);
    // On a line the difference is the result; otherwise one factor of it.
    const std::span<double> mass = dimension_ > 1 ? std::span<double>(above) : out;
    if (dimension_ > 1) std::fill(above.begin(), above.end(), 1.0);
    if (part < bounds.size()) inner().cumulative(bounds[part], d, action, next, mass);
    if (part > 0) {
      inner().cumulative(bounds[part - 1], d, action, next, below);
      for (size_t i = 0; i < mass.size(); ++i) mass[i] = std::max(0.0, mass[i] - below[i]);
    }
    for (size_t i = 0; i < above.size(); ++i) out[i] *= above[i];
  }
}

std::unique_ptr<Pomdp> cluster_observations(std::unique_ptr<Pomdp> inner,
                                            const ClusterOptions& options) {
  const Facts& facts = inner->facts();
  if (facts.num_observations > 0)
    throw Error(facts.name +
                " has a finite set of observations already; clusters are for "
                "continuous ones");
  const std::vector<float> points = sample_observations(*inner, options);
  const int dimension = static_cast<int>(inner->seen_size() / sizeof(float));
  if (dimension > 1 && !inner->has(Capability::kCumulative)) {
    std::vector<float> units = spreads(points, dimension);
    std::vector<float> centres = k_means_in_units(points, units, options);
    return std::make_unique<ClusterObservations>(std::move(inner), std::move(centres),
                                                 std::move(units));
  }
  std::vector<float> centres = (dimension > 1 ? product_centres : k_means)(
      points, dimension, options.num_clusters, options.seed, options.max_iterations);
  return std::make_unique<ClusterObservations>(std::move(inner), std::move(centres));
}

}  // namespace penumbra
