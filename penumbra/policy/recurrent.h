// A policy that is a network with a memory: what happened last goes in, the distribution of the
// next action comes out. The memory of a lane is the network's, with the last action and
// observation beside it.
#pragma once

#include <memory>

#include "penumbra/nn/action_head.h"
#include "penumbra/nn/recurrent_net.h"
#include "penumbra/policy/history_code.h"
#include "penumbra/policy/policy.h"

namespace penumbra {

struct RecurrentActor {
  HistoryCode code;
  nn::ActionHead head;
  nn::RecurrentNet net;
  bool greedy = false;  // the likeliest action; otherwise one is drawn

  void write(nn::ByteWriter& out) const;
  // Throws Error for parts that do not fit together.
  static RecurrentActor read(nn::ByteReader& in);
};

// Throws Error if the network is for other actions or observations.
void check_recurrent(const RecurrentActor& actor, const Facts& facts);

class RecurrentPolicy final : public Policy {
 public:
  RecurrentPolicy(std::shared_ptr<const RecurrentActor> actor, const Pomdp& model);

  std::string describe() const override;
  size_t memory_size() const override;
  void start(Streams streams, Records memory) const override;
  void act(Records memory, Streams streams, Records action) const override;
  void observe(Records memory, ConstRecords action, ConstRecords seen,
               Streams streams) const override;
  const RecurrentActor& actor() const { return *actor_; }

 private:
  // A lane's memory: whether a step was made, the last action and observation, the network's.
  size_t action_at() const { return sizeof(int32_t); }
  size_t seen_at() const { return action_at() + action_size_; }
  size_t state_at() const { return seen_at() + seen_size_; }

  std::shared_ptr<const RecurrentActor> actor_;
  size_t action_size_, seen_size_;
};

}  // namespace penumbra
