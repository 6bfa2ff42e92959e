#include "cli/signature.h"

#include <fmt/format.h>

#include <bit>
#include <memory>

#include "cli/command.h"
#include "cli/json.h"
#include "domains/registry.h"
#include "penumbra/policy/alpha_vectors.h"
#include "penumbra/policy/fnc.h"
#include "penumbra/policy/likelihood_controller.h"
#include "penumbra/policy/recurrent.h"
#include "penumbra/runs/instruction_set.h"
#include "penumbra/solvers/registry.h"

namespace penumbra::cli {
namespace {

constexpr const char* kModels[] = {"tiger", "rock-sample(n=3,k=2)", "light-dark(clusters=5)"};
constexpr uint64_t kBackups = 100;

// Settings of a solver where a hundred backups with the defaults would take long, and forms of it
// that run other code than its defaults.
struct Form {
  std::string name, solver;
  std::vector<std::pair<std::string, std::string>> settings{};
  const char* model = nullptr;  // only this one
};

std::vector<Form> forms() {
  std::vector<Form> all;
  for (const SolverEntry& entry : solvers()) {
    all.push_back({entry.name, entry.name});
    if (all.back().name == "ppo")
      all.back().settings = {{"hidden", "32"}, {"lanes", "32"}, {"evaluations", "100"}};
  }
  all.push_back({"nvi-paper",
                 "nvi",
                 {{"preset", "paper"},
                  {"paper-particles", "500"},
                  {"paper-bound-particles", "100"},
                  {"paper-max-depth", "15"},
                  {"paper-episodes", "2000"},
                  {"paper-form", "heads"},
                  {"paper-features", "32"},
                  {"paper-samples", "300"},
                  {"paper-sims", "20"}}});
  all.push_back({"mcvi-paper",
                 "mcvi",
                 {{"preset", "paper"},
                  {"paper-particles", "200"},
                  {"paper-bound-particles", "100"},
                  {"paper-max-depth", "15"},
                  {"paper-episodes", "2000"},
                  {"paper-rollout-depth", "20"}}});
  all.push_back(
      {"mcvi-continuous",
       "mcvi",
       {{"observations", "continuous"}, {"continuous-samples", "32"}, {"continuous-score", "128"}},
       "light-dark"});
  return all;
}

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

void add_controller(Digest& d, const Fsc& fsc) {
  d.add(uint64_t(fsc.start));
  for (int action : fsc.action) d.add(uint64_t(action));
  for (int node : fsc.edges) d.add(uint64_t(node));
}

void add_controller(Digest& d, const LikelihoodController& c) {
  d.add(uint64_t(c.start));
  for (const auto& node : c.nodes) {
    d.add(uint64_t(node->action));
    for (int successor : node->successor) d.add(uint64_t(successor));
    for (float value : node->value) d.add_rounded(value);
  }
}

uint64_t digest(const Solution& s) {
  Digest d;
  d.add(s.status);
  d.add(s.backups);
  if (const auto* fnc = policy_as<Fnc>(s.policy)) add_controller(d, fnc->fsc);
  if (const auto* controller = policy_as<LikelihoodController>(s.policy))
    add_controller(d, *controller);
  if (const auto* actor = policy_as<RecurrentActor>(s.policy)) {
    d.add(uint64_t(0));
    for (float value : actor->net.plain()) d.add_rounded(value);
  }
  const auto* vectors = policy_as<VectorPolicy>(s.policy);
  if (!vectors) return d.value();
  add_controller(d, vectors->controller);
  for (const AlphaVectors::Vector& vector : vectors->vectors.vectors) {
    d.add(uint64_t(vector.action));
    d.add(uint64_t(vector.part));
    for (double value : vector.value) d.add_rounded(value);
  }
  return d.value();
}

int num_nodes(const Solution& s) {
  if (const auto* fnc = policy_as<Fnc>(s.policy)) return fnc->fsc.num_nodes();
  if (const auto* controller = policy_as<LikelihoodController>(s.policy))
    return controller->num_nodes();
  const auto* vectors = policy_as<VectorPolicy>(s.policy);
  return vectors ? vectors->controller.num_nodes() : 0;
}

std::vector<SignatureCase> run_all(ThreadPool& pool) {
  std::vector<SignatureCase> cases;
  for (const Form& form : forms())
    for (const char* name : kModels) {
      if (form.model) name = form.model;
      const std::unique_ptr<Pomdp> model = load_domain(name);
      const std::unique_ptr<Solver> solver = make_solver(form.solver);
      OptionList options = solver->options();
      for (const auto& [option, value] : form.settings) options.set(option, value);
      if (!model->has(solver->needs())) continue;
      Limits limits;
      limits.seconds = 0;
      limits.backups = kBackups;
      SignatureCase run{form.name, name, {}, 0};
      run.solution = solver->solve(*model, limits, 1, pool, [](const SolveProgress&) {});
      run.signature = digest(run.solution);
      cases.push_back(std::move(run));
      if (form.model) break;
    }
  return cases;
}

}  // namespace

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
                             {"nodes", num_nodes(c.solution)},
                             {"seconds", c.solution.seconds},
                             {"signature", fmt::format("{:016x}", c.signature)}});
    print_json(out);
    return kOk;
  }
  for (const SignatureCase& c : cases) {
    if (o.number_only) break;
    fmt::print("{:<15} {:<24} {:5} backups {:6} nodes {:8.3f} s  {:016x}\n", c.solver, c.model,
               c.solution.backups, num_nodes(c.solution), c.solution.seconds, c.signature);
  }
  fmt::print("{:016x} {}\n", all.value(), instruction_set());
  return kOk;
}

}  // namespace penumbra::cli
