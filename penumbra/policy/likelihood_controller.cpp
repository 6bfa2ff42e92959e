#include "penumbra/policy/likelihood_controller.h"

#include <fmt/format.h>

#include <cmath>

#include "penumbra/base/error.h"

namespace penumbra {

bool has_real_actions(const LikelihoodController& controller) {
  return !controller.nodes.empty() && !controller.nodes[0]->real_action.empty();
}

int next_node(const Pomdp& model, const LikelihoodNode& node, const std::byte* seen,
              std::vector<double>& scratch) {
  const size_t n = node.num_samples();
  if (node.successor.size() == 1 || n == 0) return node.successor[0];
  scratch.resize(n);
  model.likelihood(seen, node.action_record(), node.samples, scratch);
  double total = 0;
  for (double w : scratch) total += w;
  if (!(total > 0)) return node.successor[0];
  double best = -HUGE_VAL;
  int choice = node.successor[0];
  for (size_t k = 0; k < node.successor.size(); ++k) {
    const float* value = node.value.data() + k * n;
    double sum = 0;
    for (size_t j = 0; j < n; ++j) sum += scratch[j] * value[j];
    if (sum <= best) continue;
    best = sum;
    choice = node.successor[k];
  }
  return choice;
}

LikelihoodController reachable(const LikelihoodController& controller) {
  std::vector<int> number(controller.num_nodes(), -1), order{controller.start};
  number[controller.start] = 0;
  for (size_t i = 0; i < order.size(); ++i)
    for (int to : controller.nodes[order[i]]->successor) {
      if (number[to] >= 0) continue;
      number[to] = static_cast<int>(order.size());
      order.push_back(to);
    }
  LikelihoodController out;
  for (int old : order) {
    auto node = std::make_shared<LikelihoodNode>(*controller.nodes[old]);
    for (int& to : node->successor) to = number[to];
    out.nodes.push_back(std::move(node));
  }
  return out;
}

void check_likelihood_controller(const LikelihoodController& controller, const Pomdp& model) {
  const std::string& name = model.facts().name;
  require(model, Capability::kLikelihood, "a controller that compares likelihoods");
  const Facts& facts = model.facts();
  const int nodes = controller.num_nodes();
  if (controller.start < 0 || controller.start >= nodes)
    throw Error(
        fmt::format("{}: the controller has no node {} to start with", name, controller.start));
  for (int n = 0; n < nodes; ++n) {
    const LikelihoodNode& node = *controller.nodes[n];
    auto refuse = [&](const std::string& why) {
      throw Error(fmt::format("{}: node {} of the controller {}", name, n, why));
    };
    if (facts.num_actions > 0 && (node.action < 0 || node.action >= facts.num_actions))
      refuse(fmt::format("plays action {}; there are {}", node.action, facts.num_actions));
    if (node.real_action.size() != (facts.num_actions > 0 ? 0 : facts.action_low.size()))
      refuse("has an action of another width");
    for (size_t k = 0; k < node.real_action.size(); ++k)
      if (!(node.real_action[k] >= facts.action_low[k] &&
            node.real_action[k] <= facts.action_high[k]))
        refuse("has an action outside of the box");
    if (node.successor.empty()) refuse("leads nowhere");
    for (int to : node.successor)
      if (to < 0 || to >= nodes) refuse(fmt::format("leads to node {} of {}", to, nodes));
    if (node.num_samples() > 0 && node.samples.record_size() != model.state_size())
      refuse("holds states of another size");
    if (node.value.size() != node.successor.size() * node.num_samples())
      refuse("has not one value for every successor and sample");
    for (float value : node.value)
      if (!std::isfinite(value)) refuse("has a value that is not a number");
  }
}

LikelihoodPolicy::LikelihoodPolicy(const Pomdp& model, LikelihoodController controller)
    : model_(model), controller_(std::move(controller)) {
  check_likelihood_controller(controller_, model);
}

std::string LikelihoodPolicy::describe() const {
  return fmt::format("controller of {} nodes that compares likelihoods", controller_.num_nodes());
}

void LikelihoodPolicy::start(Streams, Records memory) const {
  for (size_t i = 0; i < memory.count; ++i) memory.as<int32_t>(i) = controller_.start;
}

void LikelihoodPolicy::act(Records memory, Streams, Records action) const {
  for (size_t i = 0; i < memory.count; ++i)
    copy_record(action.at(i), controller_.nodes[memory.as<int32_t>(i)]->action_record(),
                action.size);
}

void LikelihoodPolicy::observe(Records memory, ConstRecords, ConstRecords seen, Streams) const {
  std::vector<double> scratch;
  for (size_t i = 0; i < memory.count; ++i) {
    int32_t& node = memory.as<int32_t>(i);
    node = next_node(model_, *controller_.nodes[node], seen.at(i), scratch);
  }
}

}  // namespace penumbra
