// The exact beliefs that a policy has come to, each computed once however many episodes pass
// through it. Episodes of one policy see the same things again and again, so that playing it is
// mostly following edges of this tree. What is remembered depends on who came first; what is
// answered does not: it is what would be computed anew.
#pragma once

#include <array>
#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "penumbra/model/mixed_model.h"

namespace penumbra {

// Bytes that beliefs may take where nothing else is said.
inline constexpr size_t kMostRemembered = 256'000'000;

// From any number of threads at once. The model outlives it.
class BeliefMemory {
 public:
  // The action of the policy at a belief, a pure function.
  using Choose = std::function<int(int part, HiddenView belief)>;
  BeliefMemory(const MixedModel& model, Choose choose, size_t most_bytes);
  ~BeliefMemory();
  BeliefMemory(const BeliefMemory&) = delete;
  BeliefMemory& operator=(const BeliefMemory&) = delete;

  // The belief that episodes start with: number 0.
  static constexpr int kStart = 0;
  int action(int belief) const { return at(belief).action; }
  int part(int belief) const { return at(belief).part; }
  // One probability per hidden state of its part.
  void read(int belief, std::span<double> out) const;
  // The belief after the policy's action and `seen`, or this one where that cannot be. -1: there is
  // no room for it.
  int next(int belief, int seen);

 private:
  struct Edge {
    int seen, to;
    Edge* after;
  };
  struct Belief {
    int part = 0, action = 0;
    HiddenBelief hidden{};
    std::atomic<Edge*> edges = nullptr;
  };
  static constexpr size_t kBlock = 4096, kBlocks = 4096;

  Belief& at(int belief) const {
    return blocks_[static_cast<size_t>(belief) / kBlock].load(
        std::memory_order_acquire)[static_cast<size_t>(belief) % kBlock];
  }
  static const Edge* find(const Edge* edge, int seen);
  int add(int part, int action, HiddenBelief hidden);  // with the lock; -1: no room

  const MixedModel& model_;
  const Choose choose_;
  const size_t most_bytes_;
  std::mutex adding_;
  size_t count_ = 0, bytes_ = 0;
  std::vector<std::unique_ptr<Edge>> edges_;
  std::array<std::atomic<Belief*>, kBlocks> blocks_{};  // a belief never moves
};

}  // namespace penumbra
