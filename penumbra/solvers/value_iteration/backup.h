// What the loop of the paper (loop.h) asks of a backup. nvi trains a network for each new node
// (nvi/network_backup.h), mcvi values nodes by simulation (mcvi/mc_backup.h).
#pragma once

#include <functional>
#include <vector>

#include "penumbra/base/archive.h"
#include "penumbra/policy/fnc.h"
#include "penumbra/solvers/value_iteration/node_values.h"

namespace penumbra::value_iteration {

class Backup : public NodeValues {
 public:
  // G. Nodes are only ever appended.
  virtual const Fsc& fsc() const = 0;
  // Backs G up at the belief. False: it was stopped, and nothing has changed.
  virtual bool run(const Particles& belief, RngKey key, const std::function<bool()>& stop) = 0;
  // b . alpha of every node. Fewer: it was stopped.
  virtual std::vector<double> all_values(const Particles& belief, RngKey key,
                                         const std::function<bool()>& stop) = 0;
  // The mean error of the fits since it was last asked for; negative: there were none.
  virtual double take_training_error() { return -1; }
  // A controller that is a beginning of G, with what its nodes keep beside it.
  virtual Fnc with_networks(const Fsc& fsc) = 0;

  virtual void archive(Saver& saver) = 0;
  virtual void archive(Loader& loader) = 0;
};

}  // namespace penumbra::value_iteration
