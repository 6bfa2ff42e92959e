#include "penumbra/io/export_c_recurrent.h"

#include "penumbra/base/error.h"
#include "penumbra/io/c_text.h"

namespace penumbra {
namespace {

void opening(CText& c, const PolicyFile& policy, const RecurrentActor& actor) {
  c.add(
      "/* A policy for {2}: a recurrent network.\n"
      "\n"
      "     {0}_state state;\n"
      "     {0}_start(&state);\n"
      "     for (;;) {{\n"
      "       int action = {0}_act(&state, {3});\n"
      "       ... act, and see what comes of it ...\n"
      "       {0}_observe(&state, action, {4});\n"
      "     }}\n"
      "\n"
      "   C99 and C++; no allocation; link the mathematical library. Written by penumbra export. "
      "*/\n",
      c_comment(policy.domain), actor.greedy ? "0" : "random_number_from_0_to_1()",
      c.number_of_seen(policy));
  c.add(
      "#ifndef {1}_NETWORK_H\n#define {1}_NETWORK_H\n\n#include <math.h>\n#include "
      "<stdint.h>\n\n");
  c.add(
      "enum {{\n  {1}_NUM_ACTIONS = {2},\n  {1}_NUM_OBSERVATIONS = {3},\n"
      "  {1}_NUM_INPUTS = {4},\n  {1}_NUM_UNITS = {5}{6}\n}};\n\n",
      policy.num_actions, policy.num_observations, actor.net.shape().input.width(),
      actor.net.shape().hidden, c.seen_dimension(policy));
  c.add(
      "typedef struct {{\n"
      "  int32_t action, observation; /* the last ones; as many as there are: none yet */\n"
      "  float memory[{1}_NUM_UNITS];\n"
      "}} {0}_state;\n\n");
}

void tables(CText& c, const RecurrentActor& actor) {
  c.add("/* Weights [input][output], then biases. Gates: reset, keep, fresh. */\n");
  const char* names[] = {"first", "input", "gates", "after", "head"};
  const auto layers = actor.net.layout().layers();
  const std::span<const float> packed = actor.net.packed();
  for (size_t i = 0; i < layers.size(); ++i) {
    std::vector<float> values;
    for (int k = 0; k < layers[i]->in; ++k)
      for (int n = 0; n < layers[i]->out; ++n) values.push_back(packed[layers[i]->weight(k, n)]);
    for (int n = 0; n < layers[i]->out; ++n) values.push_back(packed[layers[i]->bias + n]);
    c.table(names[i], values);
  }
}

void step(CText& c, bool pairs) {
  c.add(
      "\nstatic inline void {0}_layer(const float* weights, const float* x, int in, int out,\n"
      "    float* y) {{\n"
      "  const float* bias = weights + in * out;\n"
      "  int i, n;\n"
      "  for (n = 0; n < out; ++n) y[n] = bias[n];\n"
      "  for (i = 0; i < in; ++i, weights += out)\n"
      "    for (n = 0; n < out; ++n) y[n] += x[i] * weights[n];\n"
      "}}\n"
      "static inline void {0}_relu(float* x) {{\n"
      "  int n;\n"
      "  for (n = 0; n < {1}_NUM_UNITS; ++n)\n"
      "    if (x[n] < 0) x[n] = 0;\n"
      "}}\n"
      "static inline float {0}_sigmoid(float x) {{\n"
      "  return 1.0f / (1.0f + expf(x < -80 ? 80.0f : -x));\n"
      "}}\n");
  c.add(
      "\n/* One step of the network: takes in what happened last, changes the memory, and gives\n"
      "   {1}_NUM_ACTIONS logits. */\n"
      "static inline void {0}_step({0}_state* state, float* logits) {{\n"
      "  float x[{1}_NUM_UNITS], g[3 * {1}_NUM_UNITS], s[3 * {1}_NUM_UNITS];\n"
      "  const float* bias = {0}_first + {1}_NUM_INPUTS * {1}_NUM_UNITS;\n"
      "  const float* action = {0}_first + state->action * {1}_NUM_UNITS;\n"
      "  const float* seen = {0}_first +\n"
      "      ({1}_NUM_ACTIONS + 1 + state->observation) * {1}_NUM_UNITS;\n"
      "  int n;\n"
      "  for (n = 0; n < {1}_NUM_UNITS; ++n) x[n] = bias[n] + action[n] + seen[n];\n");
  if (pairs)
    c.add(
        "  seen = {0}_first + ({1}_NUM_ACTIONS + {1}_NUM_OBSERVATIONS + 2 +\n"
        "      state->action * ({1}_NUM_OBSERVATIONS + 1) + state->observation) * "
        "{1}_NUM_UNITS;\n"
        "  for (n = 0; n < {1}_NUM_UNITS; ++n) x[n] += seen[n];\n");
  c.add(
      "  {0}_relu(x);\n"
      "  {0}_layer({0}_input, x, {1}_NUM_UNITS, 3 * {1}_NUM_UNITS, g);\n"
      "  {0}_layer({0}_gates, state->memory, {1}_NUM_UNITS, 3 * {1}_NUM_UNITS, s);\n"
      "  for (n = 0; n < {1}_NUM_UNITS; ++n) {{\n"
      "    const float reset = {0}_sigmoid(g[n] + s[n]);\n"
      "    const float keep = {0}_sigmoid(g[{1}_NUM_UNITS + n] + s[{1}_NUM_UNITS + n]);\n"
      "    const float to = g[2 * {1}_NUM_UNITS + n] + reset * s[2 * {1}_NUM_UNITS + n];\n"
      "    const float fresh = 2 * {0}_sigmoid(2 * to) - 1; /* tanh */\n"
      "    state->memory[n] = keep * (state->memory[n] - fresh) + fresh;\n"
      "  }}\n"
      "  {0}_layer({0}_after, state->memory, {1}_NUM_UNITS, {1}_NUM_UNITS, x);\n"
      "  {0}_relu(x);\n"
      "  {0}_layer({0}_head, x, {1}_NUM_UNITS, {1}_NUM_ACTIONS, logits);\n"
      "}}\n");
}

void functions(CText& c, bool greedy) {
  c.add(
      "\n/* The likeliest action. */\n"
      "static inline int {0}_best(const float* logits) {{\n"
      "  int best = 0, a;\n"
      "  for (a = 1; a < {1}_NUM_ACTIONS; ++a)\n"
      "    if (logits[a] > logits[best]) best = a;\n"
      "  return best;\n"
      "}}\n");
  c.add(
      "\n/* An action by its chance; `u` is drawn evenly from 0 to 1. */\n"
      "static inline int {0}_draw(const float* logits, double u) {{\n"
      "  const double most = (double)logits[{0}_best(logits)];\n"
      "  double total = 0;\n"
      "  int a;\n"
      "  for (a = 0; a < {1}_NUM_ACTIONS; ++a) total += exp((double)logits[a] - most);\n"
      "  for (a = 0; a + 1 < {1}_NUM_ACTIONS; ++a) {{\n"
      "    u -= exp((double)logits[a] - most) / total;\n"
      "    if (u < 0) break;\n"
      "  }}\n"
      "  return a;\n"
      "}}\n");
  c.add(
      "\nstatic inline void {0}_start({0}_state* state) {{\n"
      "  int n;\n"
      "  state->action = {1}_NUM_ACTIONS;\n"
      "  state->observation = {1}_NUM_OBSERVATIONS;\n"
      "  for (n = 0; n < {1}_NUM_UNITS; ++n) state->memory[n] = 0;\n"
      "}}\n");
  c.add(
      "\n/* Once for every action: the network takes a step.{2} */\n"
      "static inline int {0}_act({0}_state* state, double u) {{\n"
      "  float logits[{1}_NUM_ACTIONS];\n"
      "  {0}_step(state, logits);\n"
      "{3}}}\n",
      greedy ? " The likeliest action is played, whatever `u` is." : "",
      greedy ? "  (void)u;\n  return " + c.prefix() + "_best(logits);\n"
             : "  return " + c.prefix() + "_draw(logits, u);\n");
  c.add(
      "\n/* What was done and seen then; numbers that do not exist are as if nothing had been. */\n"
      "static inline void {0}_observe({0}_state* state, int action, int observation) {{\n"
      "  const int known = action >= 0 && action < {1}_NUM_ACTIONS && observation >= 0 &&\n"
      "      observation < {1}_NUM_OBSERVATIONS;\n"
      "  state->action = known ? action : {1}_NUM_ACTIONS;\n"
      "  state->observation = known ? observation : {1}_NUM_OBSERVATIONS;\n"
      "}}\n");
}

}  // namespace

std::string recurrent_c_header(const PolicyFile& policy, const std::string& prefix) {
  const auto* actor = policy_as<RecurrentActor>(policy.policy);
  PENUMBRA_CHECK(actor && actor->head.choices > 0 && actor->net.shape().input.num_dense == 0,
                 "this C header is made of a network over finite actions and observations");
  CText c(prefix);
  opening(c, policy, *actor);
  tables(c, *actor);
  step(c, actor->net.shape().input.categories.size() == 3);
  functions(c, actor->greedy);
  c.discretiser(policy);
  c.names(policy);
  c.add("\n#endif\n");
  return c.take();
}

}  // namespace penumbra
