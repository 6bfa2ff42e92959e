// Policies on disk. A file is, everything little-endian:
//
//   magic "PNMBRPOL" (8) | version u32 = 1 | sections u32 | CRC-32C of these 16 bytes u32
//   then each section:  tag (4) | length u64 | payload | CRC-32C of tag, length and payload u32
//
// Sections, in this order. SEEN, UNIT and TREE may be missing. The policy is FSC_, with or without
// ACTS and NETS; or ALPH, with or without FSC_ before it; or RNN_; or LIKE, with or without ACTS:
//   MODL   text domain | doubles fingerprint | u32 actions | u32 observations
//          | texts of their names (count u32 each)
//   SEEN   u32 dimension | floats centres, row-major: observations are the nearest of these
//   UNIT   floats what a distance of 1 from a centre is along each coordinate; missing: 1
//   TREE   u32 dimension | ints the tree of each action | floats sampled actions, floats units
//   (both
//          empty for finite actions) | u32 trees | of each: ints coordinates, floats bounds, ints
//          below, ints above of its splits (model/observation_tree.h)
//   FSC_   u32 observations | i32 start | ints action | ints edges, row-major [node][observation]
//   ACTS   u32 numbers in an action | floats the actions of a box that nodes take, row-major: MODL
//          counts these rows and has no names of them, and the action of a node is one's number
//   NETS   ints the network of each node (-1: none), numbered as they lie in the bank | text the
//          bytes of the bank: nn::ValueBank::save, a sealed buffer of nn/bytes.h of kind 5 with
//            u32 form | ints categories, i32 bits, i32 dense of the input | ints hidden units
//            | i32 outputs = 1
//            form 1, heads: floats of the shared network, its output unused | i32 features
//            | u64 heads | of each: floats, the last for the constant
//            form 2, networks: u64 networks | of each: floats
//          Floats of a network: of each layer weights [in][out], then biases (nn/mlp.h)
//   ALPH   u32 states | u32 parts | ints states of each | u32 vectors | of each: i32 action,
//          i32 part, doubles values (policy/alpha_vectors.h)
//   RNN_   i32 actions | i32 observations (0: continuous) | floats middle and half width of
//          actions, the same of observations | u32 greedy | ints categories, i32 bits, i32 dense of
//          the input | i32 hidden | i32 outputs | floats parameters (policy/recurrent.h,
//          nn/recurrent_net.h)
//   LIKE   i32 start | u32 bytes of a state | u32 nodes | of each: i32 action, ints successors,
//          text of the states' bytes, floats values (policy/likelihood_controller.h); MODL then
//          has 0 observations, and states are as this program's domain lays them out. ACTS after it
//          has the real action of every node
//
// text: u64 length, bytes. ints, floats, doubles: u64 count, values. Files of version 1 will load
// for ever, also those with RNN_ beside others, as they could once be written: RNN_ then plays.
#pragma once

#include <string>
#include <vector>

#include "penumbra/model/observation_tree.h"
#include "penumbra/model/pomdp.h"
#include "penumbra/policy/alpha_vectors.h"
#include "penumbra/policy/fnc.h"
#include "penumbra/policy/form.h"
#include "penumbra/policy/likelihood_controller.h"
#include "penumbra/policy/recurrent.h"

namespace penumbra {

struct PolicyFile {
  std::string domain;               // the string that loads the model
  std::vector<double> fingerprint;  // of the model (model/fingerprint.h)
  std::vector<std::string> action_names, observation_names;
  int num_actions = 0, num_observations = 0;
  // Of clustered observations (model/cluster_observations.h): the centres, row-major.
  int seen_dimension = 0;                         // 0: there are none
  std::vector<float> seen_centres, seen_units{};  // units of a distance along each; none: 1
  // Of observations that are leaves of trees (model/tree_observations.h).
  int tree_dimension = 0;  // 0: there are none
  ActionTrees seen_trees;
  PolicyData policy;

  // The policy itself, or the controller beside its vectors. No nodes: there is none.
  const Fsc& controller() const;
  const AlphaVectors& vectors() const;  // none where the policy has another form
};

// The actions and observations of the model it was made for.
Facts facts_of(const PolicyFile& policy);
// A policy for this model, ready to be written or played. Networks that no node has are left out.
PolicyFile describe_policy(const Pomdp& model, PolicyData policy);
PolicyFile describe_policy(const Pomdp& model, Fsc controller);
// The actions are those of a controller with real ones; nothing happens where it has none.
void name_actions(const Fsc& controller, PolicyFile& policy);
// See policy/playable.h.
std::unique_ptr<Policy> playable(const PolicyFile& policy, const Pomdp& model);

// To a temporary file beside it, which then takes its place: a failure leaves the old file alone.
// Throws Error where it cannot write.
void write_policy_file(const std::string& path, const PolicyFile& policy);
// Throws Error naming the file, the section and the byte for anything that is not as above.
PolicyFile read_policy_file(const std::string& path);
// The same from and to memory; `path` is only for messages.
std::vector<std::byte> encode_policy(const PolicyFile& policy);
PolicyFile decode_policy(std::span<const std::byte> bytes, const std::string& path);
// Throws Error if the policy was made for another problem.
void check_policy_fits(const PolicyFile& policy, const Pomdp& model, const std::string& path);

}  // namespace penumbra
