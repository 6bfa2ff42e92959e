// Brackets of public model files, where the folder with them is there.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "penumbra/io/model_file.h"
#include "tests/solvers/tables.h"

namespace penumbra {
namespace {

struct Known {
  const char* file;
  double low, high;  // V*(b0), from an independent solver
};

constexpr Known kKnown[] = {
    {"tiger.95", 19.371, 19.372},
    {"tiger.aaai", 1.9331, 1.9338},
    {"1d.noisy", 1.2416, 1.2425},
    {"1d", 1.2598, 1.2608},
    {"paint.95", 3.2927, 3.3451},
    {"web-ad", 0.79993, 0.8132},
    {"network", 290.24, 335.41},
    {"parr95.95", 7.2001, 7.201},
    {"shuttle.95", 32.889, 32.89},
    {"4x3.95", 1.8875, 1.906},
    {"cheese.95", 3.4855, 3.4862},
    {"mini-hall2", 2.7143, 2.7153},
    {"4x4.95", 3.7323, 3.7332},
    {"concert", 0, 0},
    {"saci-s12-a6-z5.95", 13.029, 14.834},
    {"tiger-grid", 2.2869, 2.4542},
    {"hallway", 1.0, 1.1491},
    {"hallway2", 0.3602, 0.8475},
};

TEST(PublicModels, BoundsAgreeWithThePublishedBrackets) {
  const char* given = std::getenv("PENUMBRA_MODELS");
  const std::filesystem::path folder =
      given ? given : std::filesystem::path(PENUMBRA_SOURCE) / "../shared/models";
  if (!std::filesystem::is_directory(folder))
    GTEST_SKIP() << "no model files in " << folder << "; PENUMBRA_MODELS names the folder";
  for (const Known& known : kKnown) {
    const std::filesystem::path path = folder / (std::string(known.file) + ".pomdp");
    if (!std::filesystem::exists(path)) continue;
    const Solution s = solve_table("sarsop", read_model_file(path.string()).table, 1e-3, 1000);
    EXPECT_LE(s.lower, s.upper.value) << known.file;
    EXPECT_LE(s.lower, known.high + 1e-3) << known.file;
    EXPECT_GE(s.upper.value, known.low - 1e-3) << known.file;
  }
}

}  // namespace
}  // namespace penumbra
