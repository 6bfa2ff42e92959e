// Progressive widening: how many actions a belief has, and which one is next; how many beliefs an
// action leads to. A list of n may grow while n <= k N^alpha.
//
// Continuous actions are drawn from the whole box with probability omega, and otherwise from the
// part of it that is nearer to the best action so far than to any other (Voronoi progressive
// widening, Lim, Tomlin and Sunberg 2021).
#pragma once

#include "penumbra/base/rng.h"
#include "penumbra/base/spec.h"
#include "penumbra/model/pomdp.h"
#include "penumbra/search/any_action.h"
#include "penumbra/search/upper_confidence.h"

namespace penumbra::search {

struct WideningOptions {
  double k_actions = 0;  // 0: all of a finite set at once; 10 for a box
  double alpha_actions = 0.25;
  double omega = 0.7;  // of the whole box
  double k_seen = 5;
  double alpha_seen = 1.0 / 15;
};
WideningOptions read_widening_options(Params& params, WideningOptions defaults = {});

class Widening {
 public:
  Widening(const Pomdp& model, WideningOptions options);

  // Gives the belief the action that it is due, if any.
  template <class Tree>
  void widen(Tree& tree, int b, Rng rng) {
    const int have = tree.belief(b).num_edges;
    if (all_at_once_) {
      for (int k = have; k < num_actions_; ++k) add(tree, b, finite_action(b, k));
    } else if (may_grow(have, tree.belief(b).visits, options_.k_actions, options_.alpha_actions)) {
      if (num_actions_ == 0)
        add(tree, b, drawn_action(tree, b, rng));
      else if (have < num_actions_)
        add(tree, b, finite_action(b, have));
    }
  }
  bool may_see_more(int have, int visits) const {
    return may_grow(have, visits, options_.k_seen, options_.alpha_seen);
  }

 private:
  static bool may_grow(int have, int visits, double k, double alpha) {
    return have == 0 || have <= k * std::pow(double(visits), alpha);
  }
  template <class Tree>
  void add(Tree& tree, int b, const std::byte* action) {
    const int e = tree.add_edge(b, action);
    tree.edge(e).value = tree.belief(b).value;
  }
  // Number k in an order that differs from belief to belief and jumps about.
  const std::byte* finite_action(int b, int k);
  template <class Tree>
  const std::byte* drawn_action(const Tree& tree, int b, Rng rng) {
    const Facts& facts = model_.facts();
    const int best = best_edge(tree, b);
    random_action(facts, rng, action_.data());
    if (best < 0 || rng.bernoulli(options_.omega)) return action_.data();
    for (int tries = 0; tries < kTries; ++tries) {
      bool nearest = true;
      const double to_best = distance(tree.action(best));
      for (int e = tree.belief(b).first_edge; e >= 0 && nearest; e = tree.edge(e).sibling)
        nearest = e == best || distance(tree.action(e)) >= to_best;
      if (nearest) break;
      if (2 * tries < kTries)
        random_action(facts, rng, action_.data());
      else  // a small part: closer and closer
        draw_near(tree.action(best), std::exp2(kTries / 2 - tries - 2), rng);
    }
    return action_.data();
  }
  // Squared, from the drawn action, in widths of the box.
  double distance(const std::byte* action) const;
  void draw_near(const std::byte* centre, double deviation, Rng& rng);

  static constexpr int kTries = 32;
  const Pomdp& model_;
  WideningOptions options_;
  int num_actions_, stride_ = 1;
  bool all_at_once_;
  std::vector<std::byte> action_;
};

}  // namespace penumbra::search
