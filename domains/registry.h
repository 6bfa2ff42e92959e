// Every problem that ships, by name. `load_domain("rock-sample(n=20,k=20)")` makes one.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "penumbra/base/spec.h"
#include "penumbra/model/macro_action.h"
#include "penumbra/model/pomdp.h"

namespace penumbra {

struct Domain {
  const char* name;
  const char* summary;
  // Reads its parameters and makes the model.
  std::unique_ptr<Pomdp> (*make)(Params& params);
  int default_clusters = 0;  // of continuous observations, for solvers that need a finite set
  // Longer strides that make sense here, besides the actions themselves.
  std::vector<MacroAction> (*macro_actions)(const Facts& facts) = nullptr;
  // The parameter that makes continuous actions finite, for messages.
  const char* finite_actions = nullptr;
  bool trees = false;  // observations are grouped by trees rather than boxes (`cluster_by`)
};

std::span<const Domain> domains();
// Throws Error naming the domains there are.
const Domain& find_domain(const std::string& name);

// Any domain, by its one string. Besides its own parameters every domain takes
//   clusters=K,cluster_seed=S   observations grouped by k-means into K (continuous ones only)
//   cluster_by=tree             vectors grouped by trees of at most K leaves (grow_trees.h)
//   grid=[g1,g2,...]            states snapped to a grid of these steps (continuous ones only)
std::unique_ptr<Pomdp> load_domain(const std::string& spec);
// The same, with finite observations whatever the domain: the default clusters are added, and a
// tree where the domain asks for one.
std::unique_ptr<Pomdp> load_finite_domain(const std::string& spec);

// The same of a domain that is not in the table, such as one that was loaded from a file.
std::unique_ptr<Pomdp> load_from(const Domain& domain, Spec spec, bool finite);

// Throws Error for a name or a parameter that is not there, without the work of clustering.
void check_domain(const std::string& spec);

// The parameters that a domain declares, for listings.
std::vector<Params::Declaration> domain_parameters(const Domain& domain);

}  // namespace penumbra
