#include "penumbra/solvers/nvi/sample_model.h"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <cstring>

namespace penumbra::nvi {
namespace {

FeatureBatch encoded(const Pomdp& model, ConstRecords states) {
  FeatureBatch batch(model.features(), static_cast<int>(states.count));
  model.encode(states, batch, 0);
  return batch;
}

}  // namespace

SampleModel::SampleModel(const Pomdp& model, const SampleModelOptions& options, RngKey key,
                         ThreadPool& pool, const Stop& stop)
    : model_(model),
      options_(options),
      gate_(model.features()),
      actions_(model.facts().num_actions),
      observations_(model.facts().num_observations),
      width_(gate_.width()),
      discount_(static_cast<float>(model.facts().discount)),
      likelihood_(options.use_likelihood && model.has(Capability::kLikelihood)) {
  options_.samples = std::max(options_.samples, 3 * width_);
  explore(key, stop);
  describe_samples();
  next_.resize(actions_);
  chance_.resize(actions_);
  look_reward_.resize(actions_);
  only_looks_.assign(actions_, 0);
  for (int a = 0; a < actions_; ++a) step_samples(a, key, stop);
  make_fits(pool, options_.ridge);
}

int SampleModel::describe(const FeatureBatch& batch, int row, std::span<float> u) const {
  gate_.inputs(batch, row, u);
  const auto at = category_of_.find(gate_.category(batch, row));
  return at == category_of_.end() ? kUnknown : at->second;
}

BeliefMoments SampleModel::moments(ConstRecords states, std::span<const double> weights) const {
  const FeatureBatch batch = encoded(model_, states);
  BeliefMoments out;
  std::vector<float> u(width_);
  for (size_t i = 0; i < states.count; ++i) {
    const int category = describe(batch, static_cast<int>(i), u);
    if (category < 0) continue;
    auto part = std::find_if(out.parts.begin(), out.parts.end(),
                             [&](const BeliefMoments::Part& p) { return p.category == category; });
    if (part == out.parts.end())
      part = out.parts.insert(out.parts.end(), {category, std::vector<float>(width_, 0.0f)});
    const auto w = static_cast<float>(weights.empty() ? 1.0 / double(states.count) : weights[i]);
    for (int d = 0; d < width_; ++d) part->u[d] += w * u[d];
  }
  return out;
}

// Breadth first from b0: states of a category move together, so that every category that is met
// gets a whole set of samples, with all that is hidden spread as in b0.
void SampleModel::explore(RngKey key, const Stop& stop) {
  const size_t wanted = options_.samples, size = model_.state_size();
  std::vector<int> queue;
  std::vector<char> queued;
  // Takes states in; categories that are complete join the queue.
  auto take = [&](ConstRecords states, std::span<const uint8_t> ended) {
    const FeatureBatch batch = encoded(model_, states);
    for (size_t i = 0; i < states.count; ++i) {
      if (ended[i]) continue;
      const int64_t code = gate_.category(batch, static_cast<int>(i));
      const auto [at, is_new] = category_of_.try_emplace(code, int(states_.size()));
      if (is_new) {
        if (int(states_.size()) >= options_.most_categories)
          throw NoPlan(model_.facts().name +
                       ": more categories of states than alpha functions can be kept for; take "
                       "another --start");
        states_.emplace_back(size);
        codes_.push_back(code);
        queued.push_back(0);
      }
      const int c = at->second;
      if (queued[c]) continue;
      states_[c].push_back(states.at(i));
      if (states_[c].count() == wanted) {
        queued[c] = 1;
        queue.push_back(c);
      }
    }
  };
  {
    RecordBuffer start(size, 4 * wanted);
    model_.sample_initial({key.fold("start")}, start);
    std::vector<uint8_t> ended(start.count());
    model_.is_terminal(start, ended);
    take(start, ended);
  }
  StepBuffers buffers(model_, wanted);
  auto spread = [&](size_t from) {
    for (size_t q = from; q < queue.size(); ++q) {
      throw_if_stopped(stop);
      const RecordBuffer states = states_[queue[q]];
      for (int a = 0; a < actions_; ++a) {
        const StepResults out = buffers.results(states.count());
        model_.step(states, std::vector<int>(states.count(), a),
                    {key.fold("spread").fold(queue[q]).fold(a)}, out);
        take(out.next, out.ended);
      }
    }
    return queue.size();
  };
  size_t done = spread(0);
  // Categories that few states reach make do with those; they may lead to others.
  for (int rounds = 0; rounds < 1000; ++rounds) {
    const auto few = std::find(queued.begin(), queued.end(), 0);
    if (few == queued.end()) break;
    const int c = static_cast<int>(few - queued.begin());
    queued[c] = 1;
    queue.push_back(c);
    done = spread(done);
  }
}

void SampleModel::describe_samples() {
  first_.assign(1, 0);
  for (const RecordBuffer& s : states_) first_.push_back(first_.back() + int(s.count()));
  u_.resize(size_t(first_.back()) * width_);
  for (int c = 0; c < num_categories(); ++c) {
    const FeatureBatch batch = encoded(model_, states_[c]);
    for (int m = 0; m < samples(c); ++m)
      describe(batch, m, std::span<float>(u_).subspan(size_t(first_[c] + m) * width_, width_));
  }
}

void SampleModel::step_samples(int a, RngKey key, const Stop& stop) {
  const size_t all = first_.back(), size = model_.state_size();
  const size_t row_bytes = width_ * sizeof(float);
  next_[a].resize(all);
  chance_[a].assign(all * observations_, 0.0f);
  bool only_looks = likelihood_;
  std::vector<float> u(width_);
  std::vector<double> likelihood;
  for (int c = 0; c < num_categories(); ++c) {
    throw_if_stopped(stop);
    const size_t n = states_[c].count();
    StepBuffers own(model_, n);
    const StepResults out = own.results(n);
    model_.step(states_[c], std::vector<int>(n, a), {key.fold("next").fold(c).fold(a)}, out);
    const FeatureBatch batch = encoded(model_, out.next);
    for (size_t m = 0; m < n; ++m)
      only_looks &= !out.ended[m] && out.reward[m] == out.reward[0] &&
                    std::memcmp(out.next.at(m), states_[c].at(m), size) == 0;
    look_reward_[a].push_back(out.reward[0]);
    likelihood.assign(n, 0);
    for (size_t m = 0; m < n; ++m) {
      const size_t sample = first_[c] + m;
      Next& next = next_[a][sample];
      next.reward = out.reward[m];
      next.category = out.ended[m] ? kEnded : describe(batch, int(m), u);
      next.u = static_cast<uint32_t>(sample);
      // Most actions change few of the features that are not the category.
      if (next.category < 0 || !std::memcmp(u.data(), u_.data() + sample * width_, row_bytes))
        continue;
      next.u = static_cast<uint32_t>(u_.size() / width_);
      u_.insert(u_.end(), u.begin(), u.end());
    }
    for (int o = 0; o < observations_; ++o) {
      if (likelihood_)
        model_.likelihood(reinterpret_cast<const std::byte*>(&o),
                          reinterpret_cast<const std::byte*>(&a), out.next, likelihood);
      for (size_t m = 0; m < n; ++m) {
        const double p = likelihood_ ? likelihood[m] : index_of(out.seen, m) == o;
        chance_[a][(first_[c] + m) * observations_ + o] = static_cast<float>(p);
      }
    }
  }
  only_looks_[a] = only_looks;
  if (only_looks) {
    next_[a] = std::vector<Next>();  // gives the memory back, which = {} does not
    chance_[a] = std::vector<float>();
  }
}

std::vector<float> SampleModel::chances(int action, int category) const {
  const size_t n = samples(category), first = first_[category] * size_t(observations_);
  if (!only_looks_[action])
    return {chance_[action].begin() + long(first),
            chance_[action].begin() + long(first + n * observations_)};
  std::vector<float> chance(n * observations_);
  std::vector<double> likelihood(n);
  for (int o = 0; o < observations_; ++o) {
    model_.likelihood(reinterpret_cast<const std::byte*>(&o),
                      reinterpret_cast<const std::byte*>(&action), states_[category], likelihood);
    for (size_t m = 0; m < n; ++m)
      chance[m * observations_ + o] = static_cast<float>(likelihood[m]);
  }
  return chance;
}

void SampleModel::make_fits(ThreadPool& pool, double ridge) {
  using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  fit_.resize(num_categories());
  pool.for_chunks(num_categories(), 8, [&](size_t, size_t begin, size_t end) {
    for (size_t c = begin; c < end; ++c) {
      const std::span<const float> own = own_u(int(c));
      Matrix x(samples(int(c)), width_);
      std::copy(own.begin(), own.end(), x.data());
      Matrix gram = x.transpose() * x;
      gram(0, 0) += 1e-6;
      for (int d = 1; d < width_; ++d) gram(d, d) += ridge;
      const Matrix fit = gram.ldlt().solve(x.transpose());
      fit_[c].assign(fit.data(), fit.data() + fit.size());
    }
  });
}

}  // namespace penumbra::nvi
