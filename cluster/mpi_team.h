// A team of processes that MPI has started, the only place that knows of it. Only bytes are moved,
// and only by the thread that made it: MPI adds nothing up.
#pragma once

#include "penumbra/base/team.h"

namespace penumbra::cluster {

// MPI from here to the end of the scope. Without mpirun it is a team of one.
class MpiSession {
 public:
  MpiSession(int& argc, char**& argv);
  ~MpiSession();
  MpiSession(const MpiSession&) = delete;
  MpiSession& operator=(const MpiSession&) = delete;

  int rank() const { return rank_; }
  int size() const { return size_; }

 private:
  int rank_ = 0, size_ = 1;
};

class MpiTeam final : public Team {
 public:
  // Messages go in pieces so that all of them together stay below `most` bytes: MPI counts in int.
  static constexpr size_t kMost = size_t{1} << 30;
  explicit MpiTeam(const MpiSession& session, size_t most = kMost)
      : Team(session.rank(), session.size()), piece_(most / session.size()) {}

 protected:
  std::vector<Bytes> exchange(Bytes mine) override;

 private:
  void expect(uint64_t longest);

  static constexpr size_t kLeastBlock = 504;
  size_t piece_;
  size_t block_ = kLeastBlock;  // bytes that go along with the lengths
};

}  // namespace penumbra::cluster
