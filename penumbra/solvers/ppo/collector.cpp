#include "penumbra/solvers/ppo/collector.h"

#include <algorithm>
#include <atomic>
#include <numeric>

#include "penumbra/base/share_out.h"

namespace penumbra::ppo {
namespace {

constexpr size_t kPlayLanes = 32, kValueLanes = 16;

// Some lanes, as another rank played them.
struct Piece {
  bool stopped = false;
  Bytes lanes;

  template <class Archive>
  void archive(Archive& a) {
    a(stopped, lanes);
  }
};

// What the critic says of some lanes.
struct Valued {
  std::vector<float> value, memory;

  template <class Archive>
  void archive(Archive& a) {
    a(value, memory);
  }
};

}  // namespace

Collector::Collector(const Pomdp& model, const HistoryCode& code, const nn::ActionHead& head,
                     int lanes, int hidden, int max_episode, RngKey key)
    : model_(model),
      code_(code),
      head_(head),
      lanes_(lanes),
      hidden_(hidden),
      max_episode_(max_episode),
      key_(key),
      state_(model.state_size(), lanes),
      index_(lanes_ * code.num_blocks()),
      dense_(lanes_ * code.num_dense()),
      starts_(lanes_),
      actor_memory_(lanes_ * hidden),
      critic_memory_(lanes_ * hidden),
      length_(lanes_) {
  for (size_t lane = 0; lane < lanes_; ++lane) begin_episodes(key.fold("first"), lane, 1);
}

// A state that is terminal from the beginning makes an episode of one step without reward.
void Collector::begin_episodes(RngKey key, size_t lane, size_t count) {
  model_.sample_initial({key, lane}, state_.sub(lane, count));
  for (size_t i = lane; i < lane + count; ++i) {
    code_.start(index_.data() + i * code_.num_blocks(), dense_.data() + i * code_.num_dense());
    starts_[i] = 1;
    length_[i] = 0;
  }
}

bool Collector::play(const nn::RecurrentNet& actor, uint64_t round, Batch& batch, ThreadPool& pool,
                     const std::function<bool()>& stop) {
  std::atomic<bool> stopped{false};
  const bool alone = pool.team().size() == 1;
  const auto end_of = [&](size_t piece) { return std::min(lanes_, (piece + 1) * kPlayLanes); };
  const std::vector<Piece> pieces =
      share_out<Piece>(pool, ThreadPool::num_chunks(lanes_, kPlayLanes), [&](size_t p) {
        play_lanes(actor, key_.fold("round").fold(round), batch, p * kPlayLanes, end_of(p), [&] {
          if (!stopped && stop()) stopped = true;
          return stopped.load();
        });
        BytesSink sink;
        Saver saver(sink);
        if (!alone) archive_lanes(saver, batch, p * kPlayLanes, end_of(p));
        return Piece{stopped, std::move(sink.bytes)};
      });
  bool whole = true;
  for (size_t p = 0; p < pieces.size(); ++p) {
    whole = whole && !pieces[p].stopped;
    if (alone) continue;
    BytesSource source(pieces[p].lanes);
    Loader loader(source);
    archive_lanes(loader, batch, p * kPlayLanes, end_of(p));
  }
  return whole;
}

template <class Archive>
void Collector::archive_lanes(Archive& a, Batch& b, size_t begin, size_t end) {
  const size_t blocks = code_.num_blocks(), dense = code_.num_dense(), width = head_.width();
  auto each = [&](auto& values, size_t from, size_t to) {
    for (size_t i = from; i < to; ++i) a(values[i]);
  };
  for (int t = 0; t <= b.steps; ++t) {
    const size_t first = b.at(t, 0) + begin, last = b.at(t, 0) + end;
    each(b.index, first * blocks, last * blocks);
    each(b.dense, first * dense, last * dense);
    each(b.starts, first, last);
    if (t == b.steps) break;
    each(b.action, first * width, last * width);
    each(b.log_probability, first, last);
    each(b.reward, first, last);
    each(b.ended, first, last);
    each(b.valid, first, last);
  }
  each(b.actor_memory, begin * hidden_, end * hidden_);
  for (size_t i = 0; i < (end - begin) * state_.record_size(); ++i) a(state_.at(begin)[i]);
  each(index_, begin * blocks, end * blocks);
  each(dense_, begin * dense, end * dense);
  each(starts_, begin, end);
  each(actor_memory_, begin * hidden_, end * hidden_);
  each(length_, begin, end);
}

void Collector::play_lanes(const nn::RecurrentNet& actor, RngKey key, Batch& b, size_t begin,
                           size_t end, const std::function<bool()>& stop) {
  const size_t n = end - begin, blocks = code_.num_blocks(), dense = code_.num_dense();
  const size_t width = head_.width();
  nn::GruSequence sequence(actor.layout(), static_cast<int>(n), 1);
  StepBuffers buffers(model_, n);
  RecordBuffer action(model_.action_size(), n);
  auto put_inputs = [&](int t) {
    std::copy_n(index_.data() + begin * blocks, n * blocks,
                b.index.data() + b.at(t, static_cast<int>(begin)) * blocks);
    std::copy_n(dense_.data() + begin * dense, n * dense,
                b.dense.data() + b.at(t, static_cast<int>(begin)) * dense);
    std::copy_n(starts_.data() + begin, n, b.starts.data() + b.at(t, static_cast<int>(begin)));
  };
  float* memory = actor_memory_.data() + begin * hidden_;
  std::copy_n(memory, n * hidden_, b.actor_memory.data() + begin * hidden_);
  for (int t = 0; t < b.steps; ++t) {
    if (stop()) return;
    const size_t row = b.at(t, static_cast<int>(begin));
    put_inputs(t);
    sequence.forward(actor.packed().data(),
                     {static_cast<int>(n), 1, index_.data() + begin * blocks,
                      dense_.data() + begin * dense, starts_.data() + begin, memory});
    for (size_t i = 0; i < n; ++i) {
      const float* out = sequence.outputs(static_cast<int>(i));
      Rng rng(key.fold("act").fold(t), begin + i);
      float* chosen = b.action.data() + (row + i) * width;
      head_.sample(out, rng, chosen);
      b.log_probability[row + i] = static_cast<float>(head_.log_probability(out, chosen));
      code_.action_record(chosen, action.at(i));
      std::copy_n(sequence.memory(static_cast<int>(i)), hidden_, memory + i * hidden_);
    }
    const StepResults out = buffers.results(n);
    model_.step(state_.sub(begin, n), ConstRecords(action), {key.fold("step").fold(t), begin}, out);
    std::memcpy(state_.at(begin), out.next.data, n * model_.state_size());
    for (size_t i = 0; i < n; ++i) {
      const size_t lane = begin + i;
      const bool cut = !out.ended[i] && ++length_[lane] >= max_episode_;
      b.reward[row + i] = out.reward[i];
      b.ended[row + i] = out.ended[i];
      b.valid[row + i] = !cut;
      if (out.ended[i] || cut) {
        begin_episodes(key.fold("initial").fold(t), lane, 1);
        continue;
      }
      code_.encode(action.at(i), out.seen.at(i), index_.data() + lane * blocks,
                   dense_.data() + lane * dense);
      starts_[lane] = 0;
    }
  }
  put_inputs(b.steps);
}

void Collector::value(const nn::RecurrentNet& critic, double middle, double scale, Batch& b,
                      ThreadPool& pool) {
  b.critic_memory = critic_memory_;
  const int rows = b.steps + 1;
  const auto count_of = [&](size_t p) {
    return static_cast<int>(std::min(lanes_, (p + 1) * kValueLanes) - p * kValueLanes);
  };
  const size_t pieces = ThreadPool::num_chunks(lanes_, kValueLanes);
  const std::vector<Valued> all = share_out<Valued>(pool, pieces, [&](size_t p) {
    const int n = count_of(p);
    const size_t begin = p * kValueLanes;
    std::vector<int> lanes(n);
    std::iota(lanes.begin(), lanes.end(), static_cast<int>(begin));
    LaneInputs inputs;
    nn::GruSequence sequence(critic.layout(), n, rows);
    sequence.forward(critic.packed().data(), inputs.take(b, lanes, rows, b.critic_memory));
    Valued out;
    for (int row = 0; row < rows * n; ++row)
      out.value.push_back(static_cast<float>(middle + scale * sequence.outputs(row)[0]));
    for (int i = 0; i < n; ++i) {
      const float* memory = sequence.memory((b.steps - 1) * n + i);
      out.memory.insert(out.memory.end(), memory, memory + hidden_);
    }
    return out;
  });
  for (size_t p = 0; p < pieces; ++p) {
    const int n = count_of(p), begin = static_cast<int>(p * kValueLanes);
    for (int t = 0; t < rows; ++t)
      std::copy_n(all[p].value.begin() + t * n, n,
                  b.value.begin() + static_cast<long>(b.at(t, begin)));
    std::copy(all[p].memory.begin(), all[p].memory.end(),
              critic_memory_.begin() + static_cast<long>(begin * hidden_));
  }
}

}  // namespace penumbra::ppo
