#include "penumbra/solvers/anchors/anchor_table.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <unordered_set>

#include "penumbra/model/record_set.h"
#include "penumbra/nn/anchor_bank.h"
#include "penumbra/solvers/anchors/inputs.h"
#include "penumbra/solvers/anchors/relevance.h"
#include "penumbra/solvers/anchors/sampling.h"
#include "penumbra/solvers/first_plan.h"

namespace penumbra::anchors {
namespace {

constexpr size_t kStartStates = 20'000;  // that show b0, at least,
constexpr size_t kStartsPerAnchor = 4;   // and for many anchors
constexpr size_t kBlock = 4096;          // states between two looks at the clock
constexpr size_t kGrain = 64;            // anchors of a task
constexpr double kSmallChance = 1e-4;    // observations below it are left out
constexpr double kRoom = 0.5;            // share of anchors that may join for codes not sampled
constexpr size_t kRelevanceStates = 2'000;
constexpr int kCountedSamples = 32;   // steps per anchor and action where observations are counted
constexpr double kPrior = 0.5;        // observations that are taken as seen before counting
constexpr int kDiscreteSamples = 32;  // where nothing is continuous chance is all there is
// Steps that a table may take: the search for neighbours is slow in many dimensions.
constexpr double kMostSteps = 4.3e6, kMostStepsInMany = 4e5;
constexpr int kMany = 5;
constexpr int kFewestAnchors = 2'000;
// Where steps end in a handful of states.
constexpr int kGrainedAnchors = 128'000, kGrainedSamples = 16;

bool counts(const Pomdp& model, const TableOptions& o) {
  return !o.use_likelihood || !model.has(Capability::kLikelihood);
}

bool is_discrete(const Pomdp& model) {
  return !model.has(Capability::kCoordinates) && model.features().num_dense == 0;
}

// Whether steps end in a handful of states, so that an anchor can be where they end, although
// features are dense: numbers of cells, say.
bool is_grained(const Pomdp& model) {
  constexpr size_t kStates = 32, kTries = 16, kHandful = 8;
  if (model.has(Capability::kCoordinates) || dimensions_of(model) < kMany) return false;
  const RngKey key = RngKey::from_seed(1).fold("grain");
  RecordBuffer start(model.state_size(), kStates), from(model.state_size());
  model.sample_initial({key}, start);
  for (size_t i = 0; i < kStates * kTries; ++i) from.push_back(start.at(i / kTries));
  StepBuffers buffers(model, from.count());
  for (int a = 0; a < model.facts().num_actions; ++a) {
    const StepResults out = buffers.results(from.count());
    model.step(from, std::vector<int>(from.count(), a), {key.fold(a)}, out);
    for (size_t first = 0; first < from.count(); first += kTries) {
      RecordSet distinct(model.state_size(), kHandful);
      for (size_t i = first; i < first + kTries; ++i)
        if (distinct.insert(out.next.at(i)) == kHandful) return false;
    }
  }
  return true;
}

int samples_of(const Pomdp& model, const TableOptions& o) {
  int samples = o.samples;
  if (is_grained(model)) samples = std::max(samples, kGrainedSamples);
  if (counts(model, o)) samples = std::max(samples, kCountedSamples);
  if (is_discrete(model)) samples = std::max(samples, kDiscreteSamples);
  return samples;
}

int number_of(const Pomdp& model, const TableOptions& o) {
  if (o.anchors > 0) return o.anchors;
  const int dimensions = dimensions_of(model), usual = usual_anchors(model);
  if (is_grained(model)) return usual;
  const double most = dimensions >= kMany ? kMostStepsInMany : kMostSteps;
  const double affordable = most / (double(o.samples) * model.facts().num_actions);
  return std::clamp(static_cast<int>(affordable), std::min(kFewestAnchors, usual), usual);
}

int origins_of(const Pomdp& model, const TableOptions& o) {
  // Few initial states would leave out most combinations of bits.
  if (o.origins < 0 && model.features().num_bits > 0) return 0;
  return o.origins >= 0 ? o.origins : default_origins(dimensions_of(model), number_of(model, o));
}

class Builder {
 public:
  Builder(const Pomdp& model, const TableOptions& options, RngKey key, ThreadPool& pool,
          const Stop& stop)
      : model_(model),
        key_(key),
        pool_(pool),
        stop_(stop),
        actions_(model.facts().num_actions),
        observations_(model.facts().num_observations),
        counted_(counts(model, options)),
        grained_(is_grained(model)),
        samples_(samples_of(model, options)),
        neighbours_(options.neighbours > 0     ? options.neighbours
                    : dimensions_of(model) > 1 ? 8
                                               : 4),
        anchors_(sample_anchors(model, number_of(model, options), origins_of(model, options),
                                key.fold("anchors"), stop)),
        inputs_(model, anchors_),
        next_(model.state_size()) {
    if (options.relevance) choose_inputs();
  }

