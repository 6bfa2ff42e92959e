#include "cli/load.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "domains/registry.h"
#include "penumbra/base/error.h"
#include "penumbra/io/policy_file.h"
#include "penumbra/policy/named.h"
#include "yardsticks/registry.h"

namespace penumbra::cli {
namespace {

// rs20.policy, ./mine, runs/7/policy: never the name of a built-in policy.
bool is_path(const std::string& policy) {
  return policy.find('/') != std::string::npos ||
         std::filesystem::path(policy).extension() == ".policy";
}

std::unique_ptr<Policy> load_policy(const std::string& text, const Pomdp& model) {
  if (is_path(text)) {
    PolicyFile file = read_policy_file(text);
    check_policy_fits(file, model, text);
    return playable(file, model);
  }
  if (auto policy = yardstick(text, model)) return policy;
  return named_policy(text, model);
}

}  // namespace

Job load_job(const std::string& domain, const std::vector<std::string>& policies) {
  // Controllers need finite observations; the policies by name take any.
  const bool finite = std::any_of(policies.begin(), policies.end(), is_path);
  Job job{finite ? load_finite_domain(domain) : load_domain(domain), {}};
  for (const std::string& policy : policies)
    job.policies.push_back(load_policy(policy, *job.model));
  return job;
}

}  // namespace penumbra::cli
