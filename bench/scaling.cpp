// How nvi grows with the problem: CPU time per backup and memory against the rocks of rock-sample,
// against nodes, against the particles of a belief, and against the dimensions of light-dark. Every
// curve ends with the power of a line through it on logarithmic scales: 1 is linear.
//
//   bench_scaling [rocks | nodes | particles | dimensions ...]      all of them: three to four
//   minutes
//
// Each point is a process of its own with one thread: its peak memory is its own, and its CPU time
// hardly depends on what else the machine does. docs/scaling.md has the figures.
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <ctime>
#include <functional>
#include <numeric>

#include "domains/registry.h"
#include "penumbra/base/memory.h"
#include "penumbra/bounds/mdp_value.h"
#include "penumbra/evaluate/simulate.h"
#include "penumbra/solvers/controller/verified_backup.h"
#include "penumbra/solvers/nvi/head_plan.h"
#include "penumbra/solvers/nvi/network_candidates.h"
#include "penumbra/solvers/registry.h"

using namespace penumbra;

namespace {

double cpu_now() {
  return double(std::clock()) / CLOCKS_PER_SEC;
}

const Stop kNever = [] { return false; };

struct Point {
  double x = 0;           // what grows
  double before = 0;      // CPU seconds before the first backup
  double per_backup = 0;  // CPU seconds
  double megabytes = 0;   // at most
  double value = 0;       // simulated, where there is one
  uint64_t backups = 0;
};

// Runs in a process of its own. Nothing may hold threads here.
Point apart(const std::function<Point()>& measure) {
  int ends[2];
  if (pipe(ends) != 0) throw Error("no pipe");
  const pid_t child = fork();
  if (child == 0) {
    Point point = measure();
    point.megabytes = double(peak_resident_bytes()) / 1e6;
    const bool written = write(ends[1], &point, sizeof point) == sizeof point;
    _exit(written ? 0 : 1);
  }
  close(ends[1]);
  Point point;
  const bool whole = read(ends[0], &point, sizeof point) == sizeof point;
  close(ends[0]);
  waitpid(child, nullptr, 0);
  if (!whole) throw Error("a point ended early");
  return point;
}

// The power b of y = a x^b by least squares.
double power(const std::vector<Point>& points, double Point::*y) {
  double sx = 0, sy = 0, sxx = 0, sxy = 0;
  for (const Point& p : points) {
    const double u = std::log(p.x), v = std::log(p.*y);
    sx += u, sy += v, sxx += u * u, sxy += u * v;
  }
  const double n = double(points.size());
  return (n * sxy - sx * sy) / (n * sxx - sx * sx);
}

void print_curve(const char* title, const char* grows, const std::vector<Point>& points) {
  fmt::print("{}\n\n| {} | ms per backup | s before | MB | backups | value |\n", title, grows);
  fmt::print("|--:|--:|--:|--:|--:|--:|\n");
  for (const Point& p : points)
    fmt::print("| {} | {:.3f} | {:.2f} | {:.0f} | {} | {:.2f} |\n", p.x, 1e3 * p.per_backup,
               p.before, p.megabytes, p.backups, p.value);
  fmt::print("| power | {:.2f} | | {:.2f} | | |\n\n", power(points, &Point::per_backup),
             power(points, &Point::megabytes));
  std::fflush(stdout);
}

// A solve of nvi as a user runs it: all work between the first backup and the last counts.
Point solved(double x, const std::string& spec, uint64_t backups, double seconds,
             const std::string& anchors = "0") {
  const auto model = load_finite_domain(spec);
  const auto solver = make_solver("nvi");
  solver->options().set("anchors", anchors);
  ThreadPool pool(1);
  const double start = cpu_now();
  Point point{.x = x};
  double first = 0;
  uint64_t done = 0;
  Limits limits;
  limits.backups = backups;
  limits.seconds = seconds;
  const Solution solution = solver->solve(*model, limits, 1, pool, [&](const SolveProgress& p) {
    if (p.backups == 0 || first == 0) first = cpu_now(), done = p.backups;
    point.value = p.simulated.mean;
  });
  point.before = first - start;
  point.backups = solution.backups;
  point.per_backup = (cpu_now() - first) / double(std::max<uint64_t>(1, point.backups - done));
  return point;
}

// The plan alone, with a belief of as many particles.
Point planned(const Pomdp& model, int particles, uint64_t backups) {
  ThreadPool pool(1);
  const double start = cpu_now();
  const auto values = make_mdp_value(model, {}, RngKey::from_seed(1), pool);
  nvi::HeadPlanOptions options;
  options.belief.particles = particles;
  nvi::HeadPlan plan(model, options, *values, RngKey::from_seed(1), pool, kNever);
  Point point{.x = double(particles), .before = cpu_now() - start};
  const double first = cpu_now();
  while (plan.backups() < backups) plan.run(kNever);
  point.backups = plan.backups();
  point.per_backup = (cpu_now() - first) / double(point.backups);
  point.value = plan.claim();
  return point;
}

// The plan as it grows, in stretches: what a backup takes when it has as many nodes. `most_heads`
// functions are kept per category.
std::vector<Point> growing_plan(const Pomdp& model, int most_heads) {
  std::vector<Point> points;
  int ends[2];
  if (pipe(ends) != 0) throw Error("no pipe");
  const pid_t child = fork();
  if (child == 0) {
    ThreadPool pool(1);
    const auto values = make_mdp_value(model, {}, RngKey::from_seed(1), pool);
    nvi::HeadPlanOptions options;
    options.most_heads = most_heads;
    nvi::HeadPlan plan(model, options, *values, RngKey::from_seed(1), pool, kNever);
    for (uint64_t backups : {300, 1000, 3000, 10'000, 30'000}) {
      while (double(plan.backups()) < 0.8 * double(backups)) plan.run(kNever);
      const double first = cpu_now();
      const uint64_t from = plan.backups();
      while (plan.backups() < backups || plan.backups() == from) plan.run(kNever);
      const uint64_t done = plan.backups() - from;
      const Point point{double(plan.num_nodes()),
                        0,
                        (cpu_now() - first) / double(done),
                        double(resident_bytes()) / 1e6,
                        plan.claim(),
                        plan.backups()};
      if (write(ends[1], &point, sizeof point) != sizeof point) _exit(1);
    }
    _exit(0);
  }
  close(ends[1]);
  for (Point p; read(ends[0], &p, sizeof p) == sizeof p;) points.push_back(p);
  close(ends[0]);
  waitpid(child, nullptr, 0);
  return points;
}

// A verified backup at b0 in a controller of random nodes that all have a function for b0's cell:
// the most that a query can have to look at.
Point verified(const Pomdp& model, int nodes) {
  ThreadPool pool(1);
  const Facts& facts = model.facts();
  const double start = cpu_now();
  Fsc fsc;
  fsc.num_observations = facts.num_observations;
  Rng rng(RngKey::from_seed(2), 0);
  for (int n = 0; n < nodes; ++n) fsc.add_node(static_cast<int>(rng.below(facts.num_actions)));
  for (int n = 0; n < nodes; ++n)
    for (int o = 0; o < facts.num_observations; ++o)
      fsc.set_edge(n, o, static_cast<int>(rng.below(nodes)));
  const controller::BackupOptions options;
  RecordBuffer belief(model.state_size(), options.particles(facts.num_observations));
  model.sample_initial({RngKey::from_seed(1)}, belief);
  nvi::NetworkCandidateOptions how;
  how.bank.form = nn::BankForm::kGated;
  nvi::NetworkCandidates candidates(model, how, RngKey::from_seed(6));
  candidates.set_pool(RecordBuffer(model.state_size()), pool);
  controller::TrainingSet own{RecordBuffer(model.state_size()), std::vector<float>(64)};
  own.states.append(belief.sub(0, 64));
  for (int n = 0; n < nodes; ++n) {
    for (float& value : own.returns) value = static_cast<float>(rng.uniform());
    candidates.add(n, own, {}, RngKey::from_seed(3).fold(n), pool);
  }
  Rollouts rollouts(model, horizon_for(facts, 0.1 * (facts.max_reward - facts.min_reward)));
  controller::VerifiedBackup backup(model, options, candidates, rollouts);
  std::vector<int> actions(facts.num_actions);
  std::iota(actions.begin(), actions.end(), 0);
  Point point{.x = double(nodes), .before = cpu_now() - start};
  const double first = cpu_now();
  do {
    backup.run(fsc, belief, -1, actions, {}, 0, RngKey::from_seed(4).fold(point.backups++));
  } while (cpu_now() - first < 1);
  point.per_backup = (cpu_now() - first) / double(point.backups);
  return point;
}

void rocks() {
  std::vector<Point> points;
  for (int k : {8, 11, 15, 20, 30, 40, 50})
    points.push_back(
        apart([&] { return solved(k, fmt::format("rock-sample(n={0},k={0})", k), 3000, 30); }));
  print_curve("rock-sample(n=k,k=k), up to 3000 backups or 30 s", "k", points);
}

void nodes() {
  const auto model = load_domain("rock-sample(n=11,k=11)");
  print_curve("rock-sample(11,11), the plan, 400 functions per cell", "nodes",
              growing_plan(*model, 400));
  print_curve("rock-sample(11,11), the plan, every function kept", "nodes",
              growing_plan(*model, 1'000'000));
  std::vector<Point> points;
  for (int count : {100, 1000, 10'000, 100'000})
    points.push_back(apart([&] { return verified(*model, count); }));
  print_curve("rock-sample(11,11), a verified backup", "nodes", points);
}

void particles() {
  const auto model = load_domain("rock-sample(n=15,k=15)");
  std::vector<Point> points;
  for (int count : {1024, 4096, 16'384, 65'536, 262'144})
    points.push_back(apart([&] { return planned(*model, count, 1000); }));
  print_curve("rock-sample(15,15), 1000 backups", "particles", points);
}

void dimensions() {
  std::vector<Point> points;
  for (int d = 1; d <= 8; ++d)
    points.push_back(apart(
        [&] { return solved(d, fmt::format("light-dark(dimensions={})", d), 200, 30, "4000"); }));
  print_curve("light-dark at 4000 anchors, 200 backups or 30 s", "dimensions", points);
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> wanted(argv + 1, argv + argc);
  auto is_wanted = [&](const char* name) {
    return wanted.empty() || std::find(wanted.begin(), wanted.end(), name) != wanted.end();
  };
  if (is_wanted("rocks")) rocks();
  if (is_wanted("nodes")) nodes();
  if (is_wanted("particles")) particles();
  if (is_wanted("dimensions")) dimensions();
}
