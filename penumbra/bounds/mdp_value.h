// V_mdp(s): what a state is worth when it is known. The QMDP upper bound and goal-directed
// exploration are made of it. It comes from the domain itself, from a table, or is fitted to the
// simulator alone; only the first two are proven bounds. docs/bounds.md compares them.
//
//   auto values = make_mdp_value(model, {}, key, pool);
//   values->value(states, out);                        // const, from any thread
//   if (!values->proven()) ...                         // an estimate: say so where it is printed
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>

#include "penumbra/base/stop.h"
#include "penumbra/base/thread_pool.h"
#include "penumbra/model/pomdp.h"

namespace penumbra {

class MdpValue {
 public:
  virtual ~MdpValue() = default;
  virtual void value(ConstRecords state, std::span<double> out) const = 0;
  // A belief is worth at most the largest mean of a vector over it; V_mdp itself is one vector.
  // Row-major [state][vector].
  virtual int num_vectors() const { return 1; }
  virtual void vectors(ConstRecords state, std::span<double> out) const { value(state, out); }
  virtual bool proven() const = 0;         // true: never below the optimum
  virtual std::string source() const = 0;  // "domain", "table", "fitted", "fib"
  // The mean over b0, where that can be had without sampling.
  virtual std::optional<double> start_value() const { return std::nullopt; }
};

struct MdpValueOptions {
  std::string source = "auto";  // auto | domain | table | fitted | fib
  int fitted_states = 200'000;  // states to fit on in each sweep
  int fitted_sweeps = 24;       // rounds of searching with, and fitting to, the network
  int table_states = 1 << 20;   // largest table for value iteration
};

// auto: the domain's own, else its table if it has one of at most table_states states, else
// fitted. fib is the fast informed bound of a table (informed_value.h). The result refers to
// `model`. The same for any number of threads. `stop` (base/stop.h: asked from several threads at
// once) ends the work early: a table is then a looser bound, still proven; a fitted value is less
// fitted, down to one number that no state exceeds.
std::unique_ptr<MdpValue> make_mdp_value(const Pomdp& model, const MdpValueOptions& options,
                                         RngKey key, ThreadPool& pool, const Stop& stop = {});

// q[i * num_actions + a] = one-sample estimate of r + discount * V(s') from state i under a. Every
// action draws from stream i of `key`: common random numbers.
// `unchanged[a]` is set when every s' equals its s: the action only looks.
void mdp_q_values(const Pomdp& model, const MdpValue& values, ConstRecords states, RngKey key,
                  std::span<double> q, std::span<char> unchanged);

}  // namespace penumbra
