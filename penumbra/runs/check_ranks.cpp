#include "penumbra/runs/check_ranks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "penumbra/model/fingerprint.h"
#include "penumbra/model/records.h"
#include "penumbra/runs/instruction_set.h"
#include "penumbra/runs/version.h"

namespace penumbra {
namespace {

constexpr const char* kAdvice =
    "All ranks must run the same program on the same kind of machine, with the same model and "
    "options (docs/cluster.md)";

std::string hash_of(const void* data, size_t size) {
  return fmt::format("{:016x}", hash_record(static_cast<const std::byte*>(data), size));
}

// The first option that rank 0 has otherwise; empty: none.
std::string first_difference(Team& team, const ConfigTable& options) {
  std::vector<std::string> mine;
  for (const auto& [key, value] : options) mine.push_back(key + "=" + value);
  std::vector<std::string> first = mine;
  team.send_to_all(first);
  for (size_t i = 0; i < std::max(mine.size(), first.size()); ++i) {
    const std::string here = i < mine.size() ? mine[i] : "none",
                      there = i < first.size() ? first[i] : "none";
    if (here != there) return here + ", where rank 0 has " + there;
  }
  return "";
}

}  // namespace

uint64_t mathematics_hash() {
  std::vector<double> results;
  for (int i = 1; i <= 200; ++i) {
    const volatile double x = 0.037 * i;  // not at compile time
    for (double y : {std::exp(x), std::log(x), std::sin(x), std::pow(x, 1.3), std::tanh(x)})
      results.push_back(y);
  }
  return hash_record(reinterpret_cast<const std::byte*>(results.data()), results.size() * 8);
}

void check_ranks(Team& team, const Pomdp& model, const ConfigTable& options) {
  if (team.size() == 1) return;
  const std::vector<double> print = fingerprint(model);
  require_alike(team,
                {{"program", program_version()},
                 {"instruction set", instruction_set()},
                 {"library of mathematical functions", fmt::format("{:016x}", mathematics_hash())},
                 {"model", model.facts().name},
                 {"model behind its name", hash_of(print.data(), print.size() * sizeof(double))},
                 {"option", first_difference(team, options)}},
                kAdvice);
}

}  // namespace penumbra