  AnchorTable build() {
    simulate();
    nn::Anchors anchors(inputs_.encode(anchors_), inputs_.width(), neighbours_, grained_);
    AnchorTable made{table(anchors), double(anchors_.count()) * actions_ * samples_, nullptr};
    // A bank sees features, not coordinates.
    if (!inputs_.are_coordinates())
      made.functions = std::make_shared<const nn::AnchorBank>(
          inputs_.keys(), std::move(anchors), static_cast<float>(least_value(model_.facts())));
    return made;
  }

 private:
  void choose_inputs() {
    if (inputs_.are_coordinates() || inputs_.width() < 2) return;
    const size_t count = std::min(anchors_.count(), kRelevanceStates);
    RecordBuffer states(model_.state_size());  // from all over the anchors
    for (size_t i = 0; i < count; ++i) states.push_back(anchors_.at(shuffled(i, count)));
    const RngKey key = key_.fold("relevance");
    const Targets targets = relevance_targets(model_, states, !counted_, key, pool_, stop_);
    if (targets.empty()) return;
    const InputRows rows = inputs_.encode(states);
    inputs_.keep_relevant(anchors::relevance(rows.x, inputs_.width(), targets, key, pool_, stop_));
  }
  // Number i of `count` anchors that are from all over them, first from b0 and from walks in turn.
  size_t shuffled(size_t i, size_t count) const {
    const size_t half = anchors_.count() / 2;
    return (i % 2 == 0 ? 0 : half) + (i / 2) * half / std::max<size_t>(1, (count + 1) / 2);
  }

  // Every action from every anchor. A successor with a code that no anchor has becomes an anchor.
  void simulate() {
    std::unordered_set<uint64_t> known;
    for (uint64_t code : inputs_.encode(anchors_).code) known.insert(code);
    const size_t most = anchors_.count() + static_cast<size_t>(kRoom * double(anchors_.count()));
    for (size_t done = 0; done < anchors_.count();) {
      const size_t last = anchors_.count(), each = size_t(actions_) * samples_;
      simulate_range(done, last);
      for (size_t first = done * each; first < last * each; first += kBlock) {
        throw_if_stopped(stop_);
        const InputRows met =
            inputs_.encode(next_.sub(first, std::min(kBlock, last * each - first)));
        for (size_t i = 0; i < met.code.size() && anchors_.count() < most; ++i)
          if (!ended_[first + i] && known.insert(met.code[i]).second)
            anchors_.push_back(next_.at(first + i));
      }
      done = last;
    }
  }

  void simulate_range(size_t begin, size_t end) {
    const size_t each = size_t(actions_) * samples_;
    next_.resize(end * each);
    ended_.resize(end * each);
    reward_.resize(end * each);
    seen_.resize(end * each);
    pool_.for_chunks(end - begin, kGrain, [&](size_t, size_t low, size_t high) {
      throw_if_stopped(stop_);
      const size_t n = (high - low) * each, first = (begin + low) * each;
      RecordBuffer states(model_.state_size(), n);
      std::vector<int> action(n);
      for (size_t i = 0; i < n; ++i) {
        states.copy_from(i, anchors_.at(begin + low + i / each));
        action[i] = static_cast<int>(i % each / samples_);
      }
      StepBuffers steps(model_, n);
      const StepResults out = steps.results(n);
      model_.step(states, std::span<const int>(action), {key_.fold("step"), first}, out);
      for (size_t i = 0; i < n; ++i) {
        next_.copy_from(first + i, out.next.at(i));
        ended_[first + i] = out.ended[i];
        reward_[first + i] = out.reward[i];
        seen_[first + i] = index_of(out.seen, i);
      }
    });
  }

  // Sums of K over some states, merged.
  class Sums {
   public:
    void add(int column, double value) {
      for (SparseRows::Entry& e : entries_)
        if (e.column == column) {
          e.value += value;
          return;
        }
      entries_.push_back({column, value});
    }
    void write(SparseRows& rows) {
      std::sort(entries_.begin(), entries_.end(),
                [](const auto& a, const auto& b) { return a.column < b.column; });
      for (const SparseRows::Entry& e : entries_) rows.add(e.column, e.value);
      rows.end_row();
      entries_.clear();
    }

   private:
    std::vector<SparseRows::Entry> entries_;
  };

  static void append(SparseRows& rows, const SparseRows& more) {
    const size_t before = rows.entries.size();
    rows.entries.insert(rows.entries.end(), more.entries.begin(), more.entries.end());
    for (size_t r = 1; r < more.start.size(); ++r) rows.start.push_back(before + more.start[r]);
  }

