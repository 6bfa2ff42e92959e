// Every knob of the graph search. docs/solvers/pomcgs.md gives the measured effect of each.
#pragma once

#include <string>

#include "penumbra/base/options.h"
#include "penumbra/bounds/mdp_value.h"

namespace penumbra::pomcgs {

struct PomcgsOptions {
  int particles = 500;          // nb_particles: different states drawn from b0
  int sims = 100;               // num_sim_per_sa: per state and action, where chance decides
  int grid = 0;                 // cells per coordinate; 0: states as they are
  int representatives = 4;      // states that a cell of the grid remembers
  double merge = 0.15;          // max_b_gap: beliefs this close in L1 are one node; < 0: never
  bool tight = false;           // QMDP of new beliefs by action, not the mean of V_mdp
  bool borrow = true;           // a belief may follow a plan that was made for another one
  double precision = 5e-4;      // share of the range of rewards that a new plan must gain
  int candidates = 30;          // nodes near in QMDP value that a new belief is compared with
  double ucb = 1.0;             // c: factor of the node-adaptive exploration
  double spread = 30;           // c of a trial lies between ucb / spread and ucb
  int burst = 20;               // new choices of a trial
  int probes = 2;               // untried actions per node on a trial's way
  int settle = 30;              // C_star: visits after which a node is greedy, at first; 0: never
  std::string observe = "gap";  // next belief of a trial: as likely as it is, or times its gap
  int depth = 0;                // max_search_depth; 0: until the rest is worth little
  int widen_above = 30;         // more actions than this are taken in step by step
  int widen_first = 20;         // of these at the beginning
  double widen_scale = 2.0;     // k_a: and this many
  double widen_power = 0.2;     // alpha_a: times visits to this power
  int trials = 32;              // of a round
  int evaluations = 10'000;     // episodes of each simulated value
  MdpValueOptions mdp;

  void list(OptionList& l) {
    l.add("particles", particles, 1, 10'000'000, "different states drawn from b0");
    l.add("sims", sims, 1, 1'000'000, "steps per state and action where chance decides");
    l.add("grid", grid, 0, 100'000, "cells per coordinate; 0: states as they are");
    l.add("representatives", representatives, 1, 1000, "states that a cell remembers");
    l.add("merge", merge, -1, 2, "beliefs this close in L1 distance are one node; -1: never");
    l.add("tight", tight, "QMDP of a new belief takes one action for all its states");
    l.add("borrow", borrow, "beliefs may follow plans that were made for others");
    l.add("precision", precision, 0, 1, "share of the range of rewards that a plan must gain");
    l.add("candidates", candidates, 1, 1'000'000, "nodes a new belief is compared with");
    l.add("ucb", ucb, 0, 1000, "factor of the exploration");
    l.add("spread", spread, 1, 1e6, "trials explore with ucb / spread to ucb");
    l.add("burst", burst, 1, 100'000, "new choices of a trial");
    l.add("probes", probes, 0, 1000, "untried actions per node on the way of a trial");
    l.add("settle", settle, 0, 1'000'000'000,
          "visits after which a node is greedy at first; 0: never");
    l.add("observe", observe, {"sample", "gap"}, "how a trial chooses observations");
    l.add("depth", depth, 0, 100'000, "longest trial; 0: until the rest is worth little");
    l.add("widen-above", widen_above, 0, 1'000'000, "more actions are taken in step by step");
    l.add("widen-first", widen_first, 1, 1'000'000, "actions of a new node");
    l.add("widen-scale", widen_scale, 0, 1e6, "more of them: this");
    l.add("widen-power", widen_power, 0, 1, "times its visits to this power");
    l.add("trials", trials, 1, 100'000, "of a round");
    l.add("evaluations", evaluations, 1, 100'000'000, "episodes of each simulated value");
    l.add("mdp", mdp.source, {"auto", "domain", "table", "fitted"},
          "where the MDP value comes from");
  }
};

}  // namespace penumbra::pomcgs
