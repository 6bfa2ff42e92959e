// What a cluster would do for one solve: a model fed with times that are measured here. Prints the
// inputs, then the time of a round and to the same score for 4 to 1024 cores, with proposals and
// with islands (docs/cluster.md).
//   bench_cluster [DOMAIN [ROUNDS]]
// How much faster rounds are because proposals fit their functions themselves, on two threads:
//   bench_cluster fits [DOMAIN [ROUNDS]]
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <ctime>
#include <mutex>
#include <numeric>

#include "domains/registry.h"
#include "penumbra/base/moments.h"
#include "penumbra/base/share_out.h"
#include "penumbra/bounds/mdp_value.h"
#include "penumbra/evaluate/score.h"
#include "penumbra/solvers/controller/growing_controller.h"
#include "penumbra/solvers/controller/proposal.h"
#include "penumbra/solvers/nvi/network_candidates.h"

namespace penumbra {
namespace {

using namespace controller;

constexpr int kProposals = 4;
constexpr double kRoundsExponent = -0.55;  // rounds to the same score by proposals in each
// Backups of one controller over those of each of four islands at the same score; other numbers of
// islands were not measured (docs/notes/2026-11-cluster.md).
constexpr int kIslands = 4;
constexpr double kIslandGain = 1.9;
constexpr int kCoresPerRank = 16;

// Of this thread: other work on the machine does not count.
double seconds_now() {
  timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

struct Measured {
  std::vector<double> proposal;              // seconds of each, fits included
  double merge = 0, bytes = 0, backups = 0;  // of one proposal
  double state = 0;                          // bytes of a controller with its functions
  double episodes = 0;                       // seconds of 1024
};

template <class T>
double bytes_of(T& value) {
  BytesSink sink;
  Saver saver(sink);
  saver(value);
  return static_cast<double>(sink.bytes.size());
}

// Rounds as nvi makes them from blind policies, in pieces that can be timed.
class Pieces {
 public:
  Pieces(const Pomdp& model, Candidates& candidates, ThreadPool& pool)
      : model_(model),
        values_(make_mdp_value(model, options_.mdp, root_.fold("mdp"), pool)),
        candidates_(candidates),
        controller_(model.facts().num_observations, candidates) {
    candidates.set_pool(RecordBuffer(model.state_size()), pool);
    Rollouts rollouts(model, options_.depth(model.facts()));
    RecordBuffer states(model.state_size(), 512);
    model.sample_initial({root_.fold("blind")}, states);
    for (int a = 0; a < model.facts().num_actions; ++a) {
      const int node = controller_.add_blind(a);
      const std::vector<float> returns =
          rollouts.returns(controller_.fsc(), node, states, root_.fold("blind"));
      candidates.add(node, {states, returns}, {}, root_.fold("fit").fold(node), pool);
    }
  }

  static std::unique_ptr<Candidates> functions(const Pomdp& model) {
    nvi::NetworkCandidateOptions how;
    how.bank.form = nn::BankForm::kGated;
    return std::make_unique<nvi::NetworkCandidates>(model, how,
                                                    RngKey::from_seed(1).fold("library"));
  }

  Proposal propose(int round, size_t i) const {
    const RngKey key = root_.fold(round);
    const ProposalContext context{model_, options_, *values_, candidates_, controller_.fsc()};
    Rng rng(key, i);
    const auto burst = static_cast<Burst>(rng.below(static_cast<int>(Burst::kFollow)));
    const bool first = round < options_.whole_first;
    const bool whole = first || rng.bernoulli(options_.whole_bursts);
    return make_proposal(context, {burst, first, whole}, key.fold("proposal").fold(i), key);
  }

  void merge(int round, const std::vector<Proposal>& proposals) {
    for (const Proposal& p : proposals)
      controller_.take_over(
          p, options_.keep_excursions, [](const Fsc&, int, int) { return false; }, work_);
    controller_.end_round(round, 12);
  }

  const Fsc& fsc() const { return controller_.fsc(); }
  double state() { return bytes_of(controller_) + bytes_of(candidates_); }

 private:
  const Pomdp& model_;
  const RngKey root_ = RngKey::from_seed(1);
  const RoundsOptions options_{};
  std::unique_ptr<MdpValue> values_;
  Candidates& candidates_;
  GrowingController controller_;
  Work work_;
};

// Every piece timed on its own.
Measured measure(const Pomdp& model, int rounds) {
  ThreadPool pool(1);
  const std::unique_ptr<Candidates> candidates = Pieces::functions(model);
  Pieces pieces(model, *candidates, pool);
  Measured out;
  for (int round = 0; round < rounds; ++round) {
    std::vector<Proposal> proposals;
    for (int i = 0; i < kProposals; ++i) {
      const double start = seconds_now();
      proposals.push_back(pieces.propose(round, i));
      out.proposal.push_back(seconds_now() - start);
      out.bytes += bytes_of(proposals.back());
      out.backups += static_cast<double>(proposals.back().backups);
    }
    const double start = seconds_now();
    pieces.merge(round, proposals);
    out.merge += seconds_now() - start;
  }
  const auto count = static_cast<double>(out.proposal.size());
  out.merge /= count;
  out.bytes /= count;
  out.backups /= count;
  out.state = pieces.state();
  EvaluateOptions scored;
  scored.episodes = 64 * 1024;
  const double start = seconds_now();
  evaluate(model, FscPolicy(pieces.fsc(), model.facts()), scored, pool);
  out.episodes = (seconds_now() - start) / 64;
  return out;
}

// One round of so many proposals: each rank makes every ranks-th of them, its cores take the next
// one when they are free.
double round_seconds(const Measured& m, int cores, int proposals, Rng& rng) {
  const int ranks = (cores + kCoresPerRank - 1) / kCoresPerRank;
  double longest = 0;
  for (int r = 0; r < ranks; ++r) {
    std::vector<double> free(std::min(cores, kCoresPerRank), 0.0);
    for (int i = r; i < proposals; i += ranks) {
      auto next = std::min_element(free.begin(), free.end());
      *next += m.proposal[rng.below(static_cast<uint32_t>(m.proposal.size()))];
    }
    longest = std::max(longest, *std::max_element(free.begin(), free.end()));
  }
  return longest;
}

double mean_round(const Measured& m, int cores, int proposals) {
  constexpr int kDraws = 200;
  Rng rng(RngKey::from_seed(7), static_cast<uint64_t>(cores) * 4096 + proposals);
  double sum = 0;
  for (int i = 0; i < kDraws; ++i) sum += round_seconds(m, cores, proposals, rng);
  return sum / kDraws + m.merge * proposals;
}

// All proposals to all ranks: a tree of messages, then everything once over the slowest line.
double gather_seconds(const Measured& m, int cores, int proposals, double latency, double rate) {
  const int ranks = (cores + kCoresPerRank - 1) / kCoresPerRank;
  if (ranks == 1) return 0;
  return 2 * latency * std::ceil(std::log2(ranks)) + m.bytes * proposals / rate;
}

void print_rounds(const Measured& m, int per_core) {
  const double first = mean_round(m, 4, kProposals);  // what everything is compared with
  fmt::print("\n{} per core\n",
             per_core == 1 ? "one proposal" : fmt::format("{} proposals", per_core));
  fmt::print(
      "| cores | ranks | proposals | round, ms | gather 1 / 10 / 100 Gbit, ms | proposals a second "
      "| time to the same score |\n|--:|--:|--:|--:|--:|--:|--:|\n");
  for (int cores = 4; cores <= 1024; cores *= 4) {
    const int proposals = per_core * cores;
    const double work = mean_round(m, cores, proposals);
    const double slow = gather_seconds(m, cores, proposals, 50e-6, 0.11e9),
                 medium = gather_seconds(m, cores, proposals, 25e-6, 1.1e9),
                 fast = gather_seconds(m, cores, proposals, 2e-6, 11e9);
    const double round = work + medium, rate = proposals / round;
    const double time = round * std::pow(double(proposals) / kProposals, kRoundsExponent);
    fmt::print("| {} | {} | {} | {:.0f} | {:.1f} / {:.2f} / {:.2f} | {:.1f}x | 1/{:.1f} |\n", cores,
               (cores + kCoresPerRank - 1) / kCoresPerRank, proposals, 1000 * work, 1000 * slow,
               1000 * medium, 1000 * fast, rate * first / kProposals, first / time);
  }
}

// Four islands, each on a machine with a quarter of the cores, and a proposal for each core. What
// is exchanged is the state of all, for all ranks.
void print_islands(const Measured& m) {
  constexpr double kLatency = 25e-6, kRate = 1.1e9;  // 10 Gbit
  const IslandOptions options;
  const double first = mean_round(m, 4, kProposals);
  fmt::print(
      "\n{} islands, one proposal per core, exchange every {} backups\n"
      "| cores | proposals of each | round, ms | from exchange to exchange, s | exchange 10 Gbit, "
      "ms "
      "| time to the same score |\n|--:|--:|--:|--:|--:|--:|\n",
      kIslands, options.exchange);
  for (int cores = 16; cores <= 1024; cores *= 4) {
    const int proposals = cores / kIslands;
    const double round = mean_round(m, proposals, proposals);
    const double work = round * std::max(1.0, options.exchange / (m.backups * proposals));
    // With its best policy, which is most of the state once more.
    const double sent = 4 * kLatency + 2 * m.state * kIslands / kRate;
    const double time = (1 + sent / work) * round *
                        std::pow(double(proposals) / kProposals, kRoundsExponent) / kIslandGain;
    fmt::print("| {} | {} | {:.0f} | {:.2f} | {:.1f} | 1/{:.1f} |\n", cores, proposals,
               1000 * round, work, 1000 * sent, first / time);
  }
}

void print_scores(const Measured& m) {
  fmt::print("\nA score of a million episodes\n| cores | seconds |\n|--:|--:|\n");
  for (int cores = 4; cores <= 1024; cores *= 4) {
    const int chunks = 977, rounds = (chunks + cores - 1) / cores;
    fmt::print("| {} | {:.2f} |\n", cores, rounds * m.episodes);
  }
}

// Candidates that fit their functions when nodes are taken over, one after the other, as it was
// before proposals did.
class FitLater final : public Candidates {
 public:
  explicit FitLater(std::unique_ptr<Candidates> inner) : inner_(std::move(inner)) {}

  FittedNode fit(const TrainingSet& own, std::span<const float> returns, RngKey key,
                 ThreadPool*) const override {
    const std::lock_guard lock(mutex_);
    later_.push_back({own, {returns.begin(), returns.end()}, key});
    return {{}, {static_cast<float>(later_.size() - 1)}};
  }
  void insert(int node, const FittedNode& fitted) override {
    const Later& l = later_[static_cast<size_t>(fitted.origin[0])];
    inner_->insert(node, inner_->fit(l.own, l.returns, l.key, nullptr));
  }
  void forget() { later_.clear(); }

  void find(const CandidateQuery& q, std::vector<std::vector<int>>& out) const override {
    inner_->find(q, out);
  }
  std::vector<float> origin(ConstRecords states) const override { return inner_->origin(states); }
  uint64_t network_evaluations(size_t n) const override { return inner_->network_evaluations(n); }
  void hand_over(int from, int to) override { inner_->hand_over(from, to); }
  void renumber(std::span<const int> number) override { inner_->renumber(number); }
  void set_pool(RecordBuffer s, ThreadPool& pool) override { inner_->set_pool(std::move(s), pool); }
  const RecordBuffer& pool_states() const override { return inner_->pool_states(); }
  std::unique_ptr<Candidates> fresh(RngKey key, ThreadPool& pool) const override {
    return inner_->fresh(key, pool);
  }
  void archive(Saver& saver) override { inner_->archive(saver); }
  void archive(Loader& loader) override { inner_->archive(loader); }

 private:
  struct Later {
    TrainingSet own;
    std::vector<float> returns;
    RngKey key;
  };
  std::unique_ptr<Candidates> inner_;
  mutable std::mutex mutex_;
  mutable std::vector<Later> later_;
};

// Seconds of so many rounds on two threads, by the clock.
double seconds_of_rounds(const Pomdp& model, int rounds, bool later, Fsc& found) {
  ThreadPool pool(2);
  std::unique_ptr<Candidates> candidates = Pieces::functions(model);
  FitLater* fit_later = nullptr;
  if (later) {
    auto wrapped = std::make_unique<FitLater>(std::move(candidates));
    fit_later = wrapped.get();
    candidates = std::move(wrapped);
  }
  Pieces pieces(model, *candidates, pool);
  const auto start = std::chrono::steady_clock::now();
  for (int round = 0; round < rounds; ++round) {
    pieces.merge(round, share_out<Proposal>(pool, kProposals,
                                            [&](size_t i) { return pieces.propose(round, i); }));
    if (fit_later) fit_later->forget();
  }
  found = pieces.fsc();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

int compare_fits(const std::string& domain, int rounds) {
  const auto model = load_domain(domain);
  std::vector<double> ratio;
  fmt::print("{}, {} rounds of {} proposals, two threads, in turn\n", domain, rounds, kProposals);
  for (int turn = 0; turn < 5; ++turn) {
    Fsc before, after;
    const double merged = seconds_of_rounds(*model, rounds, true, before),
                 proposed = seconds_of_rounds(*model, rounds, false, after);
    ratio.push_back(merged / proposed);
    fmt::print("  fits while merging {:.2f} s, within proposals {:.2f} s: {:.2f} x{}\n", merged,
               proposed, ratio.back(), before == after ? "" : ", another controller");
    if (before != after) return 1;
  }
  std::sort(ratio.begin(), ratio.end());
  fmt::print("median {:.2f} x, the same controller\n", ratio[ratio.size() / 2]);
  return 0;
}

}  // namespace
}  // namespace penumbra

int main(int argc, char** argv) {
  using namespace penumbra;
  if (argc > 1 && std::string(argv[1]) == "fits")
    return compare_fits(argc > 2 ? argv[2] : "rock-sample(n=15,k=15)",
                        argc > 3 ? std::stoi(argv[3]) : 20);
  const std::string domain = argc > 1 ? argv[1] : "rock-sample(n=11,k=11)";
  const int rounds = argc > 2 ? std::stoi(argv[2]) : 100;
  const Measured m = measure(*load_domain(domain), rounds);
  std::vector<double> sorted = m.proposal;
  std::sort(sorted.begin(), sorted.end());
  const double mean = std::accumulate(sorted.begin(), sorted.end(), 0.0) / double(sorted.size());
  double squares = 0;
  for (double t : sorted) squares += (t - mean) * (t - mean);
  fmt::print("{}, {} rounds of {} proposals, one thread\n", domain, rounds, kProposals);
  fmt::print("  proposal  mean {:.1f} ms, deviation {:.1f}, median {:.1f}, longest {:.1f}\n",
             1000 * mean, 1000 * std::sqrt(squares / double(sorted.size())),
             1000 * sorted[sorted.size() / 2], 1000 * sorted.back());
  fmt::print("  merge     {:.3f} ms a proposal\n  bytes     {:.0f} a proposal\n", 1000 * m.merge,
             m.bytes);
  fmt::print("  backups   {:.1f} a proposal\n  state     {:.0f} bytes\n", m.backups, m.state);
  fmt::print("  episodes  {:.1f} ms for 1024\n", 1000 * m.episodes);
  print_rounds(m, 1);
  print_rounds(m, 4);
  print_islands(m);
  print_scores(m);
}
