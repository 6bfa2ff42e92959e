// Habits: what to do in each situation (memory_form.h), learnt by playing. Q(situation, action) is
// a table; an episode raises or lowers what it went through towards its lambda-returns, the last
// step first, while now and then another action is tried (Sarsa(lambda), Sutton and Barto, chapter
// 12). Nothing is asked of the model but to be simulated.
#pragma once

#include <unordered_map>

#include "penumbra/base/archive.h"
#include "penumbra/solvers/habits/lanes.h"

namespace penumbra::habits {

inline constexpr size_t kEpisodesPerBatch = 64;

struct HabitOptions {
  double exploration = 0.1;   // share of steps that try anything, at the beginning
  double lambda = 0.8;        // how far returns are those that were played
  double least_rate = 0.003;  // of learning
  int depth = 100;            // steps of an episode
};

class Habits {
 public:
  Habits() = default;
  Habits(MemoryForm form, const HabitOptions& options, RngKey key);

  // Plays and learns; the episodes of a batch are played by the same habits.
  void learn(const Pomdp& model, size_t batches);
  // The mean return of the last call, exploration included.
  double value() const { return value_; }
  double steps() const { return steps_; }  // of the simulator
  uint64_t batches() const { return batches_; }
  size_t num_situations() const { return index_.size(); }
  const MemoryForm& form() const { return form_; }
  // What is usually done; -1: the situation is new.
  int best_action(const Situation& now) const;
  // From here on by chances of its own, as curious as at the beginning.
  void part_ways(RngKey key);

  template <class Archive>
  void archive(Archive& a) {
    a(keys_, q_, count_, key_.value, batches_, curious_since_, value_, steps_, gap_);
    if constexpr (Archive::kLoading) rebuild_index();
  }

 private:
  struct Visit {
    int row, action;
    float reward;
    bool stepped, over;
  };
  using Path = std::vector<Visit>;

  int row_of(uint64_t habit);
  int best_of(int row) const;
  int try_something(int row, Rng& rng);
  void learn_from(const Path& path);
  void rebuild_index();

  MemoryForm form_;
  HabitOptions options_;
  RngKey key_;
  int num_actions_ = 0;
  double discount_ = 1;
  std::unordered_map<uint64_t, int> index_;  // habit -> row
  std::vector<uint64_t> keys_;               // row -> habit
  std::vector<float> q_;                     // [row][action]
  std::vector<uint32_t> count_;
  std::vector<double> weights_;  // scratch
  uint64_t batches_ = 0, curious_since_ = 0;
  double value_ = 0, steps_ = 0;
  double gap_ = 0;  // between the best two actions, on average
};

}  // namespace penumbra::habits
