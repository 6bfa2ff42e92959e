// What a state is worth where the tree ends. Leaves are shared and only read; who asks them brings
// the memory. Many lanes at once, each with its own random stream: splitting a batch changes
// nothing.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "penumbra/base/spec.h"
#include "penumbra/bounds/mdp_value.h"
#include "penumbra/policy/rollouts.h"

namespace penumbra::search {

// Buffers of one thread that asks leaves, and what that took.
struct LeafMemory {
  explicit LeafMemory(const Pomdp& model);
  void reserve(size_t lanes);

  StepBuffers buffers;
  RecordBuffer action;
  std::vector<uint64_t> id;
  std::vector<int> lane;
  std::vector<float> returns;
  std::optional<Rollouts> rollouts;  // through a controller
  uint64_t steps = 0;                // of the model
};

class Leaf {
 public:
  virtual ~Leaf() = default;
  virtual std::string describe() const = 0;
  // out[i]: of state i, which is not terminal, with the random numbers of stream i; where a
  // controller goes along it stands at node[i].
  virtual void value(ConstRecords state, std::span<const int> node, Streams streams,
                     LeafMemory& memory, std::span<double> out) const = 0;

  // A controller that goes along from belief to belief: where it starts, and where it is next. It
  // stays where it is when another action than its own is taken.
  virtual int start_node() const { return -1; }
  virtual int next_node(int node, const std::byte* /*action*/, const std::byte* /*seen*/) const {
    return node;
  }
  // Whether it is more likely to say too much than too little.
  virtual bool optimistic() const { return false; }
  // What to do without a search; false: it does not know.
  virtual bool default_action(int /*node*/, std::byte* /*action*/) const { return false; }
};

struct LeafOptions {
  std::string kind = "auto";  // auto | rollout | mdp | blind | zero | a file
  int steps = 0;              // of a rollout; 0: until discount^steps < 0.05
};
// Anything else is a controller's file.
bool is_leaf_kind(const std::string& text);
LeafOptions read_leaf_options(Params& params);

// Every kind but the controller's. auto: mdp where the model knows what its states are worth, else
// rollout; mdp: V_mdp; rollout: random actions; blind: one action again and
// again, the best one from states around b0; zero: 0.
std::shared_ptr<const Leaf> make_leaf(const Pomdp& model, const LeafOptions& options, RngKey key,
                                      ThreadPool& pool, const Stop& stop = {});
std::shared_ptr<const Leaf> make_mdp_leaf(std::shared_ptr<const MdpValue> values);
// The value of executing the controller, by one rollout.
std::shared_ptr<const Leaf> make_controller_leaf(const Pomdp& model, Fsc fsc, int steps = 0);

}  // namespace penumbra::search