  Tabular table(const nn::Anchors& anchors) const {
    const int count = static_cast<int>(anchors_.count());
    Tabular t;
    t.name = model_.facts().name + " at anchors";
    t.discount = model_.facts().discount;
    t.num_states = count + 1;
    t.num_actions = actions_;
    t.num_observations = observations_;
    t.terminal.assign(count + 1, 0);
    t.terminal[count] = 1;
    t.start = start(anchors);
    for (int a = 0; a < actions_; ++a) {
      t.transition.push_back(transition(a, anchors));
      t.observation.push_back(counted_ ? counted(a, t.transition.back()) : likely(a));
      std::vector<double>& reward = t.reward.emplace_back(count + 1, 0.0);
      for (int j = 0; j < count; ++j)
        for (int i = 0; i < samples_; ++i) reward[j] += double(reward_[index(j, a) + i]) / samples_;
    }
    return t;
  }

  // The first simulated step of an action from an anchor.
  size_t index(size_t anchor, int action) const { return (anchor * actions_ + action) * samples_; }

  std::vector<double> start(const nn::Anchors& anchors) const {
    const size_t count = std::max(kStartStates, kStartsPerAnchor * anchors_.count());
    std::vector<std::vector<nn::Anchors::Weight>> found(ThreadPool::num_chunks(count, kBlock));
    pool_.for_chunks(count, kBlock, [&](size_t chunk, size_t begin, size_t end) {
      throw_if_stopped(stop_);
      RecordBuffer states(model_.state_size(), end - begin);
      std::vector<uint8_t> ended(end - begin);
      model_.sample_initial({key_.fold("start"), begin}, states);
      model_.is_terminal(states, ended);
      const InputRows rows = inputs_.encode(states);
      nn::Anchors::Buffer buffer;
      for (size_t i = 0; i < end - begin; ++i)
        if (!ended[i])
          for (const nn::Anchors::Weight& w : anchors.weigh(rows, i, buffer))
            found[chunk].push_back(w);
    });
    std::vector<double> start(anchors_.count() + 1, 0.0);
    double total = 0;
    for (const std::vector<nn::Anchors::Weight>& weights : found)
      for (const nn::Anchors::Weight& w : weights) {
        start[w.anchor] += w.weight;
        total += w.weight;
      }
    if (!(total > 0))
      throw NoPlan(
          model_.facts().name +
          ": no initial state is like an anchor in what is discrete; take another --start");
    for (double& chance : start) chance /= total;
    return start;
  }

  // How often successor i is among those of its anchor and action; 0: it was there before.
  int occurrences(size_t first, int i) const {
    auto same = [&](int other) {
      return std::memcmp(next_.at(first + i), next_.at(first + other), model_.state_size()) == 0;
    };
    for (int before = 0; before < i; ++before)
      if (same(before)) return 0;
    int times = 1;
    for (int after = i + 1; after < samples_; ++after) times += same(after);
    return times;
  }

  SparseRows transition(int action, const nn::Anchors& anchors) const {
    const size_t count = anchors_.count();
    std::vector<SparseRows> parts(ThreadPool::num_chunks(count, kGrain));
    pool_.for_chunks(count, kGrain, [&](size_t chunk, size_t begin, size_t end) {
      throw_if_stopped(stop_);
      Sums sums;
      nn::Anchors::Buffer buffer;
      for (size_t j = begin; j < end; ++j) {
        const size_t first = index(j, action);
        const InputRows rows = inputs_.encode(next_.sub(first, samples_));
        for (int i = 0; i < samples_; ++i) {
          const int times = occurrences(first, i);  // equal successors are looked up once
          if (times == 0) continue;
          const double share = double(times) / samples_;
          if (ended_[first + i]) {
            sums.add(static_cast<int>(count), share);
            continue;
          }
          const auto weights = anchors.weigh(rows, i, buffer);
          for (const nn::Anchors::Weight& w : weights) sums.add(w.anchor, w.weight * share);
          if (weights.empty()) sums.add(static_cast<int>(j), share);
        }
        sums.write(parts[chunk]);
      }
    });
    SparseRows rows;
    for (const SparseRows& part : parts) append(rows, part);
    rows.add(static_cast<int>(count), 1);
    rows.end_row();
    return rows;
  }

  SparseRows likely(int action) const {
    const size_t count = anchors_.count(), observations = observations_;
    std::vector<double> chance(count * observations);
    pool_.for_chunks(count, kGrain, [&](size_t, size_t begin, size_t end) {
      throw_if_stopped(stop_);
      std::vector<double> out(end - begin);
      for (int o = 0; o < observations_; ++o) {
        model_.likelihood(reinterpret_cast<const std::byte*>(&o),
                          reinterpret_cast<const std::byte*>(&action),
                          anchors_.sub(begin, end - begin), out);
        for (size_t i = begin; i < end; ++i) chance[i * observations + o] = out[i - begin];
      }
    });
    return normalised(chance);
  }

