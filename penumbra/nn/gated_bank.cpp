#include "penumbra/nn/gated_bank.h"

#include <Eigen/Dense>
#include <algorithm>

#include "penumbra/base/error.h"
#include "penumbra/nn/bank_format.h"

namespace penumbra::nn {
namespace {

constexpr double kRidge = 1e-3;  // of the rows' weight, on slopes

// One row at a time: a product of matrices would round a row by those beside it.
float dot(const float* row, const std::vector<float>& u) {
  using Vector = Eigen::Map<const Eigen::VectorXf>;
  const auto width = static_cast<long>(u.size());
  return Vector(row, width).dot(Vector(u.data(), width));
}

// The rows of one category.
struct Sample {
  std::vector<double> u, y, weight;
};

}  // namespace

const GatedBank::Category* GatedBank::find(int64_t category) const {
  const auto at = categories_.find(category);
  return at == categories_.end() ? nullptr : &at->second;
}

void GatedBank::add_function(std::span<const Part> parts) {
  for (const Part& part : parts) {
    if (part.weights.size() != size_t(gate_.width()) || part.category < 0 ||
        part.category >= gate_.num_categories())
      throw Error("gated function: its weights are not those of such states");
    Category& c = categories_[part.category];
    if (!c.function.empty() && c.function.back() == size_)
      throw Error("gated function: a category twice");
    c.function.push_back(size_);
    c.rows.insert(c.rows.end(), part.weights.begin(), part.weights.end());
  }
  ++size_;
}

std::vector<GatedBank::Part> GatedBank::parts(int function) const {
  std::vector<Part> parts;
  for (const auto& [category, c] : categories_) {
    const auto at = std::lower_bound(c.function.begin(), c.function.end(), function);
    if (at == c.function.end() || *at != function) continue;
    const auto row = c.rows.begin() + (at - c.function.begin()) * gate_.width();
    parts.push_back({category, {row, row + gate_.width()}});
  }
  return parts;
}

size_t GatedBank::num_weights() const {
  size_t sum = 0;
  for (const auto& [category, c] : categories_) sum += c.rows.size();
  return sum;
}

void GatedBank::set_pool(FeatureBatch states, ThreadPool*) {
  pool_ = std::move(states);
}

FittedFunction GatedBank::fit(const FitData& data, RngKey, ThreadPool*) const {
  check_data(data);
  std::map<int64_t, Sample> samples;
  std::vector<float> u(gate_.width());
  FitReport report;
  bool finite = true;
  double sum = 0, squares = 0;
  auto take = [&](const FeatureBatch& batch, std::span<const float> targets, auto weight_of) {
    for (int i = 0; i < static_cast<int>(targets.size()); ++i) {
      const double weight = weight_of(i);
      gate_.inputs(batch, i, u);
      finite = finite && std::isfinite(targets[i]) && std::isfinite(weight) &&
               std::all_of(u.begin(), u.end(), [](float x) { return std::isfinite(x); });
      Sample& s = samples[gate_.category(batch, i)];
      s.u.insert(s.u.end(), u.begin(), u.end());
      s.y.push_back(targets[i]);
      s.weight.push_back(weight);
      ++report.training_rows;
      sum += targets[i];
      squares += double(targets[i]) * targets[i];
    }
  };
  if (data.local)
    take(*data.local, data.local_targets,
         [&](int i) { return data.local_weights.empty() ? 1.0 : double(data.local_weights[i]); });
  take(pool_, data.pool_targets, [&](int) { return data.pool_weight; });
  if (!finite) return {report, {}};

  using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  ByteWriter parts;
  parts.u64(samples.size());
  double error = 0, left_out = 0;
  for (const auto& [category, s] : samples) {
    const auto n = static_cast<long>(s.y.size());
    const Eigen::Map<const Matrix> x(s.u.data(), n, gate_.width());
    const Eigen::Map<const Eigen::VectorXd> y(s.y.data(), n), w(s.weight.data(), n);
    Matrix gram = x.transpose() * w.asDiagonal() * x;
    const double total = std::max(w.sum(), 1e-12);
    gram.diagonal().tail(gate_.width() - 1).array() += kRidge * total;
    gram(0, 0) += 1e-9 * total;
    const Eigen::LDLT<Matrix> solver(gram);
    const Eigen::VectorXd head = solver.solve(x.transpose() * w.asDiagonal() * y);
    const Eigen::VectorXd residual = y - x * head;
    // What a row's own residual would be had it been left out.
    const Matrix influence = solver.solve(x.transpose() * w.asDiagonal());
    for (long i = 0; i < n; ++i) {
      const double leverage = std::min(x.row(i).dot(influence.col(i)), 0.99);
      error += residual[i] * residual[i];
      left_out += residual[i] * residual[i] / ((1 - leverage) * (1 - leverage));
    }
    if (solver.info() != Eigen::Success || !head.allFinite()) {
      report.status = FitStatus::kSingular;
      return {report, {}};
    }
    const Eigen::VectorXf weights = head.cast<float>();
    parts.u64(static_cast<uint64_t>(category));
    parts.floats({weights.data(), static_cast<size_t>(weights.size())});
  }
  const double rows = report.training_rows;
  report.status = FitStatus::kClosedForm;
  report.training_mse = error / rows;
  report.validation_mse = left_out / rows;
  report.target_variance = std::max(0.0, squares / rows - sum / rows * (sum / rows));
  return {report, parts.bytes()};
}

void GatedBank::append(const FittedFunction& fitted) {
  ByteReader in(fitted.weights);
  std::vector<Part> parts(in.u64());
  for (Part& part : parts) {
    part.category = static_cast<int64_t>(in.u64());
    part.weights = in.floats();
  }
  in.finish();
  add_function(parts);
}

void GatedBank::keep(std::span<const int> indices) {
  std::map<int64_t, Category> kept;
  for (int number = 0; number < static_cast<int>(indices.size()); ++number) {
    for (const Part& part : parts(indices[number])) {
      Category& to = kept[part.category];
      to.function.push_back(number);
      to.rows.insert(to.rows.end(), part.weights.begin(), part.weights.end());
    }
  }
  categories_ = std::move(kept);
  size_ = static_cast<int>(indices.size());
}

void GatedBank::predict(const FeatureBatch& states, std::span<float> out, ThreadPool*) const {
  std::fill(out.begin(), out.end(), elsewhere_);
  std::vector<float> u(gate_.width());
  for (int i = 0; i < states.rows(); ++i) {
    const Category* c = find(gate_.category(states, i));
    if (!c) continue;
    gate_.inputs(states, i, u);
    for (size_t k = 0; k < c->function.size(); ++k)
      out[size_t(i) * size_ + c->function[k]] = dot(c->rows.data() + k * u.size(), u);
  }
}

void GatedBank::predict_sums(const FeatureBatch& states, const Groups& groups,
                             std::span<double> sums, ThreadPool*) const {
  groups.check(states.rows(), sums.size(), size_);
  const int width = gate_.width();
  // Linear: the sum of the values is the value of the sum.
  std::map<std::pair<int32_t, int64_t>, std::vector<float>> moments;
  std::vector<float> u(width);
  for (int i = 0; i < states.rows(); ++i) {
    if (groups.group[i] < 0) continue;
    std::vector<float>& sum = moments[{groups.group[i], gate_.category(states, i)}];
    sum.resize(width, 0.0f);
    gate_.inputs(states, i, u);
    const auto weight = static_cast<float>(groups.weight(i));
    for (int d = 0; d < width; ++d) sum[d] += weight * u[d];
  }
  std::fill(sums.begin(), sums.end(), 0.0);
  for (const auto& [at, sum] : moments) {
    const std::span<double> out = sums.subspan(size_t(at.first) * size_, size_);
    const double missing = double(elsewhere_) * sum[0];
    for (double& value : out) value += missing;
    const Category* c = find(at.second);
    if (!c) continue;
    for (size_t k = 0; k < c->function.size(); ++k)
      out[c->function[k]] += dot(c->rows.data() + k * sum.size(), sum) - missing;
  }
}

void GatedBank::predict_rows(const FeatureBatch& states, std::span<const int32_t> which,
                             std::span<float> out, ThreadPool*) const {
  std::vector<float> u(gate_.width());
  for (int i = 0; i < states.rows(); ++i) {
    out[i] = elsewhere_;
    const Category* c = find(gate_.category(states, i));
    if (!c) continue;
    const auto at = std::lower_bound(c->function.begin(), c->function.end(), which[i]);
    if (at == c->function.end() || *at != which[i]) continue;
    gate_.inputs(states, i, u);
    out[i] = dot(c->rows.data() + (at - c->function.begin()) * gate_.width(), u);
  }
}

Bytes GatedBank::save() const {
  ByteWriter out;
  out.u32(kGatedBank);
  out.ints(layout().categories);
  out.i32(layout().num_bits);
  out.i32(layout().num_dense);
  out.f32(elsewhere_);
  out.i32(size_);
  out.u64(categories_.size());
  for (const auto& [category, c] : categories_) {
    out.u64(static_cast<uint64_t>(category));
    out.ints(c.function);
    out.floats(c.rows);
  }
  return seal(Kind::kBank, kBankVersion, out);
}

GatedBank GatedBank::read(ByteReader& in) {
  const auto wrong = [] { return Error("saved bank: its gated functions do not fit together"); };
  FeatureLayout layout;
  layout.categories = in.ints();
  layout.num_bits = in.i32();
  layout.num_dense = in.i32();
  constexpr int kMost = 1 << 24;
  if (layout.num_bits < 0 || layout.num_dense < 0 || layout.num_bits > kMost ||
      layout.num_dense > kMost)
    throw wrong();
  for (int size : layout.categories)
    if (size < 1) throw wrong();
  const float elsewhere = in.f32();
  GatedBank bank(layout, elsewhere);
  bank.size_ = in.i32();
  if (bank.size_ < 0 || !std::isfinite(elsewhere)) throw wrong();
  int64_t last = -1;
  for (uint64_t left = in.u64(); left > 0; --left) {
    const uint64_t category = in.u64();
    Category c;
    c.function = in.ints();
    c.rows = in.floats();
    bool good = category < static_cast<uint64_t>(bank.gate_.num_categories()) &&
                int64_t(category) > last && c.rows.size() == c.function.size() * bank.gate_.width();
    for (size_t i = 0; good && i < c.function.size(); ++i)
      good = c.function[i] >= 0 && c.function[i] < bank.size_ &&
             (i == 0 || c.function[i] > c.function[i - 1]);
    for (float w : c.rows) good = good && std::isfinite(w);
    if (!good) throw wrong();
    last = static_cast<int64_t>(category);
    bank.categories_.emplace(last, std::move(c));
  }
  return bank;
}

}  // namespace penumbra::nn
