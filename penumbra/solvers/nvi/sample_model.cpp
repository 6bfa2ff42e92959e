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
  next_.resize(actions_);
  chance_.resize(actions_);
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
  first_.assign(1, 0);
  for (const RecordBuffer& s : states_) first_.push_back(first_.back() + int(s.count()));
  const size_t all = first_.back();
  for (int a = 0; a < actions_; ++a) {
    next_[a].resize(all);
    chance_[a].assign(all * observations_, 0.0f);
  }
  only_looks_.assign(actions_, likelihood_);
  std::vector<float> u(width_);
  std::vector<double> likelihood;
  for (int c = 0; c < num_categories(); ++c) {
    throw_if_stopped(stop);
    const size_t n = states_[c].count();
    StepBuffers own(model_, n);
    for (int a = 0; a < actions_; ++a) {
      const StepResults out = own.results(n);
      model_.step(states_[c], std::vector<int>(n, a), {key.fold("next").fold(c).fold(a)}, out);
      const FeatureBatch batch = encoded(model_, out.next);
      for (size_t m = 0; m < n; ++m)
        only_looks_[a] &= !out.ended[m] && out.reward[m] == out.reward[0] &&
                          std::memcmp(out.next.at(m), states_[c].at(m), size) == 0;
      likelihood.assign(n, 0);
      for (size_t m = 0; m < n; ++m) {
        Next& next = next_[a][first_[c] + m];
        next.reward = out.reward[m];
        next.category = out.ended[m] ? kEnded : describe(batch, int(m), u);
        next.u = static_cast<uint32_t>(next_u_.size() / width_);
        if (next.category >= 0) next_u_.insert(next_u_.end(), u.begin(), u.end());
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
  }
}

void SampleModel::make_fits(ThreadPool& pool, double ridge) {
  using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  fit_.resize(num_categories());
  own_u_.resize(num_categories());
  pool.for_chunks(num_categories(), 8, [&](size_t, size_t begin, size_t end) {
    std::vector<float> u(width_);
    for (size_t c = begin; c < end; ++c) {
      const int n = samples(int(c));
      const FeatureBatch batch = encoded(model_, states_[c]);
      Matrix x(n, width_);
      for (int m = 0; m < n; ++m) {
        describe(batch, m, u);
        for (int d = 0; d < width_; ++d) {
          x(m, d) = u[d];
          own_u_[c].push_back(u[d]);
        }
      }
      Matrix gram = x.transpose() * x;
      gram(0, 0) += 1e-6;
      for (int d = 1; d < width_; ++d) gram(d, d) += ridge;
      const Matrix fit = gram.ldlt().solve(x.transpose());
      fit_[c].assign(fit.data(), fit.data() + fit.size());
    }
  });
}

}  // namespace penumbra::nvi
