#include "penumbra/io/pomdpx_dag.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "penumbra/base/error.h"
#include "penumbra/base/spec.h"

namespace penumbra {
namespace {

constexpr size_t kMaxNodes = 20'000'000;  // with all their edges
constexpr double kMaxWork = 1e8;          // steps

std::string trimmed(std::string_view text) {
  const size_t begin = text.find_first_not_of(" \t\r\n");
  if (begin == std::string_view::npos) return "";
  return std::string(text.substr(begin, text.find_last_not_of(" \t\r\n") - begin + 1));
}

}  // namespace

void PomdpxDag::spend(size_t steps) {
  work_ += static_cast<double>(steps);
  if (work_ > kMaxWork) xml_.fail("this diagram is too large");
}

int PomdpxDag::terminal(double value) {
  const auto [at, is_new] = terminals_.try_emplace(value, static_cast<int>(nodes_.size()));
  if (is_new) nodes_.push_back({-1, value, {}});
  return at->second;
}

int PomdpxDag::add(int slot, std::vector<int> children) {
  if (std::all_of(children.begin(), children.end(), [&](int c) { return c == children[0]; }))
    return children[0];
  const auto [at, is_new] = known_.try_emplace({slot, children}, static_cast<int>(nodes_.size()));
  if (is_new) {
    if (nodes_.size() * children.size() > kMaxNodes) xml_.fail("this diagram is too large");
    nodes_.push_back({slot, 0, std::move(children)});
  }
  return at->second;
}

void PomdpxDag::read() {
  while (xml_.next_child()) {
    if (xml_.name() == "DAG") {
      if (root_ != -1) xml_.fail("a second <DAG>");
      root_ = read_body("DAG", true);
    } else if (xml_.name() == "SubDAGTemplate") {
      const std::string id = xml_.required_attribute("id");
      const size_t at = xml_.at();
      const int node = read_body("SubDAGTemplate", true);
      if (!templates_.emplace(id, node).second)
        xml_.fail(at, fmt::format("the template {} is given twice", quoted(id)));
    } else {
      xml_.fail(fmt::format("<{}> has no place in a diagram", xml_.name()));
    }
  }
  if (root_ == -1) xml_.fail("a parameter of type DD needs a <DAG>");
  root_ = expand_pending(root_, 0);
}

// The one node in a <DAG>, <SubDAGTemplate> or <Edge>; nothing is 0.
int PomdpxDag::read_body(const char* parent, bool terminal_allowed) {
  int result = -1;
  bool any = false;
  while (xml_.next_child()) {
    if (any) xml_.fail(fmt::format("<{}> holds one node only", parent));
    any = true;
    if (xml_.name() == "Node") {
      result = read_node();
    } else if (xml_.name() == "SubDAG") {
      result = read_sub_dag();
    } else if (xml_.name() == "Terminal" && terminal_allowed) {
      const std::string_view text = xml_.content();
      double value = 0;
      if (!parse_number(trimmed(text), value))
        xml_.fail(xml_.place(text), fmt::format("{} is not a number", quoted(trimmed(text))));
      result = terminal(value);
    } else {
      xml_.fail(fmt::format("<{}> has no place in <{}>; <Node>, <SubDAG> and <Terminal> have",
                            quoted(xml_.name()), parent));
    }
  }
  return any ? result : terminal(0);
}

int PomdpxDag::read_node() {
  const int slot = names_.slot(xml_.required_attribute("var"), xml_.at());
  spend(static_cast<size_t>(sizes_[slot]));
  std::vector<int> children(static_cast<size_t>(sizes_[slot]), terminal(0));
  std::vector<char> given(children.size(), 0);
  while (xml_.next_child()) {
    if (xml_.name() != "Edge") xml_.fail("a <Node> holds <Edge>s");
    const size_t at = xml_.at();
    const int value = names_.value(slot, xml_.required_attribute("val"), at);
    if (given[value]++) xml_.fail(at, "an edge for this value is already there");
    children[value] = read_body("Edge", true);
  }
  return add(slot, std::move(children));
}

int PomdpxDag::read_sub_dag() {
  const size_t at = xml_.at();
  const std::string type = xml_.required_attribute("type");
  int result = -1;
  if (type == "template") {
    pending_.push_back({xml_.required_attribute("idref"), at});
    result = -1 - static_cast<int>(pending_.size());
  } else {
    const int slot = names_.slot(xml_.required_attribute("var"), at);
    const size_t size = static_cast<size_t>(sizes_[slot]);
    std::vector<int> children(size, terminal(0));
    if (type == "deterministic") {
      children[names_.value(slot, xml_.required_attribute("val"), at)] = terminal(1);
      result = add(slot, std::move(children));
    } else if (type == "uniform") {
      result = terminal(1.0 / static_cast<double>(size));
    } else if (type == "persistent") {
      const int before = names_.before(slot, at);
      if (double(size) * double(size) > double(kMaxNodes))
        xml_.fail(at, "this variable is too large for a persistent diagram");
      std::vector<int> rows(size);
      for (size_t v = 0; v < size; ++v) {
        std::vector<int> row(size, terminal(0));
        row[v] = terminal(1);
        rows[v] = add(slot, std::move(row));
      }
      result = add(before, std::move(rows));
    } else {
      xml_.fail(at, fmt::format("a <SubDAG> is deterministic, persistent, uniform or template, "
                                "not {}",
                                quoted(type)));
    }
  }
  if (xml_.next_child()) xml_.fail("a <SubDAG> is empty");
  return result;
}

int PomdpxDag::resolve(const std::string& id, size_t at) {
  const auto found = templates_.find(id);
  if (found == templates_.end()) {
    std::vector<std::string> ids;
    for (const auto& entry : templates_) ids.push_back(entry.first);
    xml_.fail(at, fmt::format("there is no template {}{}", quoted(id), did_you_mean(id, ids)));
  }
  if (expanding_[id]) xml_.fail(at, fmt::format("the template {} uses itself", quoted(id)));
  return found->second;
}

// Templates may be used before they stand: they are put in once all is read.
int PomdpxDag::expand_pending(int node, int depth) {
  if (pending_.empty()) return node;
  if (const auto known = expanded_.find(node); known != expanded_.end()) return known->second;
  int result;
  if (node < 0) {
    const Pending use = pending_[static_cast<size_t>(-2 - node)];
    if (depth > 1000) xml_.fail(use.at, "templates nest too deeply");
    const int body = resolve(use.id, use.at);
    expanding_[use.id] = true;
    result = expand_pending(body, depth + 1);
    expanding_[use.id] = false;
  } else if (nodes_[node].slot < 0) {
    return node;
  } else {
    std::vector<int> children = nodes_[node].children;
    for (int& c : children) c = expand_pending(c, depth + 1);
    result = add(nodes_[node].slot, std::move(children));
  }
  expanded_[node] = result;
  return result;
}

std::vector<bool> PomdpxDag::tested() const {
  std::vector<bool> slots(sizes_.size(), false), seen(nodes_.size(), false);
  std::vector<int> open = {root_};
  while (!open.empty()) {
    const int node = open.back();
    open.pop_back();
    if (nodes_[node].slot < 0 || seen[node]) continue;
    seen[node] = true;
    slots[nodes_[node].slot] = true;
    open.insert(open.end(), nodes_[node].children.begin(), nodes_[node].children.end());
  }
  return slots;
}

// The diagram where one variable is known.
int PomdpxDag::restricted(int node, int slot, int value) {
  if (nodes_[node].slot < 0) return node;
  if (nodes_[node].slot == slot) return restricted(nodes_[node].children[value], slot, value);
  const uint64_t key = static_cast<uint64_t>(node) << 32 | static_cast<uint32_t>(value);
  auto& done = restricted_[slot];
  if (const auto known = done.find(key); known != done.end()) return known->second;
  spend(nodes_[node].children.size());
  std::vector<int> children = nodes_[node].children;
  for (int& c : children) c = restricted(c, slot, value);
  const int result = add(nodes_[node].slot, std::move(children));
  restricted_[slot].emplace(key, result);
  return result;
}

Diagram::Ref PomdpxDag::leaf(int node, Diagram& out, PatternTable::Report& report, size_t at) {
  auto value_of = [&](int n) {
    PENUMBRA_CHECK(nodes_[n].slot < 0, "a diagram is not decided at its end");
    return nodes_[n].value;
  };
  if (described_ < 0) return out.add_value(value_of(node));
  std::vector<SparseRows::Entry> row;
  double sum = 0;
  for (int v = 0; v < sizes_[described_]; ++v) {
    const double p = value_of(restricted(node, described_, v));
    if (!(p >= 0 && p <= 1 + PatternTable::kTolerance))
      xml_.fail(at, fmt::format("{} is not a probability: it must be from 0 to 1", p));
    if (p > 0) row.push_back({v, p});
    sum += p;
  }
  const double off = std::abs(sum - 1);
  if (!(off <= PatternTable::kTolerance)) report.bad_row(path_, sum, at);
  if (off > PatternTable::kExact) {
    for (auto& e : row) e.value /= sum;
    if (report.scaled++ == 0) report.first_at = at;
    report.worst = std::max(report.worst, off);
  }
  return out.add_row(row);
}

Diagram::Ref PomdpxDag::convert(int node, int slot, Diagram& out, PatternTable::Report& report,
                                size_t at) {
  if (slot == static_cast<int>(sizes_.size())) return leaf(node, out, report, at);
  if (slot == described_ || !tested_[slot]) return convert(node, slot + 1, out, report, at);
  const uint64_t key = static_cast<uint64_t>(node) << 32 | static_cast<uint32_t>(slot);
  if (const auto known = converted_.find(key); known != converted_.end()) return known->second;
  Diagram::Ref result;
  path_.push_back(PatternTable::kAny);
  if (nodes_[node].slot < 0) {
    result = leaf(node, out, report, at);
  } else {
    std::vector<int> next(static_cast<size_t>(sizes_[slot]));
    bool same = true;
    for (int v = 0; v < sizes_[slot]; ++v) {
      next[v] = restricted(node, slot, v);
      same = same && next[v] == node;
    }
    if (same) {
      result = convert(node, slot + 1, out, report, at);
    } else {
      std::vector<Diagram::Edge> edges;
      for (int v = 0; v < sizes_[slot]; ++v) {
        path_.back() = v;
        edges.push_back({v, convert(next[v], slot + 1, out, report, at)});
      }
      const Diagram::Ref first = edges[0].child;
      result = out.add_node(slot, first, std::move(edges));
    }
  }
  path_.pop_back();
  converted_.emplace(key, result);
  return result;
}

Diagram PomdpxDag::build(PatternTable::Report& report, size_t at) {
  Diagram out(sizes_);
  tested_ = tested();
  restricted_.resize(sizes_.size());
  out.root = convert(root_, 0, out, report, at);
  return out;
}

}  // namespace penumbra
