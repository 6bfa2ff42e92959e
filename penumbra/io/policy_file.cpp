#include "penumbra/io/policy_file.h"

#include <fmt/format.h>

#include <cerrno>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "penumbra/base/error.h"
#include "penumbra/io/replace_file.h"
#include "penumbra/model/cluster_observations.h"
#include "penumbra/model/fingerprint.h"
#include "penumbra/model/seen_table.h"
#include "penumbra/nn/bytes.h"
#include "penumbra/policy/fnc.h"

namespace penumbra {
namespace {

using nn::ByteReader;
using nn::Bytes;
using nn::ByteWriter;

constexpr char kMagic[] = "PNMBRPOL";
constexpr uint32_t kVersion = 1;
constexpr size_t kHeader = 20;

void append(Bytes& out, std::span<const std::byte> bytes) {
  out.insert(out.end(), bytes.begin(), bytes.end());
}

void append_checksum(Bytes& out, size_t from) {
  ByteWriter crc;
  crc.u32(nn::crc32c(std::span<const std::byte>(out).subspan(from)));
  append(out, crc.bytes());
}

void append_section(Bytes& out, const char* tag, const ByteWriter& payload) {
  const size_t from = out.size();
  append(out, std::as_bytes(std::span(tag, 4)));
  ByteWriter length;
  length.u64(payload.bytes().size());
  append(out, length.bytes());
  append(out, payload.bytes());
  append_checksum(out, from);
}

void write_texts(ByteWriter& out, const std::vector<std::string>& texts) {
  out.u32(static_cast<uint32_t>(texts.size()));
  for (const std::string& text : texts) out.text(text);
}

std::vector<std::string> read_texts(ByteReader& in) {
  std::vector<std::string> texts;
  for (uint32_t n = in.u32(); n > 0; --n) texts.push_back(in.text());
  return texts;
}

// Takes the file apart; every problem is told with the section and the byte where it lies.
class Decoder {
 public:
  Decoder(const std::string& path, std::span<const std::byte> bytes) : path_(path), bytes_(bytes) {}

  PolicyFile decode() {
    if (bytes_.size() < kHeader || std::memcmp(bytes_.data(), kMagic, 8) != 0)
      bad("header", 0, "this is not a policy file");
    check_sum("header", 0, kHeader - 4);
    ByteReader head(bytes_.subspan(8, 8));
    if (const uint32_t version = head.u32(); version != kVersion)
      bad("header", 8, fmt::format("version {} is newer than this program", version));
    const uint32_t sections = head.u32();
    if (sections < 2 || sections > 5) bad("header", 12, "wrong number of sections");
    at_ = kHeader;
    PolicyFile p;
    section("MODL", [&](ByteReader& in) { read_model(in, p); });
    uint32_t left = sections - 1;
    auto take = [&](const char* tag, bool wanted, auto read) {
      if (!wanted) return;
      if (left == 0) bad(tag, at_, "there is no such section, and a policy needs it");
      --left;
      section(tag, [&](ByteReader& in) { read(in, p); });
    };
    if (next_is("LIKE")) {
      take("LIKE", true, read_likelihood);
      if (p.num_observations != 0) bad("MODL", kHeader, "LIKE is for continuous observations");
      if (left > 0 || at_ != bytes_.size()) bad("end", at_, "LIKE stands alone");
      return p;
    }
    if (p.num_observations < 1) bad("MODL", kHeader, "a model has at least one observation");
    take("SEEN", next_is("SEEN"), read_centres);
    take("FSC_", next_is("FSC_"), read_fsc);
    const bool network = next_is("RNN_");
    take("ALPH", !network && (left > 0 || p.fsc.num_nodes() == 0), read_vectors);
    take("RNN_", left > 0, read_recurrent);
    if (left > 0) bad("end", at_, "sections that are not there were announced");
    if (at_ != bytes_.size()) bad("end", at_, "bytes after the last section");
    return p;
  }

 private:
  static void read_model(ByteReader& in, PolicyFile& p) {
    p.domain = in.text();
    p.fingerprint = in.doubles();
    p.num_actions = static_cast<int>(in.u32());
    p.num_observations = static_cast<int>(in.u32());
    p.action_names = read_texts(in);
    p.observation_names = read_texts(in);
    if (p.num_actions < 1 || p.num_observations < 0) throw Error("a model has at least one action");
    if (!p.action_names.empty() && p.action_names.size() != size_t(p.num_actions))
      throw Error("the names of the actions are not as many as the actions");
    if (!p.observation_names.empty() && p.observation_names.size() != size_t(p.num_observations))
      throw Error("the names of the observations are not as many as the observations");
  }

