#include "cli/load.h"

#include <fmt/format.h>

#include <filesystem>

#include "domains/registry.h"
#include "penumbra/base/error.h"
#include "penumbra/policy/named.h"

namespace penumbra::cli {
namespace {

// rs20.policy, ./mine, runs/7/policy: never the name of a built-in policy.
bool is_path(const std::string& policy) {
  return policy.find('/') != std::string::npos ||
         std::filesystem::path(policy).extension() == ".policy";
}

[[noreturn]] void cannot_read(const std::string& path) {
  std::error_code error;
  if (!std::filesystem::exists(path, error))
    throw Error(
        fmt::format("there is no policy file '{}'; without a file there are "
                    "blind(action=NAME) and random",
                    path));
  throw Error(
      fmt::format("{}: this version does not read policy files yet; there are "
                  "blind(action=NAME) and random",
                  path));
}

}  // namespace

Job load_job(const std::string& domain, const std::vector<std::string>& policies) {
  for (const std::string& policy : policies)
    if (is_path(policy)) cannot_read(policy);
  // The named policies take any observations. One that needs a finite set will be the reason to
  // call load_finite_domain here.
  Job job{load_domain(domain), {}};
  for (const std::string& policy : policies)
    job.policies.push_back(named_policy(policy, *job.model));
  return job;
}

}  // namespace penumbra::cli
