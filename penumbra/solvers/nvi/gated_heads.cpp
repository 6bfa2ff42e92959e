#include "penumbra/solvers/nvi/gated_heads.h"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <numeric>

namespace penumbra::nvi {
namespace {

constexpr float kPrior = 25;  // visits that speak for no correction

using Rows =
    Eigen::Map<const Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>;
using Vector = Eigen::Map<const Eigen::VectorXf>;

}  // namespace

int GatedHeads::Category::place(int wanted) const {
  const auto at = std::lower_bound(node.begin(), node.end(), wanted);
  return at == node.end() || *at != wanted ? -1 : static_cast<int>(at - node.begin());
}

void GatedHeads::add(int node, int category, std::span<const float> weights) {
  Category& c = of_category_[category];
  c.node.push_back(node);
  c.rows.insert(c.rows.end(), weights.begin(), weights.end());
  for (std::vector<float>* v : {&c.sum, &c.visits, &c.shift}) v->push_back(0);
  num_nodes_ = std::max(num_nodes_, node + 1);
  last_used_.resize(num_nodes_, 0);
}

const float* GatedHeads::find(int node, int category) const {
  const Category& c = of_category_[category];
  const int at = c.place(node);
  return at < 0 ? nullptr : c.rows.data() + size_t(at) * model_.width();
}

float GatedHeads::shift(int node, int category) const {
  const Category& c = of_category_[category];
  const int at = c.place(node);
  return at < 0 ? 0 : c.shift[at];
}

std::vector<nn::GatedBank::Part> GatedHeads::parts(int node) const {
  std::vector<nn::GatedBank::Part> parts;
  for (int c = 0; c < model_.num_categories(); ++c)
    if (const float* weights = find(node, c))
      parts.push_back({model_.code(c), {weights, weights + model_.width()}});
  return parts;
}

GatedHeads::Best GatedHeads::best(const BeliefMoments& belief) const {
  const int width = model_.width();
  Best best;
  if (belief.parts.size() == 1) {
    const BeliefMoments::Part& part = belief.parts[0];
    const Category& c = of_category_[part.category];
    const Eigen::VectorXf values =
        Rows(c.rows.data(), long(c.node.size()), width) * Vector(part.u.data(), width);
    for (size_t i = 0; i < c.node.size(); ++i)
      if (values[long(i)] > best.value) best = {c.node[i], values[long(i)]};
    return best;
  }
  // Where a node has no function it is worth the least.
  std::vector<float> over_worst(num_nodes_, 0);
  std::vector<char> met(num_nodes_, 0);
  float least = 0;
  for (const BeliefMoments::Part& part : belief.parts) {
    const Category& c = of_category_[part.category];
    const Eigen::VectorXf values =
        Rows(c.rows.data(), long(c.node.size()), width) * Vector(part.u.data(), width);
    least += worst_ * part.u[0];
    for (size_t i = 0; i < c.node.size(); ++i) {
      over_worst[c.node[i]] += values[long(i)] - worst_ * part.u[0];
      met[c.node[i]] = 1;
    }
  }
  for (int n = 0; n < num_nodes_; ++n)
    if (met[n] && least + over_worst[n] > best.value) best = {n, least + over_worst[n]};
  return best;
}

void GatedHeads::correct(int node, int category, float difference, int visits) {
  Category& c = of_category_[category];
  const int at = c.place(node);
  if (at < 0) return;
  c.sum[at] += difference;
  c.visits[at] += float(visits);
  const float shift = std::min(0.0f, c.sum[at] / (c.visits[at] + kPrior));
  c.rows[size_t(at) * model_.width()] += shift - c.shift[at];
  c.shift[at] = shift;
}

void GatedHeads::use(int node, uint64_t round) {
  last_used_[node] = round;
}

void GatedHeads::keep(size_t wanted, int fixed) {
  const size_t left = std::max(wanted * 2 / 3, size_t(fixed) + 1);
  const size_t width = model_.width();
  for (Category& c : of_category_) {
    if (c.node.size() <= wanted) continue;
    std::vector<int> order(c.node.size());
    std::iota(order.begin(), order.end(), 0);
    auto rank = [&](int i) { return c.node[i] < fixed ? UINT64_MAX : last_used_[c.node[i]]; };
    std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return rank(a) > rank(b); });
    order.resize(std::min(order.size(), left));
    std::sort(order.begin(), order.end());
    auto pack = [&](auto& v, size_t stride) {
      for (size_t to = 0; to < order.size(); ++to)
        std::copy_n(v.begin() + long(order[to] * stride), stride, v.begin() + long(to * stride));
      v.resize(order.size() * stride);
    };
    pack(c.rows, width);
    pack(c.node, 1);
    for (std::vector<float>* v : {&c.sum, &c.visits, &c.shift}) pack(*v, 1);
  }
}

}  // namespace penumbra::nvi
