#include "penumbra/policy/recurrent.h"

#include <fmt/format.h>

#include <algorithm>

#include "penumbra/base/error.h"
#include "penumbra/nn/gru_sequence.h"

namespace penumbra {

void RecurrentActor::write(nn::ByteWriter& out) const {
  code.write(out);
  out.u32(greedy ? 1 : 0);
  net.write(out);
}

RecurrentActor RecurrentActor::read(nn::ByteReader& in) {
  HistoryCode code = HistoryCode::read(in);
  const bool greedy = in.u32() != 0;
  nn::RecurrentNet net = nn::RecurrentNet::read(in);
  const nn::ActionHead head{code.num_actions(), code.action_dimension()};
  if (net.shape().input != code.layout() || net.shape().outputs != head.outputs())
    throw Error("the network does not fit its actions and observations");
  return {std::move(code), head, std::move(net), greedy};
}

void check_recurrent(const RecurrentActor& actor, const Facts& facts) {
  if (actor.code.num_actions() != facts.num_actions ||
      actor.code.num_observations() != facts.num_observations)
    throw Error(fmt::format(
        "the network is for {} actions and {} observations (0: continuous); {} has {} and {}",
        actor.code.num_actions(), actor.code.num_observations(), facts.name, facts.num_actions,
        facts.num_observations));
}

RecurrentPolicy::RecurrentPolicy(std::shared_ptr<const RecurrentActor> actor, const Pomdp& model)
    : actor_(std::move(actor)), action_size_(model.action_size()), seen_size_(model.seen_size()) {
  check_recurrent(*actor_, model.facts());
  PENUMBRA_CHECK(action_size_ % sizeof(float) == 0 && seen_size_ % sizeof(float) == 0,
                 "records are whole numbers of floats");
}

std::string RecurrentPolicy::describe() const {
  return fmt::format("recurrent network of {} units, {}", actor_->net.shape().hidden,
                     actor_->greedy ? "likeliest action" : "action drawn");
}

size_t RecurrentPolicy::memory_size() const {
  return state_at() + sizeof(float) * actor_->net.shape().hidden;
}

void RecurrentPolicy::start(Streams, Records memory) const {
  std::fill_n(memory.data, memory.size * memory.count, std::byte{0});
}

void RecurrentPolicy::act(Records memory, Streams streams, Records action) const {
  constexpr size_t kTile = 48;
  const nn::RecurrentLayout& layout = actor_->net.layout();
  const size_t blocks = layout.num_blocks(), dense = layout.num_dense(), h = layout.shape.hidden;
  nn::GruSequence sequence(layout, static_cast<int>(std::min(kTile, memory.count)), 1);
  std::vector<int32_t> index(kTile * blocks);
  std::vector<float> values(kTile * dense), state(kTile * h), chosen(actor_->head.width());
  const std::vector<uint8_t> starts(kTile, 0);
  for (size_t first = 0; first < memory.count; first += kTile) {
    const size_t lanes = std::min(kTile, memory.count - first);
    for (size_t i = 0; i < lanes; ++i) {
      const std::byte* record = memory.at(first + i);
      if (memory.as<int32_t>(first + i) == 0)
        actor_->code.start(index.data() + i * blocks, values.data() + i * dense);
      else
        actor_->code.encode(record + action_at(), record + seen_at(), index.data() + i * blocks,
                            values.data() + i * dense);
      std::memcpy(state.data() + i * h, record + state_at(), h * sizeof(float));
    }
    sequence.forward(actor_->net.packed().data(), {static_cast<int>(lanes), 1, index.data(),
                                                   values.data(), starts.data(), state.data()});
    for (size_t i = 0; i < lanes; ++i) {
      const float* out = sequence.outputs(static_cast<int>(i));
      Rng rng = streams.rng(first + i);
      if (actor_->greedy)
        actor_->head.best(out, chosen.data());
      else
        actor_->head.sample(out, rng, chosen.data());
      actor_->code.action_record(chosen.data(), action.at(first + i));
      std::memcpy(memory.at(first + i) + state_at(), sequence.memory(static_cast<int>(i)),
                  h * sizeof(float));
    }
  }
}

void RecurrentPolicy::observe(Records memory, ConstRecords action, ConstRecords seen,
                              Streams) const {
  for (size_t i = 0; i < memory.count; ++i) {
    memory.as<int32_t>(i) = 1;
    std::memcpy(memory.at(i) + action_at(), action.at(i), action_size_);
    std::memcpy(memory.at(i) + seen_at(), seen.at(i), seen_size_);
  }
}

}  // namespace penumbra
