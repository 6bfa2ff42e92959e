#include <fmt/format.h>

#include <cmath>
#include <cstring>

#include "penumbra/base/error.h"
#include "penumbra/io/policy_file.h"
#include "penumbra/io/policy_format.h"
#include "penumbra/nn/value_bank.h"

namespace penumbra {
namespace {

using nn::ByteReader;

std::vector<std::string> read_texts(ByteReader& in) {
  std::vector<std::string> texts;
  for (uint32_t n = in.u32(); n > 0; --n) texts.push_back(in.text());
  return texts;
}

void read_model(ByteReader& in, PolicyFile& p) {
  p.domain = in.text();
  p.fingerprint = in.doubles();
  p.num_actions = static_cast<int>(in.u32());
  p.num_observations = static_cast<int>(in.u32());
  p.action_names = read_texts(in);
  p.observation_names = read_texts(in);
  if (p.num_actions < 0 || p.num_observations < 0) throw Error("a model has at least one action");
  if (!p.action_names.empty() && p.action_names.size() != size_t(p.num_actions))
    throw Error("the names of the actions are not as many as the actions");
  if (!p.observation_names.empty() && p.observation_names.size() != size_t(p.num_observations))
    throw Error("the names of the observations are not as many as the observations");
}

void read_centres(ByteReader& in, PolicyFile& p) {
  p.seen_dimension = static_cast<int>(in.u32());
  p.seen_centres = in.floats();
  if (p.seen_dimension < 1 ||
      p.seen_centres.size() != size_t(p.seen_dimension) * p.num_observations)
    throw Error("the centres are not as many as the observations");
  for (float value : p.seen_centres)
    if (!std::isfinite(value)) throw Error("a centre is not a number");
}

void read_units(ByteReader& in, PolicyFile& p) {
  p.seen_units = in.floats();
  if (p.seen_units.size() != size_t(p.seen_dimension))
    throw Error("the units are not as many as the coordinates of an observation");
  for (float value : p.seen_units)
    if (!(value > 0) || !std::isfinite(value)) throw Error("a unit is not above 0");
}

// Every split and every leaf has one parent, and splits come after theirs.
ObservationTree read_tree(ByteReader& in, int dimension, int num_observations) {
  const std::vector<int> coordinate = in.ints();
  const std::vector<float> bound = in.floats();
  const std::vector<int> below = in.ints(), above = in.ints();
  const size_t n = coordinate.size();
  if (bound.size() != n || below.size() != n || above.size() != n)
    throw Error("the splits of a tree are not complete");
  if (n >= size_t(num_observations)) throw Error("a tree has more leaves than observations");
  std::vector<char> split(n, 0), leaf(n + 1, 0);
  std::vector<ObservationTree::Split> splits;
  for (size_t i = 0; i < n; ++i) {
    if (coordinate[i] < 0 || coordinate[i] >= dimension || !std::isfinite(bound[i]))
      throw Error("a split of a tree has no such coordinate or bound");
    for (int to : {below[i], above[i]}) {
      const size_t at = to < 0 ? ~to : to;
      const bool fits = to < 0 ? at <= n : at > i && at < n;
      if (!fits || (to < 0 ? leaf : split)[at]++) throw Error("the splits of a tree are tangled");
    }
    splits.push_back({coordinate[i], bound[i], below[i], above[i]});
  }
  return ObservationTree(std::move(splits));
}

void read_trees(ByteReader& in, PolicyFile& p) {
  ActionTrees& trees = p.seen_trees;
  p.tree_dimension = static_cast<int>(in.u32());
  trees.tree_of = in.ints();
  trees.sampled = in.floats();
  trees.units = in.floats();
  if (p.tree_dimension < 1) throw Error("an observation has at least one coordinate");
  for (uint32_t n = in.u32(); n > 0; --n)
    trees.trees.push_back(read_tree(in, p.tree_dimension, p.num_observations));
  if (trees.tree_of.empty() ||
      (trees.units.empty() ? trees.tree_of.size() != size_t(p.num_actions)
                           : trees.sampled.size() != trees.tree_of.size() * trees.units.size()))
    throw Error("the trees are not one for every action");
  for (int tree : trees.tree_of)
    if (tree < 0 || size_t(tree) >= trees.trees.size()) throw Error("an action has no such tree");
}

Fsc read_fsc(ByteReader& in, const Facts& facts) {
  Fsc fsc;
  fsc.num_observations = static_cast<int>(in.u32());
  fsc.start = in.i32();
  fsc.action = in.ints();
  fsc.edges = in.ints();
  check_fsc(fsc, facts);
  return fsc;
}

void read_actions(ByteReader& in, Fsc& fsc, int num_actions) {
  fsc.action_width = static_cast<int>(in.u32());
  fsc.action_values = in.floats();
  if (fsc.action_width < 1 || fsc.action_values.size() != size_t(fsc.action_width) * num_actions)
    throw Error("the real actions are not as many as the actions");
  for (float value : fsc.action_values)
    if (!std::isfinite(value)) throw Error("a real action is not a number");
}

void read_networks(ByteReader& in, Fnc& fnc) {
  fnc.alpha = in.ints();
  const std::string bank = in.text();
  fnc.networks = nn::load_bank(std::as_bytes(std::span(bank)), {});
  if (fnc.networks->size() == 0) throw Error("there is no network");
  if (fnc.alpha.empty()) throw Error("no node has a network");
  check_networks(fnc);
}

AlphaVectors read_vectors(ByteReader& in, int num_actions) {
  AlphaVectors v;
  v.num_states = static_cast<int>(in.u32());
  v.num_actions = num_actions;
  for (uint32_t n = in.u32(); n > 0; --n) v.parts.push_back(in.ints());
  for (uint32_t n = in.u32(); n > 0; --n) {
    const int action = in.i32(), part = in.i32();
    v.vectors.push_back({action, part, in.doubles()});
  }
  check_alpha_vectors(v);
  return v;
}

LikelihoodController read_likelihood(ByteReader& in) {
  LikelihoodController c;
  c.start = in.i32();
  const size_t size = in.u32();
  if (size < 1) throw Error("a state has at least one byte");
  for (uint32_t n = in.u32(); n > 0; --n) {
    LikelihoodNode node;
    node.action = in.i32();
    node.successor = in.ints();
    const std::string states = in.text();
    node.value = in.floats();
    if (states.size() % size != 0) throw Error("a node has a part of a state");
    node.samples = RecordBuffer(size);
    node.samples.append(
        {reinterpret_cast<const std::byte*>(states.data()), size, states.size() / size});
    c.nodes.push_back(std::make_shared<LikelihoodNode>(std::move(node)));
  }
  if (c.nodes.empty()) throw Error("the controller has no nodes");
  return c;
}

void read_node_actions(ByteReader& in, LikelihoodController& controller) {
  Fsc rows;
  read_actions(in, rows, controller.num_nodes());
  for (int n = 0; n < controller.num_nodes(); ++n) {
    auto node = std::make_shared<LikelihoodNode>(*controller.nodes[n]);
    node->real_action.assign(rows.real_action(n).begin(), rows.real_action(n).end());
    controller.nodes[n] = std::move(node);
  }
}

// Takes the file apart; every problem is told with the section and the byte where it lies.
class Decoder {
 public:
  Decoder(const std::string& path, std::span<const std::byte> bytes) : path_(path), bytes_(bytes) {}

