// Trees of observations that keep what these say about the state. A tree grows best first: the next
// split is the one that raises the information between state and leaf, I(S; leaf), most, on average
// over beliefs that walks lead to, each with states of its own; every other walk goes where its
// first state should (`mdp_value`), since what is seen near rewards counts. What all states of a
// belief make equally likely is not split. Coordinates are independent given the next state (the
// model offers `cumulative`), so that the chance of a leaf is a product of differences and a gain
// takes no simulation. A coordinate of whole numbers is split between them like any other.
//
// Actions whose distributions agree share a tree: a ping has one, silence has another.
#pragma once

#include "penumbra/model/observation_tree.h"
#include "penumbra/model/pomdp.h"

namespace penumbra {

struct TreeOptions {
  int num_leaves = 256;  // of each tree, at most
  uint64_t seed = 1;
  int beliefs = 64;          // that information is the mean of
  int longest_walk = 12;     // steps to a belief, at most
  int particles = 1024;      // that are weighed on the way there, with a likelihood
  int states = 16;           // of a belief, that information is computed on
  int observations = 128;    // of a belief, whose quantiles are tried as bounds
  int quantiles = 8;         // per leaf and coordinate
  double least_gain = 1e-6;  // nats that a split must bring
};

// Throws Error where the model has no `cumulative` or finite observations.
ActionTrees grow_trees(const Pomdp& model, const TreeOptions& options);

}  // namespace penumbra
