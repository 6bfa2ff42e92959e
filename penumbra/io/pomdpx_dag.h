// Decision diagrams as POMDPX writes them (parameters of type DD): <Node>s that test a variable,
// in any order, <Terminal>s, the ready-made <SubDAG>s and templates. They become a Diagram of ours.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "penumbra/io/diagram.h"
#include "penumbra/io/pattern_table.h"
#include "penumbra/io/xml_reader.h"

namespace penumbra {

// How names of variables and values are looked up. All throw Error for what is not there.
struct DagNames {
  std::function<int(std::string_view variable, size_t at)> slot;
  std::function<int(int slot, std::string_view value, size_t at)> value;
  std::function<int(int slot, size_t at)> before;  // the same variable before the step
};

class PomdpxDag {
 public:
  // `sizes`: values of every slot. `described`: the slot that the rows are distributions of, or
  // -1 for rewards.
  PomdpxDag(XmlReader& xml, DagNames names, std::vector<int> sizes, int described)
      : xml_(xml), names_(std::move(names)), sizes_(std::move(sizes)), described_(described) {}

  // After <Parameter type="DD"> was opened: reads up to its end.
  void read();
  bool empty() const { return root_ < 0; }
  // The slots that are tested, the described one included.
  std::vector<bool> tested() const;
  // `report` gets paths with a value for every tested slot but the described one.
  Diagram build(PatternTable::Report& report, size_t at);

 private:
  struct Node {
    int slot;  // -1: a terminal
    double value;
    std::vector<int> children;
  };
  struct Pending {  // a template that is used before it is read
    std::string id;
    size_t at;
  };
  int read_body(const char* parent, bool terminal_allowed);
  int read_node();
  int read_sub_dag();
  int resolve(const std::string& id, size_t at);
  void spend(size_t steps);
  int terminal(double value);
  int add(int slot, std::vector<int> children);
  int expand_pending(int node, int depth);
  int restricted(int node, int slot, int value);
  Diagram::Ref convert(int node, int slot, Diagram& out, PatternTable::Report& report, size_t at);
  Diagram::Ref leaf(int node, Diagram& out, PatternTable::Report& report, size_t at);

  XmlReader& xml_;
  DagNames names_;
  std::vector<int> sizes_;
  int described_;
  int root_ = -1;
  std::vector<Node> nodes_;
  std::map<std::pair<int, std::vector<int>>, int> known_;
  std::map<double, int> terminals_;
  std::map<std::string, int> templates_;
  std::vector<Pending> pending_;           // node -2 - i stands for pending i
  std::map<std::string, bool> expanding_;  // templates on the way: a circle is refused
  std::map<int, int> expanded_;
  std::vector<std::unordered_map<uint64_t, int>> restricted_;  // [slot]
  std::vector<bool> tested_;
  double work_ = 0;
  std::unordered_map<uint64_t, Diagram::Ref> converted_;
  std::vector<int> path_;
};

}  // namespace penumbra
