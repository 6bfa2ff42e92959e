// The finite network controller G = <N, n0, psi, eta>: a finite-state controller in which a node
// also keeps its alpha-vector as a network. Nodes may share a network (a copy of a node with one
// edge changed has nearly the same values).
#pragma once

#include <memory>
#include <vector>

#include "penumbra/policy/fsc.h"

namespace penumbra::nn {
class ValueBank;  // nn/value_bank.h
}

namespace penumbra {

struct Fnc {
  Fsc fsc;
  std::vector<int> alpha{};                   // per node: its function in `networks`, -1: none
  std::shared_ptr<nn::ValueBank> networks{};  // alpha_NN
};

// The controller's nodes that its start can reach, renumbered in order of first visit, start
// first. `kept`, if given, receives the old number of each.
Fsc reachable(const Fsc& fsc, std::vector<int>* kept = nullptr);

// The same behaviour with the fewest nodes: equal nodes are merged until none are left. `number`,
// if given, receives the new number of every old node, -1 where the start cannot reach it.
Fsc minimised(const Fsc& fsc, std::vector<int>* number = nullptr);
// The same, and of the nodes that become one the first that has a network gives it.
Fnc minimised(const Fnc& fnc);

// With the networks that its nodes refer to and no others, in the same order.
Fnc without_spare_networks(const Fnc& fnc);

// Throws Error if a node refers to a network that is not there.
void check_networks(const Fnc& fnc);

}  // namespace penumbra
