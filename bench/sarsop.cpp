// How long SARSOP takes to given bounds of model files or domains:
//
//   bench_sarsop [threads=1] [time=60] [gap=G] [lower=L] [upper=U] MODEL ...
//
// Prints for each model the seconds of loading and of solving until each of the bounds that were
// asked for first held (- : not within the time), and the bounds and the memory at the end. On one
// thread they are seconds of the core, so that other programs do not count; on more, of the wall
// clock. A setting holds for the models after it.
#include <fmt/format.h>

#include <chrono>
#include <cstdlib>
#include <ctime>
#include <limits>

#include "domains/registry.h"
#include "penumbra/base/error.h"
#include "penumbra/base/memory.h"
#include "penumbra/io/model_file.h"
#include "penumbra/solvers/sarsop/trial.h"

namespace penumbra {
namespace {

class Clock {
 public:
  explicit Clock(bool wall) : wall_(wall) {}
  double seconds() const {
    if (!wall_) return double(std::clock() - core_start_) / CLOCKS_PER_SEC;
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }

 private:
  bool wall_;
  std::clock_t core_start_ = std::clock();
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

struct Target {
  const char* name;
  double value = std::numeric_limits<double>::quiet_NaN();
  double reached = -1;
};

struct Settings {
  double threads = 1, time = 60;
  Target gap{"gap"}, lower{"lower"}, upper{"upper"};
};

Tabular load(const std::string& name) {
  return is_model_path(name) ? read_model_file(name).table : load_domain(name)->table();
}

void run(const std::string& name, Settings s) {
  ThreadPool pool(static_cast<int>(s.threads));
  const bool wall = pool.num_threads() > 1;
  const Clock loading(wall);
  const Tabular table = load(name);
  const double loaded = loading.seconds();
  const Clock clock(wall);
  const MixedModel model(table);
  points::PointBounds bounds(model, pool);
  const sarsop::Options options;
  sarsop::Trial trial(bounds, options);
  auto is_open = [](const Target& t) { return t.value == t.value && t.reached < 0; };
  while (true) {
    const double now = clock.seconds();
    const double low = bounds.root_lower(), high = bounds.root_upper();
    if (is_open(s.gap) && high - low <= s.gap.value) s.gap.reached = now;
    if (is_open(s.lower) && low >= s.lower.value) s.lower.reached = now;
    if (is_open(s.upper) && high <= s.upper.value) s.upper.reached = now;
    const bool asked = s.gap.value == s.gap.value || s.lower.value == s.lower.value ||
                       s.upper.value == s.upper.value;
    if (now >= s.time || high - low <= 1e-9) break;
    if (asked && !is_open(s.gap) && !is_open(s.lower) && !is_open(s.upper)) break;
    trial.run([&] { return clock.seconds() >= s.time; });
  }
  fmt::print("{}\n  load {:.2f} s, {} states in {} parts of at most {}\n", name, loaded,
             table.num_states, model.num_parts(), model.largest_part());
  for (const Target& t : {s.gap, s.lower, s.upper})
    if (t.value == t.value)
      fmt::print("  {} {}: {}\n", t.name, t.value,
                 t.reached < 0 ? "-" : fmt::format("{:.3f} s", t.reached));
  fmt::print("  after {:.2f} s: {:.5f} to {:.5f}, {} backups, {} vectors, {:.0f} MB at most\n",
             clock.seconds(), bounds.root_lower(), bounds.root_upper(), bounds.num_backups(),
             bounds.vectors().num_listed(), double(peak_resident_bytes()) / 1e6);
  std::fflush(stdout);
}

int bench(int count, char** arguments) {
  Settings settings;
  for (int i = 1; i < count; ++i) {
    const std::string text = arguments[i];
    const size_t equals = text.find('=');
    const std::string key = text.substr(0, equals);
    double* field = key == "threads" ? &settings.threads
                    : key == "time"  ? &settings.time
                    : key == "gap"   ? &settings.gap.value
                    : key == "lower" ? &settings.lower.value
                    : key == "upper" ? &settings.upper.value
                                     : nullptr;
    if (field && equals != std::string::npos)
      *field = text.size() == equals + 1 ? std::numeric_limits<double>::quiet_NaN()
                                         : std::atof(text.c_str() + equals + 1);
    else
      run(text, settings);
  }
  return 0;
}

}  // namespace
}  // namespace penumbra

int main(int count, char** arguments) {
  try {
    return penumbra::bench(count, arguments);
  } catch (const penumbra::Error& error) {
    fmt::print(stderr, "bench_sarsop: {}\n", error.what());
    return 1;
  }
}
