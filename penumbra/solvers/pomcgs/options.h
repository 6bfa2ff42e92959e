// Every knob of the graph search. docs/solvers/pomcgs.md says what they do.
#pragma once

#include <string>

#include "penumbra/base/options.h"
#include "penumbra/bounds/mdp_value.h"
#include "penumbra/model/abstraction.h"

namespace penumbra::pomcgs {

constexpr int kAllParticles = 4096;  // so many states of b0 are all taken
constexpr int kSomeParticles = 500;  // of more, these

struct PomcgsOptions {
  int particles = 0;                // nb_particles: different states drawn from b0; 0: all if few
  int sims = 100;                   // num_sim_per_sa: per state and action, where chance decides
  std::string start = "particles";  // of b0; or "cells": states are cells of a grid
  AbstractionOptions cells;         // of the grid
  double merge = 0.15;              // max_b_gap: beliefs this close in L1 are one node; < 0: never
  bool tight = false;               // QMDP of new beliefs by action, not the mean of V_mdp
  bool borrow = true;               // a belief may follow a plan that was made for another one
  double precision = 5e-4;          // share of the range of rewards that a new plan must gain
  int candidates = 30;              // nodes near in QMDP value that a new belief is compared with
  double ucb = 1.0;                 // c: factor of the node-adaptive exploration
  double explore = 0.05;            // chance of a step to begin a burst of exploration
  int burst = 30;                   // longest burst, steps
  double guess = 0.5;               // share of bursts that take a state for true; others go by UCB
  int probes = 2;                   // untried actions per node on a trial's way
  std::string observe = "auto";     // next belief: by chance (on a grid), or by chance times gap
  int depth = 0;                    // max_search_depth; 0: until the rest is worth little
  int widen_above = 30;             // more actions than this are taken in step by step
  int widen_first = 20;             // of these at the beginning
  double widen_scale = 2.0;         // k_a: and this many
  double widen_power = 0.2;         // alpha_a: times visits to this power
  double widen_box = 0.5;           // or to this one, where actions are a box
  int action_stock = 24;            // of a box of actions: how many to begin with, without hints
  int trials = 2;                   // of a round
  int evaluations = 10'000;         // episodes of each simulated value
  MdpValueOptions mdp;

  void list(OptionList& l) {
    l.add("particles", particles, 0, 10'000'000,
          "different states drawn from b0; 0: all up to 4096, or else 500");
    l.add("sims", sims, 1, 1'000'000, "steps per state and action where chance decides");
    l.add("start", start, {"particles", "cells"},
          "states are particles of b0, or cells of a grid of their coordinates");
    l.add("cells", cells.cells, 0, 1'000'000, "of the grid, at most; 0: by the coordinates");
    l.add("cell-samples", cells.samples, 1, 100'000, "simulated steps per cell and action");
    l.add("merge", merge, -1, 2, "beliefs this close in L1 distance are one node; -1: never");
    l.add("tight", tight, "QMDP of a new belief takes one action for all its states");
    l.add("borrow", borrow, "beliefs may follow plans that were made for others");
    l.add("precision", precision, 0, 1, "share of the range of rewards that a plan must gain");
    l.add("candidates", candidates, 1, 1'000'000, "nodes a new belief is compared with");
    l.add("ucb", ucb, 0, 1000, "factor of the exploration");
    l.add("explore", explore, 0, 1, "chance of a step to begin a burst of exploration");
    l.add("burst", burst, 1, 100'000, "longest burst of exploration, steps");
    l.add("guess", guess, 0, 1, "share of bursts that take a state of the belief for true");
    l.add("probes", probes, 0, 1000, "untried actions per node on the way of a trial");
    l.add("observe", observe, {"auto", "sample", "gap"}, "how a trial chooses observations");
    l.add("depth", depth, 0, 100'000, "longest trial; 0: until the rest is worth little");
    l.add("widen-above", widen_above, 0, 1'000'000, "more actions are taken in step by step");
    l.add("widen-first", widen_first, 1, 1'000'000, "actions of a new node");
    l.add("widen-scale", widen_scale, 0, 1e6, "more of them: this");
    l.add("widen-power", widen_power, 0, 1, "times its visits to this power,");
    l.add("widen-box", widen_box, 0, 1, "or to this one, where actions are continuous");
    l.add("action-stock", action_stock, 2, 10'000,
          "continuous actions: how many there are to begin with where the domain has no hints");
    l.add("trials", trials, 1, 100'000, "of a round");
    l.add("evaluations", evaluations, 1, 100'000'000, "episodes of each simulated value");
    l.add("mdp", mdp.source, {"auto", "domain", "table", "fitted"},
          "where the MDP value comes from");
  }
};

}  // namespace penumbra::pomcgs
