// Episodes side by side, played by the actor as it is. Lanes go on from round to round.
#pragma once

#include "penumbra/base/error.h"
#include "penumbra/base/thread_pool.h"
#include "penumbra/model/pomdp.h"
#include "penumbra/policy/recurrent.h"
#include "penumbra/solvers/ppo/batch.h"

namespace penumbra::ppo {

class Collector {
 public:
  Collector(const Pomdp& model, const HistoryCode& code, const nn::ActionHead& head, int lanes,
            int hidden, int max_episode, RngKey key);

  // Plays batch.steps steps of every lane. False if `stop` said so before the end.
  bool play(const nn::RecurrentNet& actor, uint64_t round, Batch& batch, ThreadPool& pool,
            const std::function<bool()>& stop);
  // The critic's value of every row, `middle` and `scale` turning its outputs into returns. Its
  // memory goes on too.
  void value(const nn::RecurrentNet& critic, double middle, double scale, Batch& batch,
             ThreadPool& pool);

  template <class Archive>
  void archive(Archive& a) {
    std::vector<std::byte> bytes(state_.view().data,
                                 state_.view().data + state_.count() * state_.record_size());
    a(bytes, index_, dense_, starts_, actor_memory_, critic_memory_, length_);
    if constexpr (Archive::kLoading) {
      if (bytes.size() != state_.count() * state_.record_size())
        throw Error("saved state: it is of another number of lanes");
      std::memcpy(state_.view().data, bytes.data(), bytes.size());
    }
  }

 private:
  void play_lanes(const nn::RecurrentNet& actor, RngKey key, Batch& batch, size_t begin, size_t end,
                  const std::function<bool()>& stop);
  // What playing them has changed, here and in the batch.
  template <class Archive>
  void archive_lanes(Archive& a, Batch& batch, size_t begin, size_t end);
  void begin_episodes(RngKey key, size_t lane, size_t count);

  const Pomdp& model_;
  const HistoryCode& code_;
  nn::ActionHead head_;
  size_t lanes_, hidden_;
  int max_episode_;
  RngKey key_;
  RecordBuffer state_;
  // Of each lane: the next input, the memories, the steps of its episode so far.
  std::vector<int32_t> index_;
  std::vector<float> dense_;
  std::vector<uint8_t> starts_;
  std::vector<float> actor_memory_, critic_memory_;
  std::vector<int32_t> length_;
};

}  // namespace penumbra::ppo