  static void read_centres(ByteReader& in, PolicyFile& p) {
    p.seen_dimension = static_cast<int>(in.u32());
    p.seen_centres = in.floats();
    if (p.seen_dimension < 1 ||
        p.seen_centres.size() != size_t(p.seen_dimension) * p.num_observations)
      throw Error("the centres are not as many as the observations");
    for (float value : p.seen_centres)
      if (!std::isfinite(value)) throw Error("a centre is not a number");
  }

  static void read_fsc(ByteReader& in, PolicyFile& p) {
    p.fsc.num_observations = static_cast<int>(in.u32());
    p.fsc.start = in.i32();
    p.fsc.action = in.ints();
    p.fsc.edges = in.ints();
    check_fsc(p.fsc, facts_of(p));
  }

  static void read_vectors(ByteReader& in, PolicyFile& p) {
    AlphaVectors& v = p.vectors;
    v.num_states = static_cast<int>(in.u32());
    v.num_actions = p.num_actions;
    for (uint32_t n = in.u32(); n > 0; --n) v.parts.push_back(in.ints());
    for (uint32_t n = in.u32(); n > 0; --n) {
      const int action = in.i32(), part = in.i32();
      v.vectors.push_back({action, part, in.doubles()});
    }
    check_alpha_vectors(v);
  }

  static void read_recurrent(ByteReader& in, PolicyFile& p) {
    p.recurrent = std::make_shared<const RecurrentActor>(RecurrentActor::read(in));
    check_recurrent(*p.recurrent, facts_of(p));
  }

