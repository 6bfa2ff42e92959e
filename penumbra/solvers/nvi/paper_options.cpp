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
  list.add("warm-start", warm_start, "train a network from the nearest one that is there");
  list.add("targets", targets, {"bootstrap", "rollout"}, "what networks are trained towards");
  list.add("form", form, {"networks", "heads"}, "a network per node, or heads on shared features");
  list.add("network", network, shapes, "hidden layers; auto: the paper's for such states");
  list.add("features", features, 2, 100'000, "random features of heads");
  list.add("training", training, {"preset", "paper", "default", "annealed"},
           "how networks are trained");
  list.add("learning-rate", learning_rate, 1e-8, 1, "of Adam");
  list.add("batch", batch, 0, 10'000'000, "rows per training step; 0: of the training");
  list.add("target-mse", target_mse, 0, 1e9, "training stops below this error");
  list.add("max-epochs", max_epochs, 0, 10'000'000, "or after these; 0: of the training");
  list.add("start", start, {"network", "simulation"}, "how the start node is chosen");
}

PaperOptions PaperOptions::of(const std::string& preset) const {
  const bool mended = preset == "paper-mended";
  PaperOptions o = *this;
  const auto choose = [&](std::string& field, const char* printed, const char* other) {
    if (field == "preset") field = mended ? other : printed;
  };
  choose(o.bounds, "qmdp", "look-ahead");
  choose(o.walk, "bounds", "policy");
  choose(o.order, "forward", "reverse");
  choose(o.training, "paper", "annealed");
  return o;
}

std::string PaperOptions::network_for(const FeatureLayout& layout) const {
  if (network != "auto") return network;
  return layout.num_dense > 0 ? "paper-continuous" : "paper-rock-sample";
}

}  // namespace penumbra::nvi
