#include "penumbra/io/discretiser_json.h"

#include <nlohmann/json.hpp>

namespace penumbra {

using Json = nlohmann::ordered_json;

Json discretiser_json(const PolicyFile& p) {
  if (p.tree_dimension > 0) {
    Json trees = Json::array();
    for (const ObservationTree& tree : p.seen_trees.trees) {
      Json splits = Json::array();
      for (const ObservationTree::Split& s : tree.splits())
        splits.push_back(Json::array({s.coordinate, s.bound, s.below, s.above}));
      trees.push_back(std::move(splits));
    }
    return {{"dimension", p.tree_dimension},
            {"tree_of_action", p.seen_trees.tree_of},
            {"trees", std::move(trees)}};
  }
  if (p.seen_dimension == 0) return nullptr;
  Json centres = Json::array();
  for (auto at = p.seen_centres.begin(); at != p.seen_centres.end(); at += p.seen_dimension)
    centres.push_back(std::vector<float>(at, at + p.seen_dimension));
  Json out{{"dimension", p.seen_dimension}, {"centres", std::move(centres)}};
  if (!p.seen_units.empty()) out["units"] = p.seen_units;
  return out;
}

}  // namespace penumbra
