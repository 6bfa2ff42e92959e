#include "penumbra/policy/alpha_vectors.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "penumbra/base/error.h"

namespace penumbra {
namespace {

// A lane's memory: part (int64), number of hidden states (int64), their probabilities. Or, where
// the belief is remembered, -1 minus its number in place of the second, and nothing more.
struct Lane {
  explicit Lane(std::byte* record)
      : header(reinterpret_cast<int64_t*>(record)), value(reinterpret_cast<double*>(record + 16)) {}
  int64_t* header;
  double* value;

  int part() const { return static_cast<int>(header[0]); }
  HiddenView view() const { return {{value, static_cast<size_t>(header[1])}, {}}; }
  int remembered() const { return header[1] < 0 ? static_cast<int>(-1 - header[1]) : -1; }
  void remember(int number) {
    header[0] = 0;
    header[1] = -1 - int64_t{number};
  }
  void recall(const BeliefMemory& memory, int size) {
    const int number = remembered();
    header[0] = memory.part(number);
    header[1] = size;
    memory.read(number, {value, static_cast<size_t>(size)});
  }
  void store(int part, int size, const HiddenBelief& belief) {
    header[0] = part;
    header[1] = size;
    std::fill_n(value, size, 0.0);
    const HiddenView view = belief.view();
    for (size_t i = 0; i < view.size(); ++i) value[view.at(i)] = view.value[i];
  }
};

}  // namespace

void check_alpha_vectors(const AlphaVectors& v) {
  if (v.vectors.empty()) throw Error("the policy has no vectors");
  for (const auto& part : v.parts)
    for (size_t i = 0; i < part.size(); ++i)
      if (part[i] < 0 || part[i] >= v.num_states || (i > 0 && part[i] <= part[i - 1]))
        throw Error(fmt::format("the states of a part must ascend within 0 to {}; {} does not",
                                v.num_states - 1, part[i]));
  for (size_t i = 0; i < v.vectors.size(); ++i) {
    const AlphaVectors::Vector& vector = v.vectors[i];
    if (vector.action < 0 || vector.action >= v.num_actions)
      throw Error(
          fmt::format("vector {} has action {}; there are {}", i, vector.action, v.num_actions));
    if (vector.part < 0 || vector.part >= static_cast<int>(v.parts.size()))
      throw Error(fmt::format("vector {} is of part {}, which does not exist", i, vector.part));
    if (vector.value.size() != v.parts[vector.part].size())
      throw Error(fmt::format("vector {} has {} values; its part has {} states", i,
                              vector.value.size(), v.parts[vector.part].size()));
    for (double value : vector.value)
      if (!std::isfinite(value)) throw Error(fmt::format("vector {}: a value is no number", i));
  }
}

AlphaPolicy::AlphaPolicy(const AlphaVectors& vectors, std::shared_ptr<const MixedModel> model,
                         size_t most_remembered)
    : model_(std::move(model)), num_vectors_(static_cast<int>(vectors.vectors.size())) {
  check_alpha_vectors(vectors);
  if (vectors.num_states != model_->num_states() || vectors.num_actions != model_->num_actions())
    throw Error(fmt::format("the vectors are for {} states and {} actions; the model has {} and {}",
                            vectors.num_states, vectors.num_actions, model_->num_states(),
                            model_->num_actions()));
  of_part_.resize(model_->num_parts());
  std::vector<std::vector<int>> of(vectors.parts.size());
  for (int i = 0; i < num_vectors_; ++i) of[vectors.vectors[i].part].push_back(i);
  std::vector<int> position(vectors.num_states, -1);
  for (size_t p = 0; p < vectors.parts.size(); ++p) {
    const std::vector<int>& states = vectors.parts[p];
    for (size_t i = 0; i < states.size(); ++i) position[states[i]] = static_cast<int>(i);
    for (int q = 0; q < model_->num_parts(); ++q) {
      const std::vector<int>& covered = model_->states(q);
      if (!std::all_of(covered.begin(), covered.end(), [&](int s) { return position[s] >= 0; }))
        continue;
      for (int i : of[p]) {
        Restricted r{i, vectors.vectors[i].action, {}};
        for (int s : covered) r.value.push_back(vectors.vectors[i].value[position[s]]);
        of_part_[q].push_back(std::move(r));
      }
    }
    for (int s : states) position[s] = -1;
  }
  if (of_part_[model_->start_part()].empty() && model_->start_chance() > 0)
    throw Error("no vector of the policy values the states that an episode starts in");
  remembered_ = std::make_unique<BeliefMemory>(
      *model_, [this](int part, HiddenView belief) { return action(part, belief); },
      most_remembered);
}

std::string AlphaPolicy::describe() const {
  return fmt::format("{} alpha-vectors with exact beliefs", num_vectors_);
}

const AlphaPolicy::Restricted* AlphaPolicy::best(int part, HiddenView belief, double& value) const {
  const Restricted* best = nullptr;
  for (const Restricted& candidate : of_part_[part])
    if (const double v = dot(candidate.value.data(), belief); !best || v > value) {
      value = v;
      best = &candidate;
    }
  return best;
}

int AlphaPolicy::best_vector(int part, HiddenView belief) const {
  double value = 0;
  const Restricted* found = best(part, belief, value);
  return found ? found->vector : -1;
}

int AlphaPolicy::action(int part, HiddenView belief) const {
  double value = 0;
  const Restricted* found = best(part, belief, value);
  return found ? found->action : 0;
}

double AlphaPolicy::start_value() const {
  double value = 0;
  best(model_->start_part(), model_->start().view(), value);
  return value * model_->start_chance();
}

void AlphaPolicy::start(Streams, Records memory) const {
  for (size_t i = 0; i < memory.count; ++i) Lane(memory.at(i)).remember(BeliefMemory::kStart);
}

void AlphaPolicy::act(Records memory, Streams, Records action_out) const {
  for (size_t i = 0; i < memory.count; ++i) {
    const Lane lane(memory.at(i));
    const int number = lane.remembered();
    action_out.as<int>(i) =
        number >= 0 ? remembered_->action(number) : action(lane.part(), lane.view());
  }
}

void AlphaPolicy::observe(Records memory, ConstRecords action, ConstRecords seen, Streams) const {
  MixedFilter filter(*model_);
  for (size_t i = 0; i < memory.count; ++i) {
    Lane lane(memory.at(i));
    if (const int number = lane.remembered(); number >= 0) {
      const bool own = action.as<int>(i) == remembered_->action(number);
      const int next = own ? remembered_->next(number, index_of(seen, i)) : -1;
      if (next >= 0) {
        lane.remember(next);
        continue;
      }
      lane.recall(*remembered_, model_->size(remembered_->part(number)));
    }
    int part = lane.part();
    HiddenBelief belief{{lane.value, lane.value + lane.header[1]}, {}};
    if (filter.track(part, belief, action.as<int>(i), index_of(seen, i)) > 0)
      lane.store(part, model_->size(part), belief);
  }
}

}  // namespace penumbra
