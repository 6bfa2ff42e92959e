// How much each input matters for values: a small number for one that says nothing. Learned from
// what random controllers return from sampled states and how likely they make observations there.
#pragma once

#include <span>
#include <vector>

#include "penumbra/base/stop.h"
#include "penumbra/base/thread_pool.h"
#include "penumbra/solvers/anchors/inputs.h"

namespace penumbra::anchors {

// What values are made of, at sampled states: [target][state], each with mean 0 and deviation 1.
using Targets = std::vector<std::vector<float>>;

// Returns of random controllers, and with `likelihoods` those of some observations.
Targets relevance_targets(const Pomdp& model, ConstRecords states, bool likelihoods, RngKey key,
                          ThreadPool& pool, const Stop& stop);

// Per input the square root of the share of variance that extremely randomised trees gain by
// splitting on it; the largest is 1. `x`: row-major inputs of the states.
std::vector<float> relevance(std::span<const float> x, int width, const Targets& targets,
                             RngKey key, ThreadPool& pool, const Stop& stop);

}  // namespace penumbra::anchors
