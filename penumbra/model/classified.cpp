#include "penumbra/model/classified.h"

#include <fmt/format.h>

#include <algorithm>

#include "penumbra/base/error.h"

namespace penumbra {

Classified::Classified(std::unique_ptr<Pomdp> inner_model) : Decorated(std::move(inner_model)) {
  if (inner().facts().num_observations > 0)
    throw Error(inner().facts().name +
                " has a finite set of observations already; clusters are for "
                "continuous ones");
}

void Classified::set_classes(int count, std::vector<std::string> names, bool likelihood) {
  Facts facts = inner().facts();
  facts.num_observations = count;
  facts.observation_names = std::move(names);
  Capabilities can = inner().capabilities().without(Capability::kLikelihood |
                                                    Capability::kCumulative | Capability::kTable);
  if (likelihood) can = can | Capability::kLikelihood;
  set_facts(std::move(facts), can, inner().state_size(), sizeof(int), inner().action_size());
}

void Classified::step(ConstRecords state, ConstRecords action, Streams streams,
                      const StepResults& out) const {
  const size_t block = std::min(inner().lanes_per_call(), state.count);
  const size_t size = inner().seen_size();
  std::vector<std::byte> raw(block * size);
  std::vector<uint8_t> gone(block);  // a terminal state is answered with observation 0
  for (size_t begin = 0; begin < state.count; begin += block) {
    const size_t n = std::min(block, state.count - begin);
    StepResults part = out.sub(begin, n);
    part.seen = {raw.data(), size, n};
    inner().is_terminal(state.sub(begin, n), gone);  // before `next` may overwrite them
    inner().step(state.sub(begin, n), action.sub(begin, n), streams.from(begin), part);
    for (size_t i = 0; i < n; ++i)
      out.seen.as<int>(begin + i) =
          gone[i] ? 0
                  : classify(action.at(begin + i),
                             reinterpret_cast<const float*>(raw.data() + i * size));
  }
}

const Classified* groups_of_likelihood(const Pomdp& model) {
  const auto* groups = dynamic_cast<const Classified*>(&model);
  return groups && groups->inner().has(Capability::kLikelihood) ? groups : nullptr;
}

void check_same_seen(const Pomdp& sensed, const Pomdp& played, const std::string& who) {
  const int wanted = sensed.facts().num_observations, given = played.facts().num_observations;
  if (wanted == given && sensed.seen_size() == played.seen_size()) return;
  auto words = [](int count) {
    return count == 0 ? std::string("readings") : fmt::format("one of {}", count);
  };
  throw Error(fmt::format(
      "{} takes observations as {}, and {} has them as {}: play it on the model before or after "
      "they are grouped",
      who, words(wanted), played.facts().name, words(given)));
}

}  // namespace penumbra
