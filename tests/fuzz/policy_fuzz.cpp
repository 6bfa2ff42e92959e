// libFuzzer: any bytes as a policy file, as they are and with every checksum set right, so that
// what is behind the checksums is reached. What is read must have the same bytes after it is
// written, read and written again, and a controller can be exported; everything else must be
// refused with an Error.
#include <cstdlib>
#include <cstring>

#include "penumbra/base/error.h"
#include "penumbra/io/export_c.h"
#include "penumbra/io/export_dot.h"
#include "penumbra/io/export_json.h"
#include "penumbra/io/policy_file.h"
#include "penumbra/io/policy_format.h"
#include "penumbra/nn/bytes.h"

namespace {

void seal(std::vector<std::byte>& bytes, size_t begin, size_t end) {
  const uint32_t crc = penumbra::nn::crc32c(std::span(bytes).subspan(begin, end - begin));
  std::memcpy(bytes.data() + end, &crc, sizeof crc);
}

void seal_all(std::vector<std::byte>& bytes) {
  if (bytes.size() < penumbra::kPolicyHeader) return;
  std::memcpy(bytes.data(), penumbra::kPolicyMagic, 8);
  seal(bytes, 0, 16);
  for (size_t at = penumbra::kPolicyHeader; at + 16 <= bytes.size();) {
    uint64_t length = 0;
    std::memcpy(&length, bytes.data() + at + 4, sizeof length);
    if (length > bytes.size() - at - 16) return;
    seal(bytes, at, at + 12 + length);
    at += 16 + length;
  }
}

void read(std::span<const std::byte> bytes) {
  try {
    const penumbra::PolicyFile file = penumbra::decode_policy(bytes, "f.policy");
    const auto written = penumbra::encode_policy(file);
    const auto again = penumbra::encode_policy(penumbra::decode_policy(written, "g.policy"));
    if (written != again) std::abort();
    if (file.controller().num_nodes() == 0) return;
    penumbra::c_header(file, "f");
    penumbra::controller_dot(file);
    penumbra::controller_json(file);
  } catch (const penumbra::Error&) {
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, size_t size) {
  const auto* first = reinterpret_cast<const std::byte*>(data);
  std::vector<std::byte> bytes(first, first + size);
  read(bytes);
  seal_all(bytes);
  read(bytes);
  return 0;
}
