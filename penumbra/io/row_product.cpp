#include "penumbra/io/row_product.h"

#include <algorithm>

#include "penumbra/base/error.h"

namespace penumbra {

std::vector<int> digits(int64_t index, const std::vector<FactoredModel::Variable>& variables) {
  std::vector<int> values(variables.size());
  for (size_t i = variables.size(); i-- > 0;) {
    values[i] = static_cast<int>(index % variables[i].size);
    index /= variables[i].size;
  }
  return values;
}

int64_t num_joint(const std::vector<FactoredModel::Variable>& variables) {
  int64_t count = 1;
  for (const auto& v : variables) count *= v.size;
  return count;
}

RowProduct::RowProduct(const FactoredModel& model, const std::vector<Diagram>& factors,
                       int first_input, size_t num_inputs, int first_output)
    : factors_(factors),
      first_input_(first_input),
      first_output_(first_output),
      sizes_(model.slot_sizes()),
      strides_(factors.size()),
      ready_(num_inputs + 1),
      testing_(num_inputs),
      conditional_(factors.size(), 0),
      at_(factors.size()),
      buffer_(factors.size()) {
  for (size_t i = 0; i < num_inputs; ++i) input_sizes_.push_back(sizes_[first_input + int(i)]);
  int64_t stride = 1;
  for (size_t f = factors.size(); f-- > 0;) {
    strides_[f] = stride;
    stride *= sizes_[first_output + int(f)];
  }
  plan();
}

// Each factor is due after the last input that it tests, and after the outputs that it tests.
void RowProduct::plan() {
  const size_t count = factors_.size(), none = ready_.size();
  std::vector<std::vector<bool>> tested;
  for (size_t f = 0; f < count; ++f) {
    tested.push_back(factors_[f].tested());
    for (size_t i = 0; i < testing_.size(); ++i)
      if (tested[f][first_input_ + int(i)]) testing_[i].push_back(f);
  }
  std::vector<size_t> due(count, none);
  for (size_t planned = 0, before = none; planned < count;) {
    if (planned == before) throw Error("variables depend on each other in a circle");
    before = planned;
    for (size_t f = 0; f < count; ++f) {
      if (due[f] != none) continue;
      size_t depth = 0;
      bool waits = false;
      for (size_t i = 0; i < testing_.size(); ++i)
        if (tested[f][first_input_ + int(i)]) depth = i + 1;
      for (size_t g = 0; g < count; ++g) {
        if (!tested[f][first_output_ + int(g)]) continue;
        conditional_[f] = 1;
        waits = waits || due[g] == none;
        if (!waits) depth = std::max(depth, due[g]);
      }
      if (waits) continue;
      due[f] = depth;
      ready_[depth].push_back(f);
      ++planned;
    }
  }
}

void RowProduct::multiply(size_t factor, const std::vector<Entry>& in,
                          std::vector<Entry>& out) const {
  out.clear();
  const Diagram& diagram = factors_[factor];
  const int stride = static_cast<int>(strides_[factor]);
  for (const Entry& e : in) {
    Diagram::Ref at = at_[factor];
    if (conditional_[factor])
      while (!Diagram::is_leaf(at)) {
        const int level = diagram.level(at);
        const size_t output = static_cast<size_t>(level - first_output_);
        at =
            diagram.child(at, level, static_cast<int>(e.column / strides_[output] % sizes_[level]));
      }
    for (const Entry& mine : diagram.rows.row(Diagram::leaf(at)))
      out.push_back({e.column + mine.column * stride, e.value * mine.value});
  }
}

void RowProduct::descend(size_t depth, std::vector<Entry>* list, const Sink& sink) {
  for (size_t f : ready_[depth]) {
    multiply(f, *list, buffer_[f]);
    list = &buffer_[f];
  }
  if (depth == testing_.size()) {
    if (!std::is_sorted(list->begin(), list->end(),
                        [](const Entry& a, const Entry& b) { return a.column < b.column; }))
      std::sort(list->begin(), list->end(),
                [](const Entry& a, const Entry& b) { return a.column < b.column; });
    sink(*list);
    return;
  }
  const int level = first_input_ + static_cast<int>(depth);
  const std::vector<size_t>& testing = testing_[depth];
  Diagram::Ref few[8];
  std::vector<Diagram::Ref> many;
  Diagram::Ref* saved = few;
  if (testing.size() > std::size(few)) {
    many.resize(testing.size());
    saved = many.data();
  }
  for (size_t i = 0; i < testing.size(); ++i) saved[i] = at_[testing[i]];
  for (int v = 0; v < input_sizes_[depth]; ++v) {
    for (size_t i = 0; i < testing.size(); ++i)
      at_[testing[i]] = factors_[testing[i]].child(saved[i], level, v);
    descend(depth + 1, list, sink);
  }
  for (size_t i = 0; i < testing.size(); ++i) at_[testing[i]] = saved[i];
}

std::vector<Diagram::Ref> RowProduct::roots(std::span<const int> actions) const {
  std::vector<Diagram::Ref> at(factors_.size());
  for (size_t f = 0; f < factors_.size(); ++f) {
    at[f] = factors_[f].root;
    for (size_t a = 0; a < actions.size(); ++a)
      at[f] = factors_[f].child(at[f], static_cast<int>(a), actions[a]);
  }
  return at;
}

void RowProduct::run(std::span<const int> actions, const Sink& sink) {
  at_ = roots(actions);
  std::vector<Entry> one = {{0, 1.0}};
  descend(0, &one, sink);
}

}  // namespace penumbra
