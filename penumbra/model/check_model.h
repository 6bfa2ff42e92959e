// The conformance kit: whether a model keeps the promises of pomdp.h. A new domain gets all of it
// with one line of a test:
//
//   EXPECT_THAT(check_model(*load_domain("my-domain")), testing::IsEmpty());
//
// Everything is judged from samples of random walks, with fixed seeds: the same model always gets
// the same answer. Statistical checks allow six standard errors.
#pragma once

#include <string>
#include <vector>

#include "penumbra/model/pomdp.h"

namespace penumbra {

struct CheckOptions {
  uint64_t seed = 1;
  int num_walks = 128;         // random walks from b0
  int max_depth = 30;          // steps of a walk
  int num_probes = 8;          // (state, action) pairs whose distributions are looked at closely
  int num_sims = 10'000;       // simulations of each of those
  int num_bellman = 400;       // (state, action) pairs at which the MDP value is tested
  int num_bellman_sims = 100;  // simulations of each of those
};

// What is wrong, one sentence each; empty when nothing was found; what the model throws is among
// it. It checks that
// - episodes end, or the discount makes an end of them within a million steps;
// - rewards, actions and observations stay within what facts() declares;
// - terminal states absorb: the same bytes, reward 0, the all-zero observation;
// - features are finite, categories in range, unused bits zero;
// - likelihood is a probability (or density), agrees with cumulative and with what step emits;
// - the MDP value is finite and an upper bound: V(s) >= E[r + discount V(s')];
// - the explicit table agrees with simulation, the start distribution included;
// - lanes are independent: any split of a batch, ids instead of consecutive lanes, `next` in the
//   memory of `state`, and a second run all give the same bytes, padding included.
std::vector<std::string> check_model(const Pomdp& model, const CheckOptions& options = {});

}  // namespace penumbra