  PolicyFile decode() {
    if (bytes_.size() < kPolicyHeader || std::memcmp(bytes_.data(), kPolicyMagic, 8) != 0)
      bad("header", 0, "this is not a policy file");
    check_sum("header", 0, kPolicyHeader - 4);
    ByteReader head(bytes_.subspan(8, 8));
    if (const uint32_t version = head.u32(); version != kPolicyVersion)
      bad("header", 8, fmt::format("version {} is newer than this program", version));
    left_ = head.u32();
    if (left_ < 2 || left_ > 7) bad("header", 12, "wrong number of sections");
    at_ = kPolicyHeader;
    PolicyFile p;
    section("MODL", [&](ByteReader& in) { read_model(in, p); });
    p.policy = next_is("LIKE") ? likelihood(p) : finite(p);
    if (left_ > 0) bad("end", at_, "sections that are not there were announced");
    if (at_ != bytes_.size()) bad("end", at_, "bytes after the last section");
    return p;
  }

 private:
  PolicyData likelihood(const PolicyFile& p) {
    auto controller = std::make_shared<LikelihoodController>();
    section("LIKE", [&](ByteReader& in) { *controller = read_likelihood(in); });
    if (p.num_observations != 0) bad("MODL", kPolicyHeader, "LIKE is for continuous observations");
    if (next_is("ACTS"))
      section("ACTS", [&](ByteReader& in) { read_node_actions(in, *controller); });
    if (left_ > 0) bad("end", at_, "LIKE stands alone");
    return controller;
  }

