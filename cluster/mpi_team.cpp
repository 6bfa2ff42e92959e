#include "cluster/mpi_team.h"

#include <mpi.h>

#include <algorithm>
#include <cstring>

namespace penumbra::cluster {
namespace {

constexpr size_t kLength = sizeof(uint64_t);
constexpr size_t kAllBlocks = 65'536;  // bytes of all ranks

}  // namespace

MpiSession::MpiSession(int& argc, char**& argv) {
  int provided;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
  MPI_Comm_size(MPI_COMM_WORLD, &size_);
}

MpiSession::~MpiSession() {
  MPI_Finalize();
}

// Errors of MPI itself end the whole job: that is its default.
std::vector<Bytes> MpiTeam::exchange(Bytes mine) {
  const int ranks = size();
  const auto length = static_cast<uint64_t>(mine.size());
  // The beginning goes along with the length, and is all of most messages: one wait, not two.
  const size_t block = kLength + block_;
  Bytes own(block), blocks(block * ranks);
  std::memcpy(own.data(), &length, kLength);
  std::copy_n(mine.begin(), std::min(block_, mine.size()), own.begin() + kLength);
  MPI_Allgather(own.data(), static_cast<int>(block), MPI_BYTE, blocks.data(),
                static_cast<int>(block), MPI_BYTE, MPI_COMM_WORLD);
  std::vector<uint64_t> lengths(ranks);
  std::vector<Bytes> all(ranks);
  for (int r = 0; r < ranks; ++r) {
    const std::byte* from = blocks.data() + r * block;
    std::memcpy(&lengths[r], from, kLength);
    all[r].resize(lengths[r]);
    std::copy_n(from + kLength, std::min<uint64_t>(block_, lengths[r]), all[r].begin());
  }
  const uint64_t longest = *std::max_element(lengths.begin(), lengths.end());
  const bool complete = longest <= block_;
  expect(longest);
  if (complete) return all;
  std::vector<int> counts(ranks), places(ranks);
  Bytes received;
  for (uint64_t done = 0; done < longest; done += piece_) {
    auto part = [&](uint64_t whole) {
      return static_cast<int>(std::min<uint64_t>(piece_, whole > done ? whole - done : 0));
    };
    int total = 0;
    for (int r = 0; r < ranks; ++r) {
      places[r] = total;
      total += counts[r] = part(lengths[r]);
    }
    received.resize(total);
    const std::byte* from = mine.data() + std::min<uint64_t>(done, length);
    MPI_Allgatherv(from, part(length), MPI_BYTE, received.data(), counts.data(), places.data(),
                   MPI_BYTE, MPI_COMM_WORLD);
    for (int r = 0; r < ranks; ++r)
      std::copy_n(received.begin() + places[r], counts[r],
                  all[r].begin() + static_cast<long>(std::min<uint64_t>(done, lengths[r])));
  }
  return all;
}

// Messages of a round are about as long as those of the last one. The same on all ranks.
void MpiTeam::expect(uint64_t longest) {
  const size_t most = kAllBlocks / size_t(size());
  const uint64_t wanted = longest + longest / 2;
  block_ -= (block_ - kLeastBlock) / 16;
  if (wanted <= most) block_ = std::max<size_t>(block_, wanted);
}

}  // namespace penumbra::cluster
