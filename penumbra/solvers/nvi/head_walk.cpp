#include "penumbra/solvers/nvi/head_walk.h"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>

#include "penumbra/solvers/controller/explorer.h"
#include "penumbra/solvers/nvi/local_model.h"

namespace penumbra::nvi {
namespace {

using controller::Burst;
using controller::Explorer;
using controller::PathBelief;

constexpr double kExplore = 0.08;     // chance at each step to begin a burst
constexpr double kBurstLength = 10;   // mean steps
constexpr double kWhole = 0.25;       // share of walks that explore from their beginning
constexpr double kWeightless = 0.02;  // discount at which a walk ends
constexpr size_t kStates = 192;       // particles that a belief is backed up on
constexpr float kBroad = 0.1f;        // weight of the samples of a category beside them
constexpr double kRidge = 1e-3;
constexpr size_t kJudges = 16;       // particles per belief that correct what its node claims,
constexpr size_t kStartJudges = 75;  // and at b0
constexpr float kCaution = 0.1f;     // share of the fit's error that a new head gives up
constexpr int kExploreStates = 24;   // that an exploring action is chosen on

using Row = Eigen::Map<const Eigen::VectorXf>;
using Rows =
    Eigen::Map<const Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>;

class Walker {
 public:
  Walker(const HeadWalkContext& context, RngKey key, const Stop& stop)
      : c_(context), key_(key), stop_(stop), width_(context.samples.width()) {}

  HeadWalk run() {
    go_down();
    for (size_t i = path_.size(); i-- > 0 && !walk_.stopped;) {
      walk_.stopped = stop_();
      back_up(path_[i], key_.fold("back up").fold(i));
    }
    if (!walk_.stopped) correct();
    return std::move(walk_);
  }

 private:
  struct Point {
    BeliefMoments belief;
    controller::WeightedStates own;  // that it is backed up on
    RecordBuffer judges;             // drawn from it
  };
  struct Choice {
    float value = -HUGE_VALF;
    int action = -1;
    std::vector<int> next;
  };

  int known() const { return c_.nodes.num_nodes(); }

  // The weights of a node or draft, or null where it has none.
  const float* find(int node, int category) const {
    if (node < known()) return c_.heads.find(node, category);
    for (const HeadWalk::Draft::Head& head : walk_.drafts[node - known()].heads)
      if (head.category == category) return head.weights.data();
    return nullptr;
  }
  float value(int category, int node, const float* u) const {
    const float* w = find(node, category);
    return w ? Row(w, width_).dot(Row(u, width_)) : c_.heads.worst() * u[0];
  }
  float value(const BeliefMoments& belief, int node) const {
    float sum = 0;
    for (const BeliefMoments::Part& part : belief.parts)
      sum += value(part.category, node, part.u.data());
    return sum;
  }

  // The functions that follow each observation. States of one category mostly come together, so
  // that a function is looked up once for many of them.
  class Successors {
   public:
    Successors(const Walker& walker, const std::vector<int>& next)
        : walker_(walker), next_(next), weights_(next.size()) {}
    float value(int category, int o, const float* u) {
      if (category != category_) {
        category_ = category;
        for (size_t i = 0; i < next_.size(); ++i) weights_[i] = walker_.find(next_[i], category);
      }
      const int width = walker_.width_;
      return weights_[o] ? Row(weights_[o], width).dot(Row(u, width))
                         : walker_.c_.heads.worst() * u[0];
    }

   private:
    const Walker& walker_;
    const std::vector<int>& next_;
    int category_ = -1;
    std::vector<const float*> weights_;
  };

  // The node that claims most, drafts included.
  GatedHeads::Best best_node(const BeliefMoments& belief) const {
    GatedHeads::Best best = c_.heads.best(belief);
    for (size_t d = 0; d < walk_.drafts.size(); ++d) {
      const int node = known() + static_cast<int>(d);
      if (belief.parts.size() == 1 && !find(node, belief.parts[0].category)) continue;
      if (const float v = value(belief, node); v > best.value) best = {node, v};
    }
    return best;
  }
  int action_of(int node) const {
    return node < known() ? c_.nodes.action[node] : walk_.drafts[node - known()].action;
  }

