// How much a search finds at the beliefs of a controller: how often its plan is better than the
// controller on fresh states by more than two standard errors, and by how much.
//
//   bench_search_gain DOMAIN POLICY [SIMULATIONS] [BELIEFS] [SCENARIOS] [DEPTH] [NETWORKS]
#include <fmt/format.h>

#include <chrono>
#include <cstdlib>

#include "domains/registry.h"
#include "penumbra/base/moments.h"
#include "penumbra/belief/particle_filter.h"
#include "penumbra/bounds/mdp_value.h"
#include "penumbra/io/any_policy.h"
#include "penumbra/policy/rollouts.h"
#include "penumbra/search/despot.h"

using namespace penumbra;

namespace {

constexpr int kParticles = 20'000;
constexpr int kJudges = 20'000;

int number(int argc, char** argv, int at, int fallback) {
  return argc > at ? std::atoi(argv[at]) : fallback;
}

Estimate gain_of(const Pomdp& model, const Fsc& fsc, int plan, int own, const Particles& belief,
                 RngKey key) {
  const RecordBuffer states = resample(belief, kJudges, key).states;
  Rollouts rollouts(model, horizon_for(model.facts(), 0.01));
  const std::vector<float> with = rollouts.returns(fsc, plan, states, key),
                           without = rollouts.returns(fsc, own, states, key);
  Moments difference;
  for (int i = 0; i < kJudges; ++i) difference.add(double(with[i]) - without[i]);
  return difference.estimate();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) {
    fmt::print(
        stderr,
        "bench_search_gain DOMAIN POLICY [SIMULATIONS] [BELIEFS] [SCENARIOS] [DEPTH] [NETWORKS]\n");
    return 2;
  }
  const std::unique_ptr<Pomdp> model = load_finite_domain(argv[1]);
  const PolicyData policy = load_policy_data(argv[2], *model);
  const auto* controller = policy_as<Fnc>(policy);
  if (!controller) {
    fmt::print(stderr, "{} holds no controller\n", argv[2]);
    return 1;
  }
  const uint64_t simulations = number(argc, argv, 3, 200);
  const int wanted = number(argc, argv, 4, 50);
  ThreadPool pool(1);
  const RngKey key = RngKey::from_seed(1).fold("search gain");
  const auto guide = std::make_shared<search::Guide>(*model, *controller, argv[2]);
  const std::shared_ptr<const MdpValue> values = make_mdp_value(*model, {}, key, pool);
  search::DespotOptions options;
  options.scenarios = number(argc, argv, 5, options.scenarios);
  options.bounds.judges = 0;
  options.bounds.depth = number(argc, argv, 6, options.bounds.depth);
  options.bounds.networks = number(argc, argv, 7, 1) != 0;
  const search::Despot planner(*model, options, guide, values);
  const auto search = planner.start(nullptr);
  const ParticleFilter filter(*model, {.num_particles = kParticles});
  Moments gained;
  int beliefs = 0, proposed = 0, better = 0, worse = 0;
  double seconds = 0;
  for (uint64_t episode = 0; beliefs < wanted; ++episode) {
    const RngKey own = key.fold(episode);
    RecordBuffer state(model->state_size(), 1);
    model->sample_initial({own.fold("state")}, state);
    Particles belief = filter.initial(own);
    int node = controller->fsc.start;
    StepBuffers buffers(*model, 1);
    for (int t = 0; t < 60 && beliefs < wanted; ++t) {
      if ((t + episode) % 5 == 0) {
        ++beliefs;
        const auto start = std::chrono::steady_clock::now();
        const search::Decision decision = search->plan({belief.states, belief.weights, node},
                                                       {.simulations = simulations}, own.fold(t));
        seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
        double gain = 0;
        if (decision.by_search) {
          ++proposed;
          Fsc fsc = controller->fsc;
          const int plan = dynamic_cast<search::BoundSearch&>(*search).append_plan(fsc);
          const Estimate e = gain_of(*model, fsc, plan, node, belief, own.fold("judge").fold(t));
          gain = e.mean;
          better += e.mean > 2 * e.standard_error;
          worse += e.mean < -2 * e.standard_error;
        }
        gained.add(std::max(gain, 0.0));
        fmt::print(
            "episode {} step {}: lower {:.3f} upper {:.3f} gain {:+.3f} beliefs {} depth {} after "
            "{} descents\n",
            episode, t, decision.lower, decision.upper, gain, decision.beliefs, decision.depth,
            decision.simulations);
      }
      const int action = controller->fsc.action[node];
      const StepResults out = buffers.results(1);
      model->step(state, std::span<const int>(&action, 1), {own.fold("step").fold(t)}, out);
      if (out.ended[0]) break;
      const int seen = index_of(out.seen, 0);
      filter.update(belief, action, seen, own.fold("filter").fold(t));
      state.copy_from(0, out.next.at(0));
      node = controller->fsc.next(node, seen);
    }
  }
  fmt::print(
      "{} beliefs, {:.3f} s each: a plan at {}, better at {}, worse at {}; mean gain {:.4f}\n",
      beliefs, seconds / beliefs, proposed, better, worse, gained.estimate().mean);
}
