#include "penumbra/nn/network_set.h"

#include <algorithm>
#include <numeric>
#include <string>

#include "penumbra/base/error.h"
#include "penumbra/nn/forward.h"
#include "penumbra/nn/parallel.h"

namespace penumbra::nn {
namespace {

constexpr uint32_t kVersion = 1;
constexpr int kChunkRows = 10 * Forward::kTileRows;
constexpr int kLongRows = 8 * kChunkRows;
// Networks whose values are collected before they are written to a state-major matrix: half a
// cache line at a time, so that threads seldom write to the same one.
constexpr int kBlockNetworks = 8;
// With this many networks they alone keep all threads busy.
constexpr int kManyNetworks = 16;

// Calls take(row, rows, values) for the tiles of [begin, end).
template <class Take>
void run_tiles(Forward& forward, const Mlp& network, const Inputs& inputs, int begin, int end,
               const Take& take) {
  forward.use(network.packed().data(), end - begin);
  for (int r = begin; r < end; r += forward.tile_rows()) {
    const int rows = std::min(forward.tile_rows(), end - r);
    forward.run(inputs.index(r), inputs.dense(r), rows);
    take(r, rows, forward.outputs(), forward.output_stride());
  }
}

void check_room(size_t found, size_t wanted) {
  if (found != wanted) {
    throw Error("network set: room for " + std::to_string(found) + " values where " +
                std::to_string(wanted) + " are computed");
  }
}

}  // namespace

NetworkSet::NetworkSet(MlpShape shape)
    : layout_(std::make_shared<const ParameterLayout>(std::move(shape))) {
  if (layout_->shape.outputs != 1) {
    throw Error("network set: networks with one output only; got " +
                std::to_string(layout_->shape.outputs));
  }
}

void NetworkSet::add(Mlp network) {
  if (network.shape() != shape()) throw Error("network set: all networks have one shape");
  Mlp own(layout_);  // one layout for all
  std::copy(network.packed().begin(), network.packed().end(), own.packed().begin());
  networks_.push_back(std::move(own));
}

void NetworkSet::keep(std::span<const int> indices) {
  std::vector<Mlp> kept;
  kept.reserve(indices.size());
  for (int i : indices) {
    PENUMBRA_CHECK(i >= 0 && i < size(), "keep: no such network");
    kept.push_back(networks_[i]);
  }
  networks_ = std::move(kept);
}

void NetworkSet::predict(const FeatureBatch& states, std::span<float> out, Order order,
                         ThreadPool* pool) const {
  const size_t rows = states.rows(), count = size();
  check_room(out.size(), rows * count);
  Inputs inputs(*layout_, states);
  const std::vector<int> row_of = inputs.sort_by_category();
  const size_t grain = count >= kManyNetworks ? kLongRows : kChunkRows;
  const size_t blocks = ThreadPool::num_chunks(count, kBlockNetworks);
  const size_t chunks = ThreadPool::num_chunks(rows, grain);
  for_chunks(pool, blocks * chunks, 1, [&](size_t, size_t item, size_t) {
    const size_t first = item / chunks * kBlockNetworks;
    const size_t width = std::min<size_t>(count - first, kBlockNetworks);
    const size_t begin = item % chunks * grain, end = std::min(rows, begin + grain);
    const bool direct = order == Order::kNetworkMajor;
    std::vector<float> block(direct ? 0 : width * (end - begin));
    Forward forward(*layout_, std::min(Forward::kTileRows, int(end - begin)));
    for (size_t n = 0; n < width; ++n) {
      float* to = direct ? out.data() + (first + n) * rows : block.data() + n * (end - begin);
      run_tiles(forward, networks_[first + n], inputs, int(begin), int(end),
                [&](int row, int tile, const float* values, int stride) {
                  for (int i = 0; i < tile; ++i) {
                    to[direct ? row_of[row + i] : row + i - begin] = values[size_t(i) * stride];
                  }
                });
    }
    for (size_t r = begin; r < end && !direct; ++r) {
      for (size_t n = 0; n < width; ++n) {
        out[row_of[r] * count + first + n] = block[n * (end - begin) + r - begin];
      }
    }
  });
}

void NetworkSet::predict_sums(const FeatureBatch& states, const Groups& groups,
                              std::span<double> sums, ThreadPool* pool) const {
  const size_t rows = states.rows(), count = size(), num_groups = groups.count;
  groups.check(states.rows(), sums.size(), count);
  Inputs inputs(*layout_, states);
  const std::vector<int> row_of = inputs.sort_by_category();
  const size_t grain = count >= kManyNetworks ? std::max<size_t>(rows, 1) : kLongRows;
  const size_t parts = ThreadPool::num_chunks(rows, grain);
  std::vector<double> partial(parts * count * num_groups);
  for_chunks(pool, count * parts, 1, [&](size_t, size_t item, size_t) {
    const size_t n = item / parts, part = item % parts;
    const int begin = int(part * grain), end = int(std::min(rows, (part + 1) * grain));
    double* sum = partial.data() + (part * count + n) * num_groups;
    Forward forward(*layout_, std::min(Forward::kTileRows, end - begin));
    run_tiles(forward, networks_[n], inputs, begin, end,
              [&](int row, int tile, const float* values, int stride) {
                for (int i = 0; i < tile; ++i) {
                  const int32_t from = row_of[row + i], g = groups.group[from];
                  if (g >= 0) sum[g] += groups.weight(from) * values[size_t(i) * stride];
                }
              });
  });
  for (size_t g = 0; g < num_groups; ++g) {
    for (size_t n = 0; n < count; ++n) {
      double total = 0;
      for (size_t p = 0; p < parts; ++p) total += partial[(p * count + n) * num_groups + g];
      sums[g * count + n] = total;
    }
  }
}

void NetworkSet::predict_rows(const FeatureBatch& states, std::span<const int32_t> which,
                              std::span<float> out, ThreadPool* pool) const {
  const int rows = states.rows();
  check_room(which.size(), rows);
  check_room(out.size(), rows);
  const Inputs inputs(*layout_, states);
  std::vector<int> order(rows);
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return which[a] < which[b]; });
  std::vector<int> starts;  // runs of one network, at most a chunk long
  for (int i = 0; i < rows; ++i) {
    PENUMBRA_CHECK(which[i] >= 0 && which[i] < size(), "predict_rows: no such network");
    const bool fresh = i == 0 || which[order[i]] != which[order[i - 1]];
    if (fresh || i - starts.back() == kChunkRows) starts.push_back(i);
  }
  starts.push_back(rows);
  const size_t sources = layout_->num_sources(), dense = layout_->num_dense;
  for_chunks(pool, starts.size() - 1, 1, [&](size_t, size_t item, size_t) {
    const int begin = starts[item], end = starts[item + 1];
    Forward forward(*layout_, std::min(Forward::kTileRows, end - begin));
    forward.use(networks_[which[order[begin]]].packed().data(), end - begin);
    std::vector<int32_t> index(forward.tile_rows() * sources);
    std::vector<float> values(forward.tile_rows() * dense);
    for (int r = begin; r < end; r += forward.tile_rows()) {
      const int tile = std::min(forward.tile_rows(), end - r);
      for (int i = 0; i < tile; ++i) {
        std::copy_n(inputs.index(order[r + i]), sources, index.data() + i * sources);
        std::copy_n(inputs.dense(order[r + i]), dense, values.data() + i * dense);
      }
      forward.run(index.data(), values.data(), tile);
      for (int i = 0; i < tile; ++i) {
        out[order[r + i]] = forward.outputs()[size_t(i) * forward.output_stride()];
      }
    }
  });
}

void NetworkSet::write(ByteWriter& out) const {
  write_shape(out, shape());
  out.u64(networks_.size());
  for (const Mlp& network : networks_) out.floats(network.plain());
}

NetworkSet NetworkSet::read(ByteReader& in) {
  NetworkSet set(read_shape(in));
  const uint64_t count = in.u64();
  for (uint64_t i = 0; i < count; ++i) {
    // Before memory is taken: a shape costs a few bytes, its parameters may cost gigabytes.
    const std::vector<float> values = in.floats();
    if (values.size() != set.num_plain())
      throw Error("saved network: its parameters do not fit its shape; save it again");
    Mlp network(set.layout_);
    network.set_plain(values);
    set.networks_.push_back(std::move(network));
  }
  return set;
}

Bytes NetworkSet::save() const {
  ByteWriter out;
  write(out);
  return seal(Kind::kNetworkSet, kVersion, out);
}

NetworkSet NetworkSet::load(std::span<const std::byte> bytes) {
  ByteReader in = open_sealed(bytes, Kind::kNetworkSet, kVersion);
  NetworkSet set = read(in);
  in.finish();
  return set;
}

}  // namespace penumbra::nn
