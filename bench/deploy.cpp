// What a controller costs on a robot: bytes and nanoseconds per step, as C and by the library.
//
//   bench_deploy POLICY-FILE ...
//
// A step is act and observe, with observations drawn uniformly, so that the walk goes through all
// of the controller. docs/deploy.md has the figures.
#include <dlfcn.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>

#include "penumbra/base/error.h"
#include "penumbra/io/export_c.h"
#include "penumbra/policy/fnc.h"

using namespace penumbra;

namespace {

constexpr int kSteps = 100 * 4096, kLanes = 4096;

// Seconds of the thread, the fastest of twenty: what others do on the machine only adds.
template <class Work>
double seconds_of(const Work& work) {
  const auto now = [] {
    timespec t{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return double(t.tv_sec) + 1e-9 * double(t.tv_nsec);
  };
  double best = 1e300;
  for (int i = 0; i < 20; ++i) {
    const double begin = now();
    work();
    best = std::min(best, now() - begin);
  }
  return best;
}

// The header with two loops around it: over observations by number, and over floats.
class CompiledLoops {
 public:
  explicit CompiledLoops(const PolicyFile& policy) {
    namespace fs = std::filesystem;
    const fs::path folder = fs::temp_directory_path() / fmt::format("bench_deploy.{}", getpid());
    fs::create_directory(folder);
    const bool groups = policy.seen_dimension > 0 || policy.tree_dimension > 0;
    const bool by_action = policy.tree_dimension > 0;
    std::ofstream(folder / "c.h") << c_header(policy, "c");
    std::ofstream source(folder / "c.c");
    source << "#include \"c.h\"\nlong steps(const int* o, int n) {\n  int s = c_start(); long sum "
              "= 0;\n"
              "  for (int i = 0; i < n; ++i) { sum += (long)c_act(s); s = c_observe(s, o[i]); }\n"
              "  return sum;\n}\n";
    if (groups)
      source << "long seen(const float* x, int n) {\n  int s = c_start(); long sum = 0;\n"
                "  for (int i = 0; i < n; ++i, x += C_SEEN_DIMENSION) {\n    int a = c_act(s); sum "
                "+= a;\n"
                "    s = c_observe(s, c_discretise("
             << (by_action ? "a, x" : "x") << "));\n  }\n  return sum;\n}\n";
    source.close();
    const std::string line =
        fmt::format("cc -O2 -std=c99 -shared -fPIC -o {0}/c.so {0}/c.c -lm", folder.string());
    if (std::system(line.c_str()) != 0) throw Error("the header does not compile");
    library_ = dlopen((folder / "c.so").c_str(), RTLD_NOW);
    if (!library_) throw Error(dlerror());
    steps = reinterpret_cast<long (*)(const int*, int)>(dlsym(library_, "steps"));
    seen = reinterpret_cast<long (*)(const float*, int)>(dlsym(library_, "seen"));
    fs::remove_all(folder);
  }
  ~CompiledLoops() { dlclose(library_); }
  CompiledLoops(const CompiledLoops&) = delete;
  CompiledLoops& operator=(const CompiledLoops&) = delete;

  long (*steps)(const int*, int) = nullptr;
  long (*seen)(const float*, int) = nullptr;  // null: observations are numbers

 private:
  void* library_ = nullptr;
};

double library_seconds(const FscPolicy& policy, const std::vector<int>& seen, size_t lanes) {
  RecordBuffer memory(policy.memory_size(), lanes), action(sizeof(int), lanes);
  return seconds_of([&] {
    policy.start({}, memory);
    for (size_t i = 0; i + lanes <= seen.size(); i += lanes) {
      policy.act(memory, {}, action);
      policy.observe(memory, action,
                     {reinterpret_cast<const std::byte*>(&seen[i]), sizeof(int), lanes}, {});
    }
  });
}

size_t smallest(int count) {
  return count <= 256 ? 1 : count <= 65'536 ? 2 : 4;
}

void measure(const std::string& path) {
  PolicyFile policy = read_policy_file(path);
  const Fsc fsc = minimised(policy.controller());
  if (fsc.num_nodes() == 0 || fsc.action_width > 0)
    throw Error(path + " holds no controller with finite actions");
  policy.policy = std::make_shared<const Fnc>(Fnc{fsc});
  const CompiledLoops c(policy);
  Rng rng(RngKey::from_seed(1), 0);
  std::vector<int> seen(kSteps);
  for (int& o : seen) o = static_cast<int>(rng.below(uint32_t(fsc.num_observations)));
  long sum = 0;
  const double by_number = seconds_of([&] { sum += c.steps(seen.data(), kSteps); });
  double by_floats = 0;
  if (c.seen) {
    const int dimension = std::max(policy.seen_dimension, policy.tree_dimension);
    constexpr int kFew = kSteps / 10;
    std::vector<float> x(size_t(kFew) * size_t(dimension));
    for (float& v : x) v = static_cast<float>(rng.uniform(-10, 10));
    by_floats = seconds_of([&] { sum += c.seen(x.data(), kFew); }) / kFew;
  }
  const FscPolicy player(fsc, facts_of(policy));
  const size_t tables = fsc.edges.size() * smallest(fsc.num_nodes()) +
                        size_t(fsc.num_nodes()) * smallest(policy.num_actions);
  fmt::print("{:<40} {:>6} {:>5} {:>9} {:>7.1f} {:>9} {:>8.1f} {:>8.1f} {:>6}\n", policy.domain,
             fsc.num_nodes(), fsc.num_observations, tables, by_number / kSteps * 1e9,
             c.seen ? fmt::format("{:.1f}", by_floats * 1e9) : "-",
             library_seconds(player, seen, 1) / kSteps * 1e9,
             library_seconds(player, seen, kLanes) / kSteps * 1e9, player.memory_size());
  if (sum == 42) fmt::print("\n");  // nothing may be left out
}

}  // namespace

int main(int argc, char** argv) try {
  fmt::print("{:<40} {:>6} {:>5} {:>9} {:>7} {:>9} {:>8} {:>8} {:>6}\n", "", "", "", "bytes of",
             "ns: C", "C, from", "C++ one", "C++ 4096", "bytes");
  fmt::print("{:<40} {:>6} {:>5} {:>9} {:>7} {:>9} {:>8} {:>8} {:>6}\n", "problem", "nodes", "seen",
             "tables", "number", "floats", "lane", "lanes", "a lane");
  for (int i = 1; i < argc; ++i) measure(argv[i]);
} catch (const Error& error) {
  fmt::print(stderr, "{}\n", error.what());
  return 1;
}
