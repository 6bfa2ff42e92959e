// The policies of Cassandra's pomdp-solve:
//
//   .alpha   per vector: its action, then a value for every state, then an empty line
//   .pg      per node a line: number, action, then the next node for every observation; - or X
//            where an observation cannot occur. Node n belongs to vector n of the .alpha file.
//
// Actions, states and nodes count from 0.
#pragma once

#include <string>

#include "penumbra/model/pomdp.h"
#include "penumbra/policy/alpha_vectors.h"
#include "penumbra/policy/fsc.h"

namespace penumbra {

// Throw Error, with the place, for files that are not as above or not for this model.
AlphaVectors read_alpha_file(const std::string& path, const Tabular& model);
void write_alpha_file(const std::string& path, const AlphaVectors& vectors, const Tabular& model);
// Where a controller starts is not in the file: node 0, which write_pg_file makes the start.
Fsc read_pg_file(const std::string& path, const Facts& facts);
void write_pg_file(const std::string& path, const Fsc& fsc);

}  // namespace penumbra