  void go_down() {
    const size_t size = c_.model.state_size();
    Rng rng(key_.fold("walk"), 0);
    Explorer explorer(c_.model, c_.values, kExploreStates, c_.belief.use_likelihood);
    PathBelief belief(c_.model, c_.belief, key_.fold("belief"));
    RecordBuffer truth(size, 1);
    c_.model.sample_initial({key_.fold("truth")}, truth);
    StepBuffers buffers(c_.model, 1);
    int burst = 0, last = -1;
    Burst kind = Burst::kThompson;
    if (rng.bernoulli(kWhole)) {
      burst = c_.depth;
      kind = rng.bernoulli(0.6) ? Burst::kThompson : Burst::kAverage;
    }
    double weight = 1;
    for (int t = 0; t < c_.depth && weight > kWeightless; ++t) {
      if ((walk_.stopped = stop_())) return;
      const RngKey key = key_.fold("step").fold(t);
      Point& point = path_.emplace_back();
      point.own = belief.support(kStates, key);
      point.belief = c_.samples.moments(point.own.states, point.own.weights);
      if (point.belief.parts.empty()) return path_.pop_back();  // no function knows such states
      point.judges = belief.sample(t == 0 ? kStartJudges : kJudges, key.fold("judges"));
      if (burst > 0) {
        --burst;
      } else if (rng.bernoulli(kExplore)) {
        burst = 1 + int(-kBurstLength * std::log(1 - rng.uniform()));
        const double u = rng.uniform();
        kind = u < 0.5 ? Burst::kThompson : u < 0.85 ? Burst::kAverage : Burst::kPersistent;
        last = -1;
      }
      const int action = burst > 0 ? last = explorer.choose(belief, kind, last, key)
                                   : action_of(best_node(point.belief).node);
      const StepResults out = buffers.results(1);
      c_.model.step(truth, std::span<const int>(&action, 1), {key.fold("truth")}, out);
      if (out.ended[0]) return;
      truth.copy_from(0, out.next.at(0));
      if (!belief.advance(action, index_of(out.seen, 0), key)) return;
      weight *= c_.samples.discount();
    }
  }

  Choice look_ahead(const LocalModel& local, int action) const {
    const int observations = c_.samples.num_observations();
    Choice choice{0, action, std::vector<int>(observations, -1)};
    for (size_t m = 0; m < local.count(); ++m)
      choice.value += local.weight(m) * local.reward(action, m);
    choice.value += c_.samples.discount() * local.unknown(action) * c_.heads.worst();
    int any = -1;
    for (int o = 0; o < observations; ++o) {
      const BeliefMoments belief = local.after(action, o);
      if (belief.parts.empty()) continue;
      const GatedHeads::Best best = best_node(belief);
      any = choice.next[o] = best.node;
      choice.value += c_.samples.discount() * best.value;
    }
    for (int& next : choice.next)
      if (next < 0) next = std::max(any, 0);
    return choice;
  }

  // r + discount * sum_o O(o | x') alpha_{n_o}(x') on the belief's own states of a category and,
  // with less weight, on its samples, so that no slope is made up where the belief is certain.
  std::vector<float> backed_up(const Choice& choice, const LocalModel& local, int category) const {
    const int observations = c_.samples.num_observations(), n = c_.samples.samples(category);
    Successors successors(*this, choice.next);
    const std::vector<float> chances = c_.samples.chances(choice.action, category);
    std::vector<float> y(n);
    for (int m = 0; m < n; ++m) {
      const SampleModel::Next next = c_.samples.next(choice.action, category, m);
      float later = next.category == SampleModel::kUnknown ? c_.heads.worst() : 0;
      if (next.category >= 0) {
        const float* u = c_.samples.next_u(next).data();
        const float* chance = chances.data() + size_t(m) * observations;
        for (int o = 0; o < observations; ++o)
          if (chance[o] > 0) later += chance[o] * successors.value(next.category, o, u);
      }
      y[m] = next.reward + c_.samples.discount() * later;
    }
    std::vector<float> own_u, own_y, own_w;
    for (size_t m = 0; m < local.count(); ++m) {
      if (local.category(m) != category) continue;
      const int next = local.next_category(choice.action, m);
      const float* u = local.next_u(choice.action, m);
      float later = next == SampleModel::kUnknown ? c_.heads.worst() : 0;
      for (int o = 0; next >= 0 && o < observations; ++o)
        if (const float chance = local.chances(choice.action, o)[m]; chance > 0)
          later += chance * successors.value(next, o, u);
      own_y.push_back(local.reward(choice.action, m) + c_.samples.discount() * later);
      own_u.insert(own_u.end(), local.u(m), local.u(m) + width_);
      own_w.push_back(local.weight(m));
    }
    const Rows broad(c_.samples.own_u(category).data(), n, width_),
        own(own_u.data(), long(own_y.size()), width_);
    const Row broad_y(y.data(), n), near_y(own_y.data(), long(own_y.size()));
    const float broad_share = kBroad / float(n);
    Eigen::VectorXf near_w = Row(own_w.data(), long(own_w.size()));
    near_w /= near_w.sum();
    Eigen::MatrixXd gram =
        (own.transpose() * near_w.asDiagonal() * own + broad_share * (broad.transpose() * broad))
            .cast<double>();
    gram.diagonal().tail(width_ - 1).array() += kRidge;
    const Eigen::VectorXd right = (own.transpose() * near_w.cwiseProduct(near_y) +
                                   broad_share * (broad.transpose() * broad_y))
                                      .cast<double>();
    const Eigen::VectorXf head = gram.ldlt().solve(right).cast<float>();
    std::vector<float> weights(head.data(), head.data() + width_);
    const float squares = (broad * head - broad_y).squaredNorm();
    weights[0] += near_w.dot(near_y - own * head) - kCaution * std::sqrt(squares / float(n));
    return weights;
  }

