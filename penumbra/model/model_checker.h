// The checks of check_model.h, one function each. Those of probabilities (likelihood, cumulative,
// V_mdp, table) are in check_probabilities.cpp, the rest in check_model.cpp.
#pragma once

#include <fmt/format.h>

#include <functional>
#include <set>

#include "penumbra/model/check_model.h"

namespace penumbra::model_check {

inline constexpr double kSigmas = 6;
inline constexpr double kLengthBias = 1e-3;  // as evaluate() cuts episodes
inline constexpr int kMostSteps = 1'000'000;

// Transitions in the order they were simulated.
struct Walks {
  RecordBuffer state, next, seen;
  std::vector<int> action;  // rows of Checker::actions_
  std::vector<float> reward;
  std::vector<uint8_t> ended;
  size_t count() const { return action.size(); }
};

// Many steps from one state with one action.
struct Probe {
  int action = 0;
  RecordBuffer state, next, seen;
  std::vector<float> reward;
  std::vector<uint8_t> ended;
  size_t count() const { return reward.size(); }
};

class Checker {
 public:
  Checker(const Pomdp& model, const CheckOptions& options)
      : model_(model), o_(options), root_(RngKey::from_seed(options.seed).fold("check_model")) {}

  std::vector<std::string> run();

 private:
  template <class... Args>
  void problem(fmt::format_string<Args...> text, Args&&... args) {
    const std::string message = fmt::format(text, std::forward<Args>(args)...);
    if (kinds_.insert(kind_).second) problems_.push_back(kind_ + ": " + message);
  }
  bool has(Capability c) const { return model_.has(c); }
  bool finite_seen() const { return model_.facts().num_observations > 0; }
  std::string state_text(const std::byte* s) const { return model_.describe_state(s); }
  std::string action_text(int row) const { return model_.describe_action(actions_.at(row)); }

  void check_all();
  void choose_actions();
  void walk();
  Probe probe(ConstRecords state, int action, size_t sims, RngKey key) const;
  void make_probes();

  void check_length();
  void check_samples();
  void check_terminal();
  void check_features();
  void check_coordinates();
  void check_perturb();
  void check_likelihood_range();
  void check_finite_likelihood(const Probe& p);
  void check_density(const Probe& p);
  void check_cumulative(const Probe& p, int coordinate);
  void check_mdp_value();
  void check_table();
  int seen_index(const Tabular& t, int state, int observation) const;
  void check_table_start(const Tabular& t);
  void check_table_probe(const Tabular& t, const Probe& p);
  void check_lanes();
  // Runs `body` on any part of a batch; it writes `size` bytes per lane.
  void same_in_parts(const std::string& what, size_t count, size_t size,
                     const std::function<void(size_t begin, size_t n, std::byte* out)>& body);

  // |observed - expected| within kSigmas of a sum of independent events.
  static bool near(double observed, double expected, double variance) {
    if (expected < 1e-9) return observed == 0;
    return std::abs(observed - expected) <= kSigmas * std::sqrt(std::max(variance, 0.0)) + 5;
  }

  const Pomdp& model_;
  CheckOptions o_;
  RngKey root_;
  RecordBuffer actions_;
  Walks w_;
  std::vector<Probe> probes_;
  std::string kind_;  // of the check that is running; each reports its first problem
  std::set<std::string> kinds_;
  std::vector<std::string> problems_;
};

}  // namespace penumbra::model_check
