// A recurrent network as JSON, for other languages. One object:
//
//   format "penumbra-recurrent" | version 1 | domain
//   actions, observations   their names
//   discretiser             null, or {dimension, centres}, as of a controller (io/export_json.h)
//   greedy                  whether the likeliest action is played, or one is drawn
//   hidden                  H, units of every layer and floats of the memory
//   inputs                  {categories: sizes of one-hot blocks}: the last action, what was seen
//                           after it, and their pair where there are three; the last of a block
//                           stands for "nothing yet", pair (a, o) for a * (observations + 1) + o
//   layers                  first, input, state, after, head: {weights: [input][output], biases}
//
// With W x + b of a layer written layer(x), and gates of H each in the order reset, keep, fresh:
//   g = input(relu(first(x)))   s = state(memory)
//   r = sigmoid(g_r + s_r)   z = sigmoid(g_z + s_z)   n = tanh(g_n + r s_n)
//   memory <- (1 - z) n + z memory      logits of the actions = head(relu(after(memory)))
// The memory starts as zeros.
#pragma once

#include <string>

#include "penumbra/io/policy_file.h"

namespace penumbra {

// The policy must have a network over finite actions and observations.
std::string recurrent_json(const PolicyFile& policy);

}  // namespace penumbra
