// The trials of a search, one file each: trials/0007.json in its folder. A file is written once,
// whole, and never changed, so that a search that was stopped goes on from those that are there.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "penumbra/runs/config.h"

namespace penumbra {

struct Trial {
  int number = 0;
  std::vector<double> point;  // coordinates (base/parameter_search.h)
  ConfigTable settings;       // the same as values of options
  std::string status;         // of the solve; "stopped early" where the search ended it
  double score = 0, standard_error = 0;
  uint64_t episodes = 0, backups = 0;
  double seconds = 0;
  // The best simulated value so far, by the share of the budget that was spent.
  std::vector<std::pair<double, double>> curve;

  bool stopped_early() const { return status == "stopped early"; }

  template <class Archive>
  void archive(Archive& a) {
    std::vector<std::string> words;
    std::vector<double> numbers;
    for (const auto& [name, value] : settings) words.insert(words.end(), {name, value});
    for (const auto& [share, value] : curve) numbers.insert(numbers.end(), {share, value});
    a(number, point, words, status, score, standard_error, episodes, backups, seconds, numbers);
    settings.clear();
    curve.clear();
    for (size_t i = 0; i + 1 < words.size(); i += 2) settings.emplace_back(words[i], words[i + 1]);
    for (size_t i = 0; i + 1 < numbers.size(); i += 2)
      curve.emplace_back(numbers[i], numbers[i + 1]);
  }
};

class Trials {
 public:
  // Makes the folder if it is not there. Throws Error for files that are not trials.
  explicit Trials(const std::string& folder);
  // In memory alone.
  explicit Trials(std::vector<Trial> trials) : trials_(std::move(trials)) {}
  const Trial* find(int number) const;
  void add(Trial trial);
  // In order of their numbers.
  const std::vector<Trial>& all() const { return trials_; }
  const Trial* best() const;

 private:
  std::string path(int number) const;

  std::string folder_;
  std::vector<Trial> trials_;
};

// Whether a trial with this value at this share of its budget is worse than half of `others` were
// there; never before five of them have come so far.
bool is_below_median(const std::vector<const Trial*>& others, double share, double value);

}  // namespace penumbra
