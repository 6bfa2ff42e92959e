// Many networks of one shape and one output, evaluated on the same states. Networks are taken one
// by one over tiles of states: a network's weights and the tile's activations then stay in cache
// together, which is faster than taking all networks tile by tile.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "penumbra/base/thread_pool.h"
#include "penumbra/nn/groups.h"
#include "penumbra/nn/mlp.h"

namespace penumbra::nn {

enum class Order { kStateMajor, kNetworkMajor };

class NetworkSet {
 public:
  explicit NetworkSet(MlpShape shape);

  const MlpShape& shape() const { return layout_->shape; }
  size_t num_plain() const { return layout_->num_plain(); }  // parameters of one network
  int size() const { return static_cast<int>(networks_.size()); }
  const Mlp& operator[](int i) const { return networks_[i]; }
  void add(Mlp network);  // of the same shape
  // Keeps these networks, in this order.
  void keep(std::span<const int> indices);

  // out[state * size + network], or out[network * rows + state].
  void predict(const FeatureBatch& states, std::span<float> out, Order order = Order::kStateMajor,
               ThreadPool* pool = nullptr) const;
  // sums[group * size + network], without storing states x networks.
  void predict_sums(const FeatureBatch& states, const Groups& groups, std::span<double> sums,
                    ThreadPool* pool = nullptr) const;
  // out[state] of the network which[state].
  void predict_rows(const FeatureBatch& states, std::span<const int32_t> which,
                    std::span<float> out, ThreadPool* pool = nullptr) const;

  Bytes save() const;
  static NetworkSet load(std::span<const std::byte> bytes);
  void write(ByteWriter& out) const;
  static NetworkSet read(ByteReader& in);

 private:
  std::shared_ptr<const ParameterLayout> layout_;
  std::vector<Mlp> networks_;
};

}  // namespace penumbra::nn
