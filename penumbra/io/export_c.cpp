#include "penumbra/io/export_c.h"

#include "penumbra/base/error.h"
#include "penumbra/io/c_text.h"
#include "penumbra/io/export_c_network.h"

namespace penumbra {
namespace {

void opening(CText& c, const PolicyFile& policy) {
  const int real = policy.controller().action_width;
  c.add(
      "/* A policy for {2}: a finite-state controller.\n"
      "   Its whole memory is one int:\n"
      "\n"
      "     int state = {0}_start();\n"
      "     for (;;) {{\n"
      "       {4} = {0}_act(state);\n"
      "       ... act, and see what comes of it ...\n"
      "       state = {0}_observe(state, {3});\n"
      "     }}\n"
      "\n"
      "   C99 and C++; no allocation, nothing to link. Written by penumbra export. */\n",
      c_comment(policy.domain), c.number_of_seen(policy),
      real > 0 ? "const float* action" : "int action");
  c.add("#ifndef {1}_CONTROLLER_H\n#define {1}_CONTROLLER_H\n\n#include <stdint.h>\n\n");
  c.add(
      "enum {{\n  {1}_NUM_STATES = {2},\n  {1}_NUM_ACTIONS = {3},\n"
      "  {1}_NUM_OBSERVATIONS = {4}{5}\n}};\n\n",
      policy.controller().num_nodes(), policy.num_actions, policy.num_observations,
      c.seen_dimension(policy) +
          (real > 0 ? fmt::format(",\n  {}_ACTION_DIMENSION = {}", c.capitals(), real) : ""));
}

void functions(CText& c, const Fsc& fsc) {
  c.add("\nstatic inline int {0}_start(void) {{ return {2}; }}\n", fsc.start);
  if (fsc.action_width > 0)
    c.add(
        "\n/* `state`: what {0}_start or {0}_observe gave. The action is {1}_ACTION_DIMENSION "
        "floats. */\n"
        "static inline const float* {0}_act(int state) {{\n"
        "  return {0}_action_values + (uint32_t){0}_actions[state] * {1}_ACTION_DIMENSION;\n"
        "}}\n");
  else
    c.add(
        "\n/* `state`: what {0}_start or {0}_observe gave. */\n"
        "static inline int {0}_act(int state) {{ return (int){0}_actions[state]; }}\n");
  c.add(
      "\n/* An observation that does not exist leaves the state as it is. */\n"
      "static inline int {0}_observe(int state, int observation) {{\n"
      "  if (observation < 0 || observation >= {1}_NUM_OBSERVATIONS) return state;\n"
      "  return (int){0}_next[(uint32_t)state * (uint32_t){1}_NUM_OBSERVATIONS +\n"
      "      (uint32_t)observation];\n"
      "}}\n");
}

void tables(CText& c, const PolicyFile& policy) {
  const Fsc& fsc = policy.controller();
  c.add("/* The action of each state; the next state, [state][observation]. */\n");
  c.table(c_smallest_type(policy.num_actions), "actions", fsc.action);
  c.table(c_smallest_type(fsc.num_nodes()), "next", fsc.edges);
  if (fsc.action_width == 0) return;
  c.add("\n/* Actions are rows of these, [action][{1}_ACTION_DIMENSION]. */\n");
  c.table("action_values", fsc.action_values);
}

}  // namespace

std::string c_header(const PolicyFile& policy, const std::string& prefix, bool networks) {
  PENUMBRA_CHECK(policy.controller().num_nodes() > 0, "a C header is made of a controller");
  CText c(prefix);
  opening(c, policy);
  tables(c, policy);
  functions(c, policy.controller());
  c.discretiser(policy);
  c.names(policy);
  if (networks) add_networks(c, *policy_as<Fnc>(policy.policy));
  c.add("\n#endif\n");
  return c.take();
}

}  // namespace penumbra
