// The state of a solve on disk. A file is, everything little-endian:
//
//   magic "PNMBRCKP" (8) | version u32 = 1 | header | state | CRC-32C of all before u32
//
//   header   u64 number (the higher of two is the newer) | text program | text solver
//            | text domain | doubles fingerprint of the model (model/fingerprint.h)
//            | text configuration (TOML, docs/runs.md)
//   state    whatever the solver wrote (solvers/checkpoints.h), to the end; it belongs to the
//            version of the program that wrote it
//
// text: u64 length, bytes. doubles: u64 count, values. Nothing in it depends on the number of
// threads.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "penumbra/base/archive.h"
#include "penumbra/io/file_calls.h"

namespace penumbra {

struct CheckpointHeader {
  uint64_t number = 0;
  std::string program;  // its version
  std::string solver, domain;
  std::vector<double> fingerprint;
  std::string configuration;

  template <class Archive>
  void archive(Archive& a) {
    a(number, program, solver, domain, fingerprint, configuration);
  }
};

// The two newest checkpoints of a run, in its folder: checkpoint-a and checkpoint-b. A new one
// takes the place of the older, so that a whole one is there at every moment.
class CheckpointPair {
 public:
  explicit CheckpointPair(std::string folder, const FileCalls& calls = system_files());

  // The newest that is whole, checked to its last byte; none: neither exists. Throws Error where
  // files exist and none of them is whole. `damaged` receives what is wrong with one that is not.
  std::optional<CheckpointHeader> newest(std::string* damaged = nullptr);
  // The state of the one that newest() found.
  void read_state(const std::function<void(Loader&)>& read) const;
  // Sets header.number. Throws Error where it cannot write; the others stay.
  void write(CheckpointHeader& header, const std::function<void(Saver&)>& state);

  uint64_t bytes_written() const { return bytes_written_; }  // of the last one

 private:
  std::string folder_;
  const FileCalls& calls_;
  int newest_slot_ = -1;
  uint64_t number_ = 0, bytes_written_ = 0;
};

}  // namespace penumbra
