// What a command line names, loaded: a domain and the policies to run on it.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "penumbra/model/pomdp.h"
#include "penumbra/policy/policy.h"

namespace penumbra::cli {

// A policy stays valid as long as the model does.
struct Job {
  std::unique_ptr<Pomdp> model;
  std::vector<std::unique_ptr<Policy>> policies;  // in the order asked for
};

// Throws Error for a domain, a policy or a file that is not there.
Job load_job(const std::string& domain, const std::vector<std::string>& policies);

}  // namespace penumbra::cli
