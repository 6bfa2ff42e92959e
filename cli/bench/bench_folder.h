// The folder of a bench (docs/records.md): the plan, a run per cell, and a result per cell that is
// written once.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/bench/experiment.h"
#include "cli/json.h"
#include "penumbra/base/error.h"

namespace penumbra::cli {

class BenchFolder {
 public:
  // Makes it where it is not there. Throws Error where it holds another experiment or scale.
  static BenchFolder create(const std::string& path, const Experiment& experiment);
  // Throws Error for a folder that holds no bench.
  static BenchFolder open(const std::string& path);

  const std::string& path() const { return path_; }
  const Experiment& experiment() const { return experiment_; }
  std::string file(const std::string& name) const { return path_ + "/" + name; }
  std::string cell(const std::string& id) const { return path_ + "/cells/" + id; }
  std::string result_file(const std::string& id) const {
    return path_ + "/results/" + id + ".json";
  }

  bool has_result(const std::string& id) const;
  // Nothing where the cell is not done. Throws Error for a file that is not a result.
  std::optional<Json> result(const std::string& id) const;
  // Leaves a result alone that is there.
  void write_result(const std::string& id, const Json& result) const;
  // Cells that failed are to be run again, from the beginning.
  void forget_failures() const;
  // Takes over results and runs of another folder of the same experiment; returns how many.
  int merge(const BenchFolder& other) const;

 private:
  BenchFolder(std::string path, Experiment experiment)
      : path_(std::move(path)), experiment_(std::move(experiment)) {}

  std::string path_;
  Experiment experiment_;
};

// Now, as records have it.
std::string time_of_day();
// What `read` makes of a file; a field of it that is missing or of another type is an Error naming
// the file.
template <class Read>
auto from_file(const std::string& path, const Read& read) {
  try {
    return read();
  } catch (const Json::exception& error) {
    throw Error(path + " is damaged: " + error.what());
  }
}
// Throws Error naming the file.
Json read_json_file(const std::string& path);
// The events of a run's log; lines that are not JSON are passed over, a log that is not there is
// empty.
std::vector<Json> read_log(const std::string& run_folder);

}  // namespace penumbra::cli
