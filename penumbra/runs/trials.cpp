#include "penumbra/runs/trials.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "penumbra/base/error.h"
#include "penumbra/io/replace_file.h"
#include "penumbra/runs/json.h"

namespace penumbra {
namespace {

constexpr size_t kFewest = 5;

Json to_json(const Trial& t) {
  Json out{{"number", t.number}, {"settings", Json::object()}};
  for (const auto& [name, value] : t.settings) out["settings"][name] = value;
  out["point"] = t.point;
  out["status"] = t.status;
  out["score"] = t.score;
  out["standard_error"] = t.standard_error;
  out["episodes"] = t.episodes;
  out["backups"] = t.backups;
  out["seconds"] = t.seconds;
  out["curve"] = t.curve;
  return out;
}

Trial from_json(const Json& in) {
  Trial t;
  t.number = in.at("number");
  for (const auto& [name, value] : in.at("settings").items()) t.settings.emplace_back(name, value);
  in.at("point").get_to(t.point);
  in.at("status").get_to(t.status);
  t.score = in.at("score");
  t.standard_error = in.at("standard_error");
  t.episodes = in.at("episodes");
  t.backups = in.at("backups");
  t.seconds = in.at("seconds");
  in.at("curve").get_to(t.curve);
  return t;
}

}  // namespace

Trials::Trials(const std::string& folder) : folder_(folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) throw Error(fmt::format("cannot make the folder {}: {}", folder, error.message()));
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() != ".json") continue;
    try {
      trials_.push_back(from_json(Json::parse(std::ifstream(entry.path()))));
    } catch (const nlohmann::json::exception&) {
      throw Error(entry.path().string() + " is not a trial; remove it, and it is made again");
    }
  }
  std::sort(trials_.begin(), trials_.end(),
            [](const Trial& a, const Trial& b) { return a.number < b.number; });
}

std::string Trials::path(int number) const {
  return fmt::format("{}/{:04}.json", folder_, number);
}

const Trial* Trials::find(int number) const {
  for (const Trial& t : trials_)
    if (t.number == number) return &t;
  return nullptr;
}

void Trials::add(Trial trial) {
  if (!folder_.empty()) replace_file(path(trial.number), to_json(trial).dump(2) + "\n");
  const auto at = std::find_if(trials_.begin(), trials_.end(),
                               [&](const Trial& other) { return other.number > trial.number; });
  trials_.insert(at, std::move(trial));
}

const Trial* Trials::best() const {
  const Trial* best = nullptr;
  for (const Trial& t : trials_)
    if (!t.stopped_early() && (!best || t.score > best->score)) best = &t;
  return best;
}

bool is_below_median(const std::vector<const Trial*>& others, double share, double value) {
  std::vector<double> there;  // what the others had at that time
  for (const Trial* other : others) {
    double last = 0;
    bool reached = false;
    for (const auto& [at, score] : other->curve)
      if (at <= share + 1e-9) {
        last = score;
        reached = true;
      }
    if (reached) there.push_back(last);
  }
  if (there.size() < kFewest) return false;
  std::nth_element(there.begin(), there.begin() + static_cast<long>(there.size() / 2), there.end());
  return value < there[there.size() / 2];
}

}  // namespace penumbra
