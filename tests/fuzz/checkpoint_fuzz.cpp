// libFuzzer: any bytes as a checkpoint, as they are and with magic, version and checksum set right.
// Its frame and header are read, and its state as one of lengths, texts and numbers: refused with
// an Error or read, without memory that the file does not have.
#include <cstring>

#include "penumbra/base/error.h"
#include "penumbra/io/checkpoint_file.h"
#include "penumbra/nn/bytes.h"
#include "penumbra/policy/fsc.h"
#include "penumbra/solvers/archive_parts.h"
#include "tests/fuzz/fuzz_folder.h"

namespace {

void read() {
  try {
    penumbra::CheckpointPair pair(fuzz_folder());
    std::string damaged;
    if (!pair.newest(&damaged)) return;
    pair.read_state([](penumbra::Loader& loader) {
      std::vector<std::string> texts;
      std::vector<std::vector<double>> rows;
      penumbra::Fsc fsc;
      loader(texts, rows, fsc);
    });
  } catch (const penumbra::Error&) {
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, size_t size) {
  const std::string path = fuzz_folder() + "/checkpoint-a";
  put_file(path, data, size);
  read();
  if (size < 16) return 0;
  std::vector<std::byte> bytes(size);
  std::memcpy(bytes.data(), data, size);
  const uint32_t version = 1;
  std::memcpy(bytes.data(), "PNMBRCKP", 8);
  std::memcpy(bytes.data() + 8, &version, sizeof version);
  const uint32_t crc = penumbra::nn::crc32c(std::span(bytes).first(size - 4));
  std::memcpy(bytes.data() + size - 4, &crc, sizeof crc);
  put_file(path, reinterpret_cast<const unsigned char*>(bytes.data()), size);
  read();
  return 0;
}