  void back_up(const Point& point, RngKey key) {
    ++walk_.backups;
    const GatedHeads::Best before = best_node(point.belief);
    const LocalModel local(c_.model, c_.samples, point.own.states, point.own.weights, key);
    walk_.steps += local.count() * c_.samples.num_actions();
    Choice best;
    for (int a = 0; a < c_.samples.num_actions(); ++a)
      if (Choice choice = look_ahead(local, a); choice.value > best.value) best = std::move(choice);
    auto use = [&](int node) {
      if (node < known()) walk_.used.push_back(node);
    };
    if (best.value < before.value + c_.least_rise) return use(before.node);
    HeadWalk::Draft draft{best.action, best.next, {}};
    for (const BeliefMoments::Part& part : point.belief.parts)
      draft.heads.push_back({part.category, backed_up(best, local, part.category)});
    walk_.drafts.push_back(std::move(draft));
    const int made = known() + static_cast<int>(walk_.drafts.size()) - 1;
    if (value(point.belief, made) < before.value + c_.least_rise) {
      walk_.drafts.pop_back();
      return use(before.node);
    }
    for (int node : best.next) use(node);
  }

  // Executes the node that claims most at every belief of the way, and keeps what comes of it
  // beside what each node on its way claims.
  void correct() {
    RecordBuffer state(c_.model.state_size());
    std::vector<int> node;  // of the plan, or from their number on a draft
    for (const Point& point : path_) {
      state.append(point.judges);
      node.insert(node.end(), point.judges.count(), best_node(point.belief).node);
    }
    const size_t lanes = node.size();
    struct Visit {
      int node, category;  // negative: it has no function there
      float claim, reward;
    };
    std::vector<std::vector<Visit>> visits(lanes);
    std::vector<size_t> alive(lanes);
    for (size_t i = 0; i < lanes; ++i) alive[i] = i;
    StepBuffers buffers(c_.model, lanes);
    RecordBuffer now(c_.model.state_size());
    std::vector<float> u(width_);
    std::vector<int> action;
    for (int t = 0; t < c_.depth && !alive.empty(); ++t) {
      now.clear();
      action.clear();
      for (size_t i : alive) {
        now.push_back(state.at(i));
        action.push_back(action_of(node[i]));
      }
      FeatureBatch batch(c_.model.features(), int(alive.size()));
      c_.model.encode(now, batch, 0);
      const StepResults out = buffers.results(alive.size());
      c_.model.step(now, std::span<const int>(action), {key_.fold("correct").fold(t)}, out);
      walk_.steps += alive.size();
      std::vector<size_t> still;
      for (size_t k = 0; k < alive.size(); ++k) {
        const size_t i = alive[k];
        const int n = node[i];
        const int category = c_.samples.describe(batch, int(k), u);
        const float* w = category < 0 ? nullptr : find(n, category);
        const float shift = w && n < known() ? c_.heads.shift(n, category) : 0;
        const float claim = w ? Row(w, width_).dot(Row(u.data(), width_)) - shift : 0;
        visits[i].push_back({w ? n : -1, category, claim, out.reward[k]});
        if (out.ended[k]) continue;
        state.copy_from(i, out.next.at(k));
        const int seen = index_of(out.seen, k);
        node[i] = n < known() ? c_.nodes.next(n, seen) : walk_.drafts[n - known()].next[seen];
        still.push_back(i);
      }
      alive = std::move(still);
    }
    std::map<std::pair<int, int>, std::pair<float, int>> sums;
    std::vector<char> cut(lanes, 0);
    for (size_t i : alive) cut[i] = 1;
    for (size_t i = 0; i < lanes; ++i) {
      const std::vector<Visit>& lane = visits[i];
      float to_go = cut[i] ? lane.back().claim : 0;  // what is left is as good as said
      for (size_t t = lane.size(); t-- > 0;) {
        to_go = lane[t].reward + c_.samples.discount() * to_go;
        if (lane[t].node < 0) continue;
        auto& [difference, count] = sums[{lane[t].node, lane[t].category}];
        difference += to_go - lane[t].claim;
        ++count;
      }
    }
    for (const auto& [at, sum] : sums)
      walk_.corrections.push_back({at.first, at.second, sum.first, sum.second});
  }

  const HeadWalkContext& c_;
  RngKey key_;
  const Stop& stop_;
  int width_;
  std::vector<Point> path_;
  HeadWalk walk_;
};

}  // namespace

HeadWalk walk_heads(const HeadWalkContext& context, RngKey key, const Stop& stop) {
  return Walker(context, key, stop).run();
}

}  // namespace penumbra::nvi
