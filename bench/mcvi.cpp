// Simulator calls of one backup at the same belief with the same controller size: MCVI's as the
// paper prints it (and its formula), NVI's as the paper prints it, and the two defaults, whose
// candidates race by simulation or are asked from networks.
//
//   bench_mcvi [DOMAIN [PARTICLES]]
#include <fmt/format.h>

#include <numeric>

#include "domains/registry.h"
#include "penumbra/evaluate/simulate.h"
#include "penumbra/solvers/controller/verified_backup.h"
#include "penumbra/solvers/mcvi/mc_backup.h"
#include "penumbra/solvers/mcvi/race.h"
#include "penumbra/solvers/nvi/network_backup.h"
#include "penumbra/solvers/nvi/network_candidates.h"

using namespace penumbra;

namespace {

Particles initial_belief(const Pomdp& model, size_t count) {
  Particles belief(model.state_size(), count);
  model.sample_initial({RngKey::from_seed(1).fold("belief")}, belief.states);
  return belief;
}

// A controller of random nodes: what it does matters little for the count.
Fsc random_controller(const Facts& facts, int nodes) {
  Fsc fsc;
  fsc.num_observations = facts.num_observations;
  Rng rng(RngKey::from_seed(2), 0);
  for (int n = 0; n < nodes; ++n) fsc.add_node(static_cast<int>(rng.below(facts.num_actions)));
  for (int n = 0; n < nodes; ++n)
    for (int o = 0; o < facts.num_observations; ++o)
      fsc.set_edge(n, o, static_cast<int>(rng.below(nodes)));
  return fsc;
}

struct Count {
  double steps, networks;
};

// One verified backup over all actions.
Count verified(const Pomdp& model, controller::Candidates& candidates, Fsc fsc,
               const Particles& belief, ThreadPool& pool) {
  const controller::BackupOptions options;
  const Facts& facts = model.facts();
  const int depth = horizon_for(facts, 0.1 * (facts.max_reward - facts.min_reward));
  candidates.set_pool(RecordBuffer(model.state_size()), pool);
  controller::TrainingSet own{RecordBuffer(model.state_size()), std::vector<float>(64)};
  own.states.append(belief.states.sub(0, 64));
  for (int n = 0; n < fsc.num_nodes(); ++n)
    candidates.add(n, own, {}, RngKey::from_seed(3).fold(n), pool);
  Rollouts rollouts(model, depth);
  controller::VerifiedBackup backup(model, options, candidates, rollouts);
  std::vector<int> actions(facts.num_actions);
  std::iota(actions.begin(), actions.end(), 0);
  backup.run(fsc, belief.states, -1, actions, {}, 0, RngKey::from_seed(4));
  return {static_cast<double>(rollouts.steps()) + backup.work().simulator_steps,
          backup.work().network_evaluations};
}

}  // namespace

int main(int argc, char** argv) {
  const auto model = load_finite_domain(argc > 1 ? argv[1] : "rock-sample(n=7,k=8,map_seed=1)");
  const int particles = argc > 2 ? std::stoi(argv[2]) : 1000;
  const Facts& facts = model->facts();
  ThreadPool pool;
  const controller::BackupOptions sizes;
  const Particles belief =
      initial_belief(*model, std::max<size_t>(particles, sizes.particles(facts.num_observations)));
  fmt::print("{}, {} particles, simulator calls of one backup at b0\n", facts.name, particles);
  fmt::print("{:>6} {:>16} {:>16} {:>16} {:>16} {:>16}\n", "nodes", "MCVI formula", "MCVI paper",
             "NVI paper", "mcvi default", "nvi default");
  for (int nodes : {1, 10, 100, 1000}) {
    const Fsc fsc = random_controller(facts, nodes);
    // As printed. What a backup of |G| nodes takes is measured on one of them and multiplied where
    // it would take too long.
    mcvi::PaperOptions mc;
    mc.num_particles = particles;
    Work mc_work;
    const int measured = std::min(nodes, 10);
    mcvi::McBackup mc_backup(*model, mc, pool, mc_work);
    mc_backup.set_controller(random_controller(facts, measured));
    mc_backup.run(belief, RngKey::from_seed(5), {});
    const double one_step = double(facts.num_actions) * particles;
    const double mc_steps = one_step + (mc_work.simulator_steps - one_step) * nodes / measured;
    const double formula = mc_backup.printed_cost() * nodes / mc_backup.fsc().num_nodes();
    // NVI simulates every (action, particle) once, and nb_sim steps from each training state.
    const nvi::PaperOptions paper;
    const double nvi_steps = one_step + double(paper.num_samples) * paper.num_sims;
    mcvi::Race race(*model, {}, RngKey::from_seed(6));
    nvi::NetworkCandidates library(*model, {}, RngKey::from_seed(6));
    const Count raced = verified(*model, race, fsc, belief, pool);
    const Count asked = verified(*model, library, fsc, belief, pool);
    fmt::print("{:>6} {:>16.0f} {:>16.0f} {:>16.0f} {:>16.0f} {:>16.0f}\n", nodes, formula,
               mc_steps, nvi_steps, raced.steps, asked.steps);
  }
}