  static void read_likelihood(ByteReader& in, PolicyFile& p) {
    LikelihoodController& c = p.likelihood;
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
};

}  // namespace

Facts facts_of(const PolicyFile& p) {
  Facts facts;
  facts.name = p.domain;
  facts.num_actions = p.num_actions;
  facts.num_observations = p.num_observations;
  facts.action_names = p.action_names;
  facts.observation_names = p.observation_names;
  return facts;
}

PolicyFile describe_policy(const Pomdp& model, Fsc fsc, AlphaVectors vectors,
                           std::shared_ptr<const RecurrentActor> recurrent) {
  PolicyFile p;
  p.domain = model.facts().name;
  p.fingerprint = fingerprint(model);
  p.action_names = model.facts().action_names;
  p.observation_names = model.facts().observation_names;
  p.num_actions = model.facts().num_actions;
  p.num_observations = model.facts().num_observations;
  if (const auto* clustered = dynamic_cast<const ClusterObservations*>(&model)) {
    p.seen_dimension = clustered->dimension();
    p.seen_centres = clustered->centres();
  }
  p.fsc = std::move(fsc);
  p.vectors = std::move(vectors);
  p.recurrent = std::move(recurrent);
  return p;
}

PolicyFile describe_policy(const Pomdp& model, LikelihoodController controller) {
  PolicyFile p = describe_policy(model, Fsc{});
  p.likelihood = std::move(controller);
  return p;
}

PolicyFile describe_policy(const Pomdp& model, const PolicyData& policy) {
  if (const auto* fnc = policy_as<Fnc>(policy)) return describe_policy(model, fnc->fsc);
  if (const auto* v = policy_as<VectorPolicy>(policy))
    return describe_policy(model, v->controller, v->vectors);
  if (const auto* like = policy_as<LikelihoodController>(policy))
    return describe_policy(model, *like);
  return describe_policy(model, Fsc{}, {}, std::get<std::shared_ptr<const RecurrentActor>>(policy));
}

std::unique_ptr<Policy> playable(const PolicyFile& policy, const Pomdp& model) {
  if (policy.recurrent) return std::make_unique<RecurrentPolicy>(policy.recurrent, model);
  if (policy.likelihood.num_nodes() > 0)
    return std::make_unique<LikelihoodPolicy>(model, policy.likelihood);
  if (policy.vectors.vectors.empty()) return std::make_unique<FscPolicy>(policy.fsc, model.facts());
  require(model, Capability::kTable, "a policy of alpha-vectors");
  return std::make_unique<AlphaPolicy>(policy.vectors,
                                       std::make_shared<const MixedModel>(seen_table(model)));
}

Bytes encode_policy(const PolicyFile& p) {
  Bytes out;
  append(out, std::as_bytes(std::span(kMagic, 8)));
  ByteWriter head;
  head.u32(kVersion);
  const bool has_fsc = p.fsc.num_nodes() > 0, has_vectors = !p.vectors.vectors.empty();
  const bool has_network = p.recurrent != nullptr, has_likelihood = p.likelihood.num_nodes() > 0;
  PENUMBRA_CHECK(has_fsc || has_vectors || has_network || has_likelihood,
                 "a policy is a controller, vectors, a network, or several");
  const bool has_centres = p.seen_dimension > 0;
  head.u32(1 + has_centres + has_fsc + has_vectors + has_network + has_likelihood);
  append(out, head.bytes());
  append_checksum(out, 0);
  ByteWriter model;
  model.text(p.domain);
  model.doubles(p.fingerprint);
  model.u32(static_cast<uint32_t>(p.num_actions));
  model.u32(static_cast<uint32_t>(p.num_observations));
  write_texts(model, p.action_names);
  write_texts(model, p.observation_names);
  append_section(out, "MODL", model);
  if (has_centres) {
    ByteWriter seen;
    seen.u32(static_cast<uint32_t>(p.seen_dimension));
    seen.floats(p.seen_centres);
    append_section(out, "SEEN", seen);
  }
  if (has_fsc) {
    ByteWriter fsc;
    fsc.u32(static_cast<uint32_t>(p.fsc.num_observations));
    fsc.i32(p.fsc.start);
    fsc.ints(p.fsc.action);
    fsc.ints(p.fsc.edges);
    append_section(out, "FSC_", fsc);
  }
  if (has_vectors) {
    ByteWriter alpha;
    alpha.u32(static_cast<uint32_t>(p.vectors.num_states));
    alpha.u32(static_cast<uint32_t>(p.vectors.parts.size()));
    for (const std::vector<int>& states : p.vectors.parts) alpha.ints(states);
    alpha.u32(static_cast<uint32_t>(p.vectors.vectors.size()));
    for (const AlphaVectors::Vector& vector : p.vectors.vectors) {
      alpha.i32(vector.action);
      alpha.i32(vector.part);
      alpha.doubles(vector.value);
    }
    append_section(out, "ALPH", alpha);
  }
  if (has_network) {
    ByteWriter network;
    p.recurrent->write(network);
    append_section(out, "RNN_", network);
  }
  if (has_likelihood) {
    ByteWriter like;
    size_t size = 1;
    for (const auto& node : p.likelihood.nodes)
      if (node->num_samples() > 0) size = node->samples.record_size();
    like.i32(p.likelihood.start);
    like.u32(static_cast<uint32_t>(size));
    like.u32(static_cast<uint32_t>(p.likelihood.num_nodes()));
    for (const auto& node : p.likelihood.nodes) {
      like.i32(node->action);
      like.ints(node->successor);
      const ConstRecords states = node->samples;
      like.text({reinterpret_cast<const char*>(states.data), states.size * states.count});
      like.floats(node->value);
    }
    append_section(out, "LIKE", like);
  }
  return out;
}

PolicyFile decode_policy(std::span<const std::byte> bytes, const std::string& path) {
  return Decoder(path, bytes).decode();
}

void write_policy_file(const std::string& path, const PolicyFile& policy) {
  replace_file(path, encode_policy(policy));
}

PolicyFile read_policy_file(const std::string& path) {
  std::error_code error;
  if (!std::filesystem::exists(path, error)) throw Error("there is no policy file '" + path + "'");
  if (std::filesystem::is_directory(path, error)) throw Error(path + " is a folder, not a policy");
  std::ifstream in(path, std::ios::binary);
  if (!in) throw Error(fmt::format("cannot read {}: {}", path, std::strerror(errno)));
  const std::string content((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  return decode_policy(std::as_bytes(std::span(content)), path);
}

void check_policy_fits(const PolicyFile& policy, const Pomdp& model, const std::string& path) {
  if (!same_fingerprint(policy.fingerprint, fingerprint(model)))
    throw Error(fmt::format("{} was made for {}, which is not the same problem as {}", path,
                            policy.domain, model.facts().name));
  if (policy.fsc.num_nodes() > 0) check_fsc(policy.fsc, model.facts());
  if (policy.recurrent) check_recurrent(*policy.recurrent, model.facts());
  if (policy.likelihood.num_nodes() > 0) check_likelihood_controller(policy.likelihood, model);
}

}  // namespace penumbra