  // A network plays before vectors, and these before a controller: that is how files that have
  // several were played when they were written.
  PolicyData finite(PolicyFile& p) {
    if (p.num_observations < 1) bad("MODL", kPolicyHeader, "a model has at least one observation");
    const Facts facts = facts_of(p);
    if (next_is("SEEN")) section("SEEN", [&](ByteReader& in) { read_centres(in, p); });
    if (next_is("UNIT")) section("UNIT", [&](ByteReader& in) { read_units(in, p); });
    if (next_is("TREE")) section("TREE", [&](ByteReader& in) { read_trees(in, p); });
    // Only a network knows a box of actions by itself.
    if (p.num_actions == 0 && !next_is("RNN_"))
      bad("MODL", kPolicyHeader, "a model has at least one action");
    Fnc fnc;
    if (next_is("FSC_")) section("FSC_", [&](ByteReader& in) { fnc.fsc = read_fsc(in, facts); });
    const bool has_controller = fnc.fsc.num_nodes() > 0;
    if (has_controller && next_is("ACTS")) {
      section("ACTS", [&](ByteReader& in) { read_actions(in, fnc.fsc, p.num_actions); });
      name_actions(fnc.fsc, p);
    }
    if (has_controller && next_is("NETS")) {
      section("NETS", [&](ByteReader& in) { read_networks(in, fnc); });
      if (left_ > 0) bad("end", at_, "NETS is the last section");
    }
    if (has_controller && left_ == 0) return std::make_shared<Fnc>(std::move(fnc));
    VectorPolicy vectors{{}, std::move(fnc.fsc)};
    const bool has_vectors = !next_is("RNN_");
    if (has_vectors)
      section("ALPH", [&](ByteReader& in) { vectors.vectors = read_vectors(in, p.num_actions); });
    if (left_ == 0 && has_vectors) return std::make_shared<VectorPolicy>(std::move(vectors));
    std::shared_ptr<const RecurrentActor> actor;
    section("RNN_", [&](ByteReader& in) {
      actor = std::make_shared<const RecurrentActor>(RecurrentActor::read(in));
      check_recurrent(*actor, facts);
    });
    return actor;
  }

  bool next_is(const char* tag) const {
    return bytes_.size() - at_ >= 4 && std::memcmp(bytes_.data() + at_, tag, 4) == 0;
  }

  [[noreturn]] void bad(const char* section, size_t at, const std::string& what) const {
    throw Error(fmt::format("{}: section {}, byte {}: {}", path_, section, at, what));
  }

  void check_sum(const char* section, size_t from, size_t length) const {
    ByteReader stored(bytes_.subspan(from + length, 4));
    if (stored.u32() != nn::crc32c(bytes_.subspan(from, length)))
      bad(section, from, "the checksum does not match: the file is damaged");
  }

  template <class Read>
  void section(const char* tag, const Read& read) {
    constexpr size_t kFrame = 12;  // tag and length
    if (left_ == 0) bad(tag, at_, "there is no such section, and a policy needs it");
    --left_;
    if (bytes_.size() - at_ < kFrame + 4) bad(tag, at_, "the file ends too early");
    if (std::memcmp(bytes_.data() + at_, tag, 4) != 0) bad(tag, at_, "another section stands here");
    const uint64_t length = ByteReader(bytes_.subspan(at_ + 4, 8)).u64();
    if (length > bytes_.size() - at_ - kFrame - 4) bad(tag, at_ + 4, "the file ends too early");
    check_sum(tag, at_, kFrame + length);
    ByteReader payload(bytes_.subspan(at_ + kFrame, length));
    try {
      read(payload);
      payload.finish();
    } catch (const Error& error) {
      bad(tag, at_ + kFrame, error.what());
    }
    at_ += kFrame + length + 4;
  }

  const std::string& path_;
  std::span<const std::byte> bytes_;
  size_t at_ = 0;
  uint32_t left_ = 0;  // sections
};

}  // namespace

PolicyFile decode_policy(std::span<const std::byte> bytes, const std::string& path) {
  return Decoder(path, bytes).decode();
}

}  // namespace penumbra
