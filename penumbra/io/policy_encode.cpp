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
  write_texts(out, p.action_names);
  write_texts(out, p.observation_names);
}

void write_fsc(ByteWriter& out, const Fsc& fsc) {
  out.u32(static_cast<uint32_t>(fsc.num_observations));
  out.i32(fsc.start);
  out.ints(fsc.action);
  out.ints(fsc.edges);
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
  const size_t before = sections.size();
  if (p.controller().num_nodes() > 0) write_fsc(section("FSC_"), p.controller());
  if (const auto* fnc = policy_as<Fnc>(p.policy); fnc && fnc->networks)
    write_networks(section("NETS"), *fnc);
  if (const auto* vectors = policy_as<VectorPolicy>(p.policy))
    write_vectors(section("ALPH"), vectors->vectors);
  if (const auto* actor = policy_as<RecurrentActor>(p.policy)) actor->write(section("RNN_"));
  if (const auto* like = policy_as<LikelihoodController>(p.policy))
    write_likelihood(section("LIKE"), *like);
  PENUMBRA_CHECK(sections.size() > before,
                 "a policy is a controller, vectors, or a recurrent network");
  Bytes out;
  append(out, std::as_bytes(std::span(kPolicyMagic, 8)));
  ByteWriter head;
  head.u32(kPolicyVersion);
  head.u32(static_cast<uint32_t>(sections.size()));
  append(out, head.bytes());
  append_checksum(out, 0);
  for (const Section& s : sections) append_section(out, s);
  return out;
}

}  // namespace penumbra