  // How often an observation was made on the way to an anchor, and a little of how often it is made
  // at all.
  SparseRows counted(int action, const SparseRows& transition) const {
    const size_t count = anchors_.count(), observations = observations_;
    std::vector<double> chance(count * observations, 0), all(observations, 1e-9);
    std::vector<double> here(observations);
    double total = 0;
    for (size_t j = 0; j < count; ++j) {
      if (j % kGrain == 0) throw_if_stopped(stop_);
      std::fill(here.begin(), here.end(), 0.0);
      const size_t first = index(j, action);
      for (int i = 0; i < samples_; ++i)
        if (!ended_[first + i]) ++here[seen_[first + i]];
      for (size_t o = 0; o < observations; ++o) {
        if (here[o] == 0) continue;
        all[o] += here[o];
        total += here[o];
        for (const SparseRows::Entry& e : transition.row(static_cast<int>(j)))
          if (e.column < static_cast<int>(count))
            chance[e.column * observations + o] += e.value * here[o];
      }
    }
    for (size_t i = 0; i < chance.size(); ++i)
      chance[i] += kPrior * all[i % observations] / std::max(total, 1.0);
    return normalised(chance);
  }

  SparseRows normalised(const std::vector<double>& chance) const {
    const size_t observations = observations_;
    SparseRows rows;
    for (size_t c = 0; c < anchors_.count(); ++c) {
      const double* row = chance.data() + c * observations;
      double sum = 0, total = 0;
      for (size_t o = 0; o < observations; ++o) sum += row[o];
      for (size_t o = 0; o < observations; ++o)
        if (row[o] > kSmallChance * sum) total += row[o];
      for (size_t o = 0; o < observations; ++o)
        if (row[o] > kSmallChance * sum) rows.add(static_cast<int>(o), row[o] / total);
      if (!(total > 0)) rows.add(0, 1);
      rows.end_row();
    }
    rows.add(0, 1);
    rows.end_row();
    return rows;
  }

  const Pomdp& model_;
  RngKey key_;
  ThreadPool& pool_;
  const Stop& stop_;
  int actions_, observations_;
  bool counted_;  // observations are, as there is no likelihood
  bool grained_;
  int samples_;
  int neighbours_;
  RecordBuffer anchors_;
  Inputs inputs_;
  RecordBuffer next_;  // [anchor][action][sample]; so are the other three
  std::vector<uint8_t> ended_;
  std::vector<float> reward_;
  std::vector<int> seen_;
};

}  // namespace

void TableOptions::list(OptionList& l) {
  l.add("anchors", anchors, 0, 1'000'000, "sampled states of a plan at anchors; 0: by the inputs");
  l.add("anchor-neighbours", neighbours, 0, 64,
        "anchors that a value is the mean of; 0: by the inputs");
  l.add("anchor-origins", origins, -1, 1'000'000,
        "initial states that anchors are reached from; 0: always others; -1: by the inputs");
  l.add("anchor-samples", samples, 1, 10'000, "simulated steps per anchor and action");
  l.add("anchor-relevance", relevance, "leave out dense features that mean nothing for values");
}

Capabilities table_needs() {
  return Capability::kFeatures | Capability::kFiniteActions | Capability::kFiniteObservations;
}

int default_anchors(int dimensions) {
  return dimensions <= 1 ? 1000 : dimensions == 2 ? 8000 : 32'000;
}

int usual_anchors(const Pomdp& model) {
  return is_grained(model) ? kGrainedAnchors : default_anchors(dimensions_of(model));
}

int default_origins(int dimensions, int anchors) {
  return dimensions <= 3 ? 0 : std::max(4, anchors / 4000);
}

double bytes_per_anchor(const Pomdp& model, const TableOptions& options) {
  constexpr double kFixed = 2'000, kPerAction = 1'500;  // with some hundred vectors beside it
  const double successor = double(model.state_size()) + sizeof(float) + sizeof(int) + 1;
  return kFixed + model.facts().num_actions * (kPerAction + samples_of(model, options) * successor);
}

int dimensions_of(const Pomdp& model) {
  if (model.has(Capability::kCoordinates)) return model.num_coordinates();
  const FeatureLayout layout = model.features();
  return std::max(layout.num_dense, layout.num_bits > 0 || !layout.categories.empty() ? 3 : 1);
}

AnchorTable make_table(const Pomdp& model, const TableOptions& options, RngKey key,
                       ThreadPool& pool, const Stop& stop) {
  require(model, table_needs(), "a plan at anchors");
  return Builder(model, options, key, pool, stop).build();
}

}  // namespace penumbra::anchors
