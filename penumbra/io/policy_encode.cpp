#include <span>

#include "penumbra/base/error.h"
#include "penumbra/io/policy_file.h"
#include "penumbra/io/policy_format.h"
#include "penumbra/nn/value_bank.h"

namespace penumbra {
namespace {

using nn::Bytes;
using nn::ByteWriter;

void append(Bytes& out, std::span<const std::byte> bytes) {
  out.insert(out.end(), bytes.begin(), bytes.end());
}

void append_checksum(Bytes& out, size_t from) {
  ByteWriter crc;
  crc.u32(nn::crc32c(std::span<const std::byte>(out).subspan(from)));
  append(out, crc.bytes());
}

constexpr size_t kSectionFrame = 4 + 8 + 4;  // tag, length, checksum

struct Section {
  const char* tag;
  ByteWriter payload;
};

void append_section(Bytes& out, const Section& section) {
  const size_t from = out.size();
  append(out, std::as_bytes(std::span(section.tag, 4)));
  ByteWriter length;
  length.u64(section.payload.bytes().size());
  append(out, length.bytes());
  append(out, section.payload.bytes());
  append_checksum(out, from);
}

void write_texts(ByteWriter& out, const std::vector<std::string>& texts) {
  out.u32(static_cast<uint32_t>(texts.size()));
  for (const std::string& text : texts) out.text(text);
}

void write_bytes(ByteWriter& out, std::span<const std::byte> bytes) {
  out.text({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

void write_model(ByteWriter& out, const PolicyFile& p) {
  out.text(p.domain);
  out.doubles(p.fingerprint);
  out.u32(static_cast<uint32_t>(p.num_actions));
  out.u32(static_cast<uint32_t>(p.num_observations));
  const auto* like = policy_as<LikelihoodController>(p.policy);
  const bool real = p.controller().action_width > 0 || (like && has_real_actions(*like));
  write_texts(out, real ? std::vector<std::string>() : p.action_names);
  write_texts(out, p.observation_names);
}

void write_fsc(ByteWriter& out, const Fsc& fsc) {
  out.u32(static_cast<uint32_t>(fsc.num_observations));
  out.i32(fsc.start);
  out.ints(fsc.action);
  out.ints(fsc.edges);
}

void write_trees(ByteWriter& out, const PolicyFile& p) {
  const ActionTrees& trees = p.seen_trees;
  out.u32(static_cast<uint32_t>(p.tree_dimension));
  out.ints(trees.tree_of);
  out.floats(trees.sampled);
  out.floats(trees.units);
  out.u32(static_cast<uint32_t>(trees.trees.size()));
  for (const ObservationTree& tree : trees.trees) {
    std::vector<int> coordinate, below, above;
    std::vector<float> bound;
    for (const ObservationTree::Split& s : tree.splits()) {
      coordinate.push_back(s.coordinate);
      bound.push_back(s.bound);
      below.push_back(s.below);
      above.push_back(s.above);
    }
    out.ints(coordinate);
    out.floats(bound);
    out.ints(below);
    out.ints(above);
  }
}

void write_networks(ByteWriter& out, const Fnc& fnc) {
  out.ints(fnc.alpha);
  write_bytes(out, fnc.networks->save());
}

void write_vectors(ByteWriter& out, const AlphaVectors& vectors) {
  out.u32(static_cast<uint32_t>(vectors.num_states));
  out.u32(static_cast<uint32_t>(vectors.parts.size()));
  for (const std::vector<int>& states : vectors.parts) out.ints(states);
  out.u32(static_cast<uint32_t>(vectors.vectors.size()));
  size_t size = 0;
  for (const AlphaVectors::Vector& vector : vectors.vectors)
    size += 16 + sizeof(double) * vector.value.size();  // action, part and length before the values
  out.reserve(size);
  for (const AlphaVectors::Vector& vector : vectors.vectors) {
    out.i32(vector.action);
    out.i32(vector.part);
    out.doubles(vector.value);
  }
}

void write_likelihood(ByteWriter& out, const LikelihoodController& controller) {
  size_t size = 1;
  for (const auto& node : controller.nodes)
    if (node->num_samples() > 0) size = node->samples.record_size();
  out.i32(controller.start);
  out.u32(static_cast<uint32_t>(size));
  out.u32(static_cast<uint32_t>(controller.num_nodes()));
  for (const auto& node : controller.nodes) {
    out.i32(node->action);
    out.ints(node->successor);
    const ConstRecords states = node->samples;
    write_bytes(out, {states.data, states.size * states.count});
    out.floats(node->value);
  }
}

}  // namespace

Bytes encode_policy(const PolicyFile& p) {
  std::vector<Section> sections;
  auto section = [&](const char* tag) -> ByteWriter& {
    return sections.emplace_back(Section{tag, {}}).payload;
  };
  write_model(section("MODL"), p);
  if (p.seen_dimension > 0) {
    ByteWriter& seen = section("SEEN");
    seen.u32(static_cast<uint32_t>(p.seen_dimension));
    seen.floats(p.seen_centres);
  }
  if (!p.seen_units.empty()) section("UNIT").floats(p.seen_units);
  if (p.tree_dimension > 0) write_trees(section("TREE"), p);
  const size_t before = sections.size();
  if (p.controller().num_nodes() > 0) write_fsc(section("FSC_"), p.controller());
  if (const Fsc& fsc = p.controller(); fsc.action_width > 0) {
    ByteWriter& real = section("ACTS");
    real.u32(static_cast<uint32_t>(fsc.action_width));
    real.floats(fsc.action_values);
  }
  if (const auto* fnc = policy_as<Fnc>(p.policy); fnc && fnc->networks)
    write_networks(section("NETS"), *fnc);
  if (const auto* vectors = policy_as<VectorPolicy>(p.policy))
    write_vectors(section("ALPH"), vectors->vectors);
  if (const auto* actor = policy_as<RecurrentActor>(p.policy)) actor->write(section("RNN_"));
  if (const auto* like = policy_as<LikelihoodController>(p.policy))
    write_likelihood(section("LIKE"), *like);
  if (const auto* like = policy_as<LikelihoodController>(p.policy);
      like && has_real_actions(*like)) {
    ByteWriter& real = section("ACTS");
    std::vector<float> rows;
    for (const auto& node : like->nodes)
      rows.insert(rows.end(), node->real_action.begin(), node->real_action.end());
    real.u32(static_cast<uint32_t>(like->nodes[0]->real_action.size()));
    real.floats(rows);
  }
  PENUMBRA_CHECK(sections.size() > before,
                 "a policy is a controller, vectors, or a recurrent network");
  Bytes out;
  append(out, std::as_bytes(std::span(kPolicyMagic, 8)));
  ByteWriter head;
  head.u32(kPolicyVersion);
  head.u32(static_cast<uint32_t>(sections.size()));
  append(out, head.bytes());
  append_checksum(out, 0);
  size_t size = out.size();
  for (const Section& s : sections) size += s.payload.bytes().size() + kSectionFrame;
  out.reserve(size);
  for (Section& s : sections) {
    append_section(out, s);
    s.payload = {};  // vectors are large
  }
  return out;
}

}  // namespace penumbra
