#include "penumbra/solvers/nvi/paper_options.h"

#include "penumbra/nn/shape.h"

namespace penumbra::nvi {

void PaperOptions::list(OptionList& list) {
  std::vector<std::string> shapes{"auto"};
  for (const nn::Preset& p : nn::presets()) shapes.emplace_back(p.name);
  list_loop(list);
  list.add("samples", num_samples, 1, 10'000'000, "nb_sample: training states");
  list.add("sims", num_sims, 1, 100'000, "nb_sim: simulations per training state");
  list.add("sample-depth", sample_depth, 0, 1'000'000, "longest episode of training states");
  list.add("local-samples", local_samples, 0, 10'000'000,
           "train on so many of the belief's own particles as well");
  list.add("targets", targets, {"bootstrap", "rollout"}, "what networks are trained towards");
  list.add("form", form, {"networks", "heads"}, "a network per node, or heads on shared features");
  list.add("network", network, shapes, "hidden layers; auto: the paper's for such states");
  list.add("features", features, 2, 100'000, "random features of heads");
  list.add("training", training, {"paper", "default"}, "when training stops");
  list.add("learning-rate", learning_rate, 1e-8, 1, "of Adam");
  list.add("batch", batch, 1, 10'000'000, "rows per training step");
  list.add("target-mse", target_mse, 0, 1e9, "training stops below this error");
  list.add("max-epochs", max_epochs, 1, 10'000'000, "or after these epochs");
  list.add("start", start, {"network", "simulation"}, "how the start node is chosen");
}

std::string PaperOptions::network_for(const FeatureLayout& layout) const {
  if (network != "auto") return network;
  return layout.num_dense > 0 ? "paper-continuous" : "paper-rock-sample";
}

}  // namespace penumbra::nvi
