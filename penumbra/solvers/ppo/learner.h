// Actor and critic, and how a round of experience changes them: the clipped objective
//
//   mean of min(q A, clip(q, 1 - eps, 1 + eps) A) + c_e entropy - c_v (V - target)^2 / 2
//
// with q the ratio of the action's probability to what it was when it was chosen. A minibatch is a
// set of whole lanes. Its gradient is the sum over slots of lanes in a fixed order, so that the
// result does not depend on the number of threads.
#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <mutex>

#include "penumbra/base/error.h"
#include "penumbra/base/thread_pool.h"
#include "penumbra/nn/action_head.h"
#include "penumbra/nn/clipped_adam.h"
#include "penumbra/solvers/ppo/batch.h"
#include "penumbra/solvers/ppo/options.h"

namespace penumbra::ppo {

struct Factors {
  double rate = 1, entropy = 1;
};

class Learner {
 public:
  Learner(const FeatureLayout& input, const nn::ActionHead& head, const Settings& settings,
          RngKey key);

  const nn::RecurrentNet& actor() const { return actor_; }
  const nn::RecurrentNet& critic() const { return critic_; }
  // The critic's outputs are returns less `middle`, divided by `scale`.
  double middle() const { return middle_; }
  double scale() const { return scale_; }

  // Follows the returns with middle and scale, without changing what the critic says.
  void rescale(const Batch& batch);
  // Gradient steps over all epochs; rate and entropy are those of the settings times these.
  // Returns how many were made; false through `whole` if `stop` said so before the end.
  int learn(const Batch& batch, const Factors& factors, RngKey key, ThreadPool& pool,
            const std::function<bool()>& stop, bool& whole);

  template <class Archive>
  void archive(Archive& a) {
    archive_net(a, actor_);
    archive_net(a, critic_);
    a(actor_adam_, critic_adam_, middle_, scale_, square_, rounds_);
    if constexpr (Archive::kLoading) refresh();
  }

 private:
  template <class Archive>
  static void archive_net(Archive& a, nn::RecurrentNet& net) {
    std::vector<float> values(net.packed().begin(), net.packed().end());
    a(values);
    if constexpr (Archive::kLoading) {
      if (values.size() != net.packed().size())
        throw Error("saved state: it is of networks of another size");
      std::copy(values.begin(), values.end(), net.packed().begin());
    }
  }
  struct Normal {  // of the advantages of a minibatch
    double mean = 0, scale = 1, count = 1;
  };
  struct Scratch {
    LaneInputs inputs;
    std::unique_ptr<nn::GruSequence> sequence;
  };

  void refresh();
  void step(const Batch& batch, std::span<const int> lanes, const Factors& factors,
            ThreadPool& pool);
  void add_gradient(bool actor, const Batch& batch, std::span<const int> lanes,
                    const Normal& normal, double entropy, float* gradient);
  std::unique_ptr<Scratch> take_scratch(bool actor, int steps);

  nn::ActionHead head_;
  Settings settings_;
  nn::RecurrentNet actor_, critic_;
  nn::ClippedAdam actor_adam_, critic_adam_;
  nn::TransposedNet actor_back_, critic_back_;
  double middle_ = 0, scale_ = 1, square_ = 1;
  uint64_t rounds_ = 0;
  std::vector<nn::AlignedVector<float>> gradients_;  // of the slots: the actor's, the critic's
  std::mutex mutex_;
  std::vector<std::unique_ptr<Scratch>> scratch_[2];  // of the critic and of the actor
};

}  // namespace penumbra::ppo
