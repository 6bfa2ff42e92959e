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

// The same behaviour with the fewest nodes: equal nodes are merged until none are left.
Fsc minimised(const Fsc& fsc);

}  // namespace penumbra
