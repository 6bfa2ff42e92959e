#include "cli/signature.h"

#include <fmt/format.h>

#include <bit>
#include <memory>

#include "cli/command.h"
#include "cli/json.h"
#include "domains/registry.h"
#include "penumbra/nn/kernels.h"
#include "penumbra/policy/recurrent.h"
#include "penumbra/solvers/registry.h"

namespace penumbra::cli {
namespace {

constexpr const char* kModels[] = {"tiger", "rock-sample(n=3,k=2)", "light-dark(clusters=5)"};
constexpr uint64_t kBackups = 100;

// Where a hundred backups with the defaults would take long.
struct Setting {
  std::string_view solver;
  const char *option, *value;
};
constexpr Setting kSettings[] = {
    {"ppo", "hidden", "32"}, {"ppo", "lanes", "32"}, {"ppo", "evaluations", "100"}};

// A number that any change of the words before it changes.
class Digest {
 public:
  void add(uint64_t word) { key_ = key_.fold(word); }
  void add(std::string_view text) { key_ = key_.fold(text); }
  // To about six digits: the last bits are rounding.
  void add_rounded(double value) {
    const auto rounded = static_cast<float>(value);
    add((uint64_t{std::bit_cast<uint32_t>(rounded)} + 8) >> 4);
  }
  uint64_t value() const { return key_.value; }

 private:
  RngKey key_ = RngKey::from_seed(0);
};

// One solver on one model.
struct SignatureCase {
  std::string solver, model;
  Solution solution;
  uint64_t signature = 0;
};

uint64_t digest(const Solution& s) {
  Digest d;
  d.add(s.status);
  d.add(s.backups);
  d.add(uint64_t(s.controller.fsc.start));
  for (int action : s.controller.fsc.action) d.add(uint64_t(action));
  for (int node : s.controller.fsc.edges) d.add(uint64_t(node));
  if (s.recurrent)
    for (float value : s.recurrent->net.plain()) d.add_rounded(value);
  if (!s.vectors) return d.value();
  for (const AlphaVectors::Vector& vector : s.vectors->vectors) {
    d.add(uint64_t(vector.action));
    d.add(uint64_t(vector.part));
    for (double value : vector.value) d.add_rounded(value);
  }
  return d.value();
}

std::vector<SignatureCase> run_all(ThreadPool& pool) {
  std::vector<SignatureCase> cases;
  for (const SolverEntry& entry : solvers())
    for (const char* name : kModels) {
      const std::unique_ptr<Pomdp> model = load_domain(name);
      const std::unique_ptr<Solver> solver = entry.make();
      if (!model->has(solver->needs())) continue;
      OptionList options = solver->options();
      for (const Setting& s : kSettings)
        if (s.solver == entry.name) options.set(s.option, s.value);
      Limits limits;
      limits.seconds = 0;
      limits.backups = kBackups;
      SignatureCase c{entry.name, name, {}, 0};
      c.solution = solver->solve(*model, limits, 1, pool, [](const SolveProgress&) {});
      c.signature = digest(c.solution);
      cases.push_back(std::move(c));
    }
  return cases;
}

}  // namespace

std::string instruction_set() {
#if defined(__x86_64__)
  std::string name = "x86-64";
#elif defined(__aarch64__)
  std::string name = "aarch64";
#else
  std::string name = "other";
#endif
#if defined(__FMA__) || defined(__ARM_FEATURE_FMA)
  name += "+fma";
#endif
  return name + "/" + nn::kernels().isa;
}

int print_signature(const SignatureOptions& o) {
  ThreadPool pool(o.threads);
  const std::vector<SignatureCase> cases = run_all(pool);
  Digest all;
  for (const SignatureCase& c : cases) {
    all.add(c.solver);
    all.add(c.model);
    all.add(c.signature);
  }
  if (o.json) {
    Json out{{"signature", fmt::format("{:016x}", all.value())},
             {"instruction_set", instruction_set()},
             {"runs", Json::array()}};
    for (const SignatureCase& c : cases)
      out["runs"].push_back({{"solver", c.solver},
                             {"model", c.model},
                             {"backups", c.solution.backups},
                             {"nodes", c.solution.controller.fsc.num_nodes()},
                             {"seconds", c.solution.seconds},
                             {"signature", fmt::format("{:016x}", c.signature)}});
    print_json(out);
    return kOk;
  }
  for (const SignatureCase& c : cases) {
    if (o.number_only) break;
    fmt::print("{:<8} {:<24} {:5} backups {:6} nodes {:8.3f} s  {:016x}\n", c.solver, c.model,
               c.solution.backups, c.solution.controller.fsc.num_nodes(), c.solution.seconds,
               c.signature);
  }
  fmt::print("{:016x} {}\n", all.value(), instruction_set());
  return kOk;
}

}  // namespace penumbra::cli
