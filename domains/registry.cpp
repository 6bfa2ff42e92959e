#include "domains/registry.h"

#include <fmt/format.h>

#include <algorithm>

#include "domains/corridor.h"
#include "domains/inspection.h"
#include "domains/laser_tag.h"
#include "domains/lidar_roomba.h"
#include "domains/light_dark.h"
#include "domains/lunar_lander.h"
#include "domains/pocman.h"
#include "domains/rock_sample.h"
#include "domains/rover.h"
#include "domains/sub_hunt.h"
#include "domains/t_maze.h"
#include "domains/tiger.h"
#include "domains/vdp_tag.h"
#include "penumbra/base/error.h"
#include "penumbra/model/cluster_observations.h"
#include "penumbra/model/state_grid.h"
#include "penumbra/model/tree_observations.h"

namespace penumbra {
namespace {

constexpr Domain kDomains[] = {
    {"rock-sample", "sample the good rocks of a grid and leave; checks are noisy", make_rock_sample,
     0, rock_sample_macro_actions},
    {"light-dark", "find the origin of a line or a space; observations are sharp at the light",
     make_light_dark, 20},
    {"lidar-roomba", "find the goal wall of a room with one lidar ray, or only a bumper",
     make_lidar_roomba, 10, nullptr, "actions=9 or actions=33"},
    {"corridor", "find a door in the dark by feeling for the walls; a problem of long strides",
     make_corridor, 0, corridor_macro_actions},
    {"rover", "pick up the good stones of a row of rooms; the place in a room is hidden too",
     make_rover},
    {"laser-tag", "tag an opponent that runs away; eight poor lasers tell where both are",
     make_laser_tag, 64, nullptr, nullptr, true},
    {"sub-hunt", "hit a submarine on its way; a ping finds it and warns it", make_sub_hunt, 64,
     nullptr, nullptr, true},
    {"pocman", "eat the food of a maze with ghosts; ten bits are seen", make_pocman},
    {"inspection", "find and report the faults of a building before the battery is empty",
     make_inspection, 36},
    {"vdp-tag", "tag a target on the Van der Pol oscillator by eight noisy beams", make_vdp_tag, 0,
     nullptr, "actions=10, say"},
    {"lunar-lander", "land softly by height, turning rate and sideways speed", make_lunar_lander,
     60, nullptr, "actions=35"},
    {"t-maze", "remember a sign to the end of a corridor", make_t_maze},
    {"tiger", "listen, then open the door without the tiger", make_tiger},
};

constexpr int kDefaultLeaves = 64;

struct Discretisation {
  int clusters;
  uint64_t cluster_seed;
  double sharpest;
  std::string by;
  std::vector<double> grid;
};

Discretisation read_discretisation(Params& p) {
  return {p.integer("clusters", 0, 0, 100'000, "observations grouped by k-means; 0: as they are"),
          p.seed("cluster_seed", 1, "which k-means start"),
          p.real("cluster_sharpest", 1, 1e-3, 1, "share of the observations that is clustered"),
          p.word("cluster_by", {"auto", "boxes", "tree"},
                 "how vectors are grouped; auto: as named, but solvers take what suits the domain"),
          p.reals("grid", "states snapped to this grid, one step per coordinate")};
}

// The name of the same problem with what a solver should see.
Spec with_clusters(Spec spec, const Domain& domain, const Pomdp& model, const Discretisation& d) {
  const bool tree = d.by == "tree" || (d.by == "auto" && domain.trees);
  if (d.clusters == 0) {
    spec.take("clusters");
    // Every coordinate of a vector that is cut into boxes is to be told from something.
    const size_t coordinates = model.seen_size() / sizeof(float);
    const int boxes = tree ? 0 : 1 << std::min<size_t>(coordinates, 10);
    const int usual = domain.default_clusters > 0 ? domain.default_clusters : kDefaultLeaves;
    spec.values.emplace_back(
        "clusters", std::to_string(tree ? usual : std::max(domain.default_clusters, boxes)));
  }
  if (tree && d.by == "auto") {
    spec.take("cluster_by");
    spec.values.emplace_back("cluster_by", "tree");
  }
  return spec;
}

}  // namespace

std::unique_ptr<Pomdp> load_from(const Domain& domain, Spec spec, bool finite) {
  Params params(spec);
  // Declared first, so that they are part of the canonical name that the domain takes.
  const Discretisation d = read_discretisation(params);
  std::unique_ptr<Pomdp> model = domain.make(params);
  params.finish();
  if (finite && model->facts().num_observations == 0 && (d.clusters == 0 || d.by == "auto"))
    return load_from(domain, with_clusters(std::move(spec), domain, *model, d), false);
  if (!d.grid.empty()) model = std::make_unique<StateGrid>(std::move(model), d.grid);
  if (d.clusters == 0) return model;
  if (d.by == "tree") {
    TreeOptions options;
    options.num_leaves = d.clusters;
    options.seed = d.cluster_seed;
    return tree_observations(std::move(model), options);
  }
  ClusterOptions options;
  options.num_clusters = d.clusters;
  options.seed = d.cluster_seed;
  options.sharpest = d.sharpest;
  return cluster_observations(std::move(model), options);
}

std::span<const Domain> domains() {
  return kDomains;
}

const Domain& find_domain(const std::string& name) {
  std::vector<std::string> names;
  for (const Domain& d : kDomains) {
    if (name == d.name) return d;
    names.push_back(d.name);
  }
  throw Error(fmt::format("there is no domain '{}'{}; there are {}", name,
                          did_you_mean(name, names), fmt::join(names, ", ")));
}

std::unique_ptr<Pomdp> load_domain(const std::string& spec) {
  Spec parsed = Spec::parse(spec);
  const Domain& domain = find_domain(parsed.name);
  return load_from(domain, std::move(parsed), false);
}
std::unique_ptr<Pomdp> load_finite_domain(const std::string& spec) {
  Spec parsed = Spec::parse(spec);
  const Domain& domain = find_domain(parsed.name);
  return load_from(domain, std::move(parsed), true);
}

void check_domain(const std::string& spec) {
  Params params(Spec::parse(spec));
  const Domain& domain = find_domain(params.name());
  read_discretisation(params);
  domain.make(params);
  params.finish();
}

std::vector<Params::Declaration> domain_parameters(const Domain& domain) {
  Params params(Spec{domain.name, {}});
  read_discretisation(params);
  domain.make(params);
  return params.declarations();
}

}  // namespace penumbra
