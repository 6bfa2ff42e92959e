#include "penumbra/search/pomcp.h"

#include "penumbra/search/lane_search.h"
#include "penumbra/search/require_finite.h"

namespace penumbra::search {
namespace {

class PomcpSearch final : public LaneSearch<BeliefVisits> {
 public:
  using LaneSearch::LaneSearch;

 private:
  // In an order that differs from belief to belief: early choices are not all of action 0.
  void offer_actions(int b, int, uint64_t) override {
    if (tree_.belief(b).num_edges > 0) return;
    const auto num_actions = static_cast<uint32_t>(model_.facts().num_actions);
    const auto first = static_cast<uint32_t>(RngKey::mix(b + 1) % num_actions);
    for (uint32_t k = 0; k < num_actions; ++k) {
      const auto a = static_cast<int32_t>((first + k) % num_actions);
      const int e = tree_.add_edge(b, reinterpret_cast<const std::byte*>(&a));
      tree_.edge(e).value = tree_.belief(b).value;
    }
  }

  int arrive(size_t lane, int e, int, uint64_t, bool& is_new) override {
    const std::byte* seen = lanes_.seen.at(lane);
    const int found = tree_.find(e, seen);
    is_new = found < 0;
    return is_new ? add_child(e, seen) : found;
  }
};

}  // namespace

PomcpOptions read_pomcp_options(Params& params) {
  return read_uct_options(params);
}

Pomcp::Pomcp(const Pomdp& model, PomcpOptions options, std::shared_ptr<const Leaf> leaf)
    : model_(model), options_(resolve(options, model.facts(), *leaf)), leaf_(std::move(leaf)) {
  require_finite(model, "pomcp");
}

std::string Pomcp::describe() const {
  return "pomcp, at new beliefs " + leaf_->describe();
}

std::unique_ptr<Search> Pomcp::start(ThreadPool* pool) const {
  return std::make_unique<PomcpSearch>(model_, options_, *leaf_, pool);
}

}  // namespace penumbra::search
