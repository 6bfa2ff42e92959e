#include "cli/published.h"

#include <cmath>

#include "penumbra/base/error.h"
#include "penumbra/base/spec.h"

namespace penumbra::cli {
namespace {

constexpr double kNone = NAN;
constexpr const char* kPaper = "Neural Value Iteration, table of offline planners";
constexpr const char* kWassersteinPaper = "quoted in the paper of W-MCTS, one second a step";
constexpr const char* kGammaZero = "project page of GammaZero, one decimal";
constexpr const char* kOneMap = "one fixed map that is not published";
constexpr const char* kOtherProblem = "trained on another variant of the problem";

const PublishedScore kScores[] = {
    {"RS(7,8)", "SARSOP", 21.57, 1.82, "offline", kPaper},
    {"RS(7,8)", "POMCGS", 20.17, 1.68, "offline", kPaper},
    {"RS(7,8)", "NVI", 18.95, 1.49, "offline", kPaper},
    {"RS(7,8)", "MCVI", 17.34, 2.52, "offline", kPaper},
    {"RS(7,8)", "Recurrent PPO", 7.73, 0.01, "offline", kPaper, kOtherProblem},
    {"RS(11,11)", "SARSOP", 19.09, 2.40, "offline", kPaper},
    {"RS(11,11)", "POMCGS", 18.53, 1.04, "offline", kPaper},
    {"RS(11,11)", "NVI", 17.51, 1.56, "offline", kPaper},
    {"RS(11,11)", "MCVI", 13.78, 2.13, "offline", kPaper},
    {"RS(11,11)", "Recurrent PPO", 6.30, 0.04, "offline", kPaper, kOtherProblem},
    {"RS(15,15)", "NVI", 13.60, 2.27, "offline", kPaper},
    {"RS(15,15)", "POMCGS", 13.45, 1.66, "offline", kPaper},
    {"RS(15,15)", "MCVI", 10.78, 1.92, "offline", kPaper},
    {"RS(15,15)", "Recurrent PPO", 6.16, 2.88, "offline", kPaper, kOtherProblem},
    {"RS(15,15)", "AdaOPS", 20.7, kNone, "online", kGammaZero, kOneMap},
    {"RS(15,15)", "BetaZero", 20.2, kNone, "online", kGammaZero, kOneMap},
    {"RS(15,15)", "AR-DESPOT", 18.57, 0.30, "online", kWassersteinPaper, "random maps"},
    {"RS(15,15)", "POMCP", 12.23, 0.32, "online", kWassersteinPaper, "random maps"},
    {"RS(15,15)", "POMCPOW", 11.1, kNone, "online", kGammaZero, kOneMap},
    {"RS(20,20)", "NVI", 12.31, 1.65, "offline", kPaper},
    {"RS(20,20)", "MCVI", 4.57, 2.19, "offline", kPaper},
    {"RS(20,20)", "POMCGS", 3.91, 0.83, "offline", kPaper, "out of memory"},
    {"RS(20,20)", "Recurrent PPO", 3.97, 0.02, "offline", kPaper, kOtherProblem},
    {"RS(20,20)", "AdaOPS", 11.7, kNone, "online", kGammaZero, kOneMap},
    {"RS(20,20)", "GammaZero", 10.2, kNone, "online", kGammaZero, kOneMap},
    {"Light Dark", "POMCGS", 3.74, 0.06, "offline", kPaper},
    {"Light Dark", "NVI", 3.73, 0.10, "offline", kPaper},
    {"Light Dark", "MCVI", 2.94, 0.15, "offline", kPaper},
    {"Light Dark", "Recurrent PPO", 3.26, 0.01, "offline", kPaper, kOtherProblem},
    {"Light Dark", "LAVI", 3.55, 0.15, "offline", "scripts of BetaZero.jl"},
    {"Lidar Roomba", "NVI", 2.03, 0.03, "offline", kPaper},
    {"Lidar Roomba", "POMCGS", 1.08, 0.19, "offline", kPaper},
    {"Lidar Roomba", "MCVI", 0.68, 0.16, "offline", kPaper},
    {"Lidar Roomba", "Recurrent PPO", -2.07, 0.02, "offline", kPaper, kOtherProblem},
};

}  // namespace

std::string published_name(const std::string& domain) {
  Spec spec;
  try {
    spec = Spec::parse(domain);
  } catch (const Error&) {
    return "";  // the path of a model file
  }
  // How it is solved, not what it is.
  for (const char* key : {"clusters", "cluster_seed", "map_seed"}) spec.take(key);
  std::string n, k;
  if (spec.name == "rock-sample") {
    n = spec.take("n");
    k = spec.take("k");
    if (n.empty()) n = "7";
    if (k.empty()) k = "8";
  }
  if (spec.name == "lidar-roomba") spec.take("actions");
  if (!spec.values.empty()) return "";
  if (spec.name == "rock-sample") return "RS(" + n + "," + k + ")";
  if (spec.name == "light-dark") return "Light Dark";
  return spec.name == "lidar-roomba" ? "Lidar Roomba" : "";
}

std::vector<PublishedScore> published_scores(const std::string& name) {
  std::vector<PublishedScore> found;
  for (const PublishedScore& score : kScores)
    if (name == score.model) found.push_back(score);
  return found;
}

}  // namespace penumbra::cli
