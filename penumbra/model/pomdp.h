// What every solver sees: one virtual call, many lanes. Users write model.h's plain struct;
// somebody with a SIMD, GPU or NumPy simulator implements this class directly.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "penumbra/base/features.h"
#include "penumbra/base/rng.h"
#include "penumbra/model/facts.h"
#include "penumbra/model/records.h"
#include "penumbra/model/scene.h"
#include "penumbra/model/tabular.h"

namespace penumbra {

// Where the results of a batch of steps go; all of the batch's length.
struct StepResults {
  Records next;
  Records seen;  // one int per record when observations are finite
  std::span<float> reward;
  std::span<uint8_t> ended;  // 1: `next` is terminal

  StepResults sub(size_t begin, size_t n) const {
    return {next.sub(begin, n), seen.sub(begin, n), reward.subspan(begin, n),
            ended.subspan(begin, n)};
  }
};

// Every function is pure in (arguments, streams), callable from several threads, and treats lane i
// by itself: splitting a batch changes nothing. `next` may be the same memory as `state`.
// A terminal state steps to itself with reward 0 and the all-zero observation.
class Pomdp {
 public:
  virtual ~Pomdp() = default;

  const Facts& facts() const { return facts_; }
  Capabilities capabilities() const { return capabilities_; }
  bool has(Capabilities needed) const { return capabilities_.has(needed); }
  size_t state_size() const { return state_size_; }    // bytes of a state record
  size_t seen_size() const { return seen_size_; }      // bytes of an observation record
  size_t action_size() const { return action_size_; }  // bytes of an action record
  // How many lanes a call should have where the caller has so many: what a call costs by itself is
  // then little, and its records stay in the cache. Results do not depend on it.
  virtual size_t lanes_per_call() const { return 256; }

  virtual void sample_initial(Streams streams, Records out) const = 0;
  virtual void is_terminal(ConstRecords state, std::span<uint8_t> out) const = 0;
  // Env_sim(s, a). `action` holds one record per lane: an int when actions are finite.
  virtual void step(ConstRecords state, ConstRecords action, Streams streams,
                    const StepResults& out) const = 0;
  void step(ConstRecords state, std::span<const int> action, Streams streams,
            const StepResults& out) const {
    step(
        state,
        ConstRecords{reinterpret_cast<const std::byte*>(action.data()), sizeof(int), action.size()},
        streams, out);
  }

  // Optional parts: calling one that capabilities() does not list is an error that says so.
  virtual FeatureLayout features() const;
  virtual void encode(ConstRecords state, FeatureBatch& out, int first_row = 0) const;
  // out[i] = O(seen | next[i], action): one observation and action, many states.
  virtual void likelihood(const std::byte* seen, const std::byte* action, ConstRecords next,
                          std::span<double> out) const;
  // out[i] = P(O_c <= bound | next[i], action) of coordinate c of an observation; a scalar one has
  // the coordinate 0 alone, those of a vector are independent given the next state.
  virtual void cumulative(float bound, int coordinate, const std::byte* action, ConstRecords next,
                          std::span<double> out) const;
  virtual void mdp_value(ConstRecords state, std::span<double> out) const;
  virtual Tabular table() const;
  virtual int table_states() const { return table().num_states; }
  virtual void state_index(ConstRecords state, std::span<int> out) const;
  virtual void perturb(ConstRecords state, Streams streams, Records out) const;

  virtual int num_coordinates() const;
  // Row-major, num_coordinates() values per state.
  virtual void coordinates(ConstRecords state, std::span<float> out) const;
  virtual void from_coordinates(std::span<const float> values, Records out) const;

  virtual Scene scene() const;
  // Row-major, one value per field of the scene and state.
  virtual void scene_values(ConstRecords state, std::span<float> out) const;

  // For people. The defaults print raw values.
  virtual std::string draw(const std::byte* state) const;
  virtual std::string describe_state(const std::byte* state) const;
  std::string describe_seen(const std::byte* seen) const;
  std::string describe_action(const std::byte* action) const;

 protected:
  // Called by a constructor, once.
  void set_facts(Facts facts, Capabilities capabilities, size_t state_size, size_t seen_size,
                 size_t action_size);
  [[noreturn]] void lacks(Capability capability) const;

 private:
  Facts facts_;
  Capabilities capabilities_;
  size_t state_size_ = 0, seen_size_ = 0, action_size_ = 0;
};

// Throws an Error such as "sarsop needs an explicit table; light-dark has none".
void require(const Pomdp& model, Capabilities needed, const std::string& who);

// Memory for the results of steps, reused from call to call.
class StepBuffers {
 public:
  StepBuffers(const Pomdp& model, size_t capacity);
  StepResults results(size_t n);
  RecordBuffer next, seen;
  std::vector<float> reward;
  std::vector<uint8_t> ended;
};

}  // namespace penumbra
