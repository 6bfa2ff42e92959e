// The policies of the original SARSOP, as XML:
//
//   <Policy version="0.1" type="value" model="FILE">
//     <AlphaVector vectorLength="|Y|" numObsValue="|X|" numVectors="n">
//       <Vector action="a" obsValue="x">v0 v1 ... </Vector>
//     </AlphaVector>
//   </Policy>
//
// x is the value of what is seen of a state (0 where nothing is), and y the rest: the state is
// x * |Y| + y. The original writes six digits; here a number reads back as it was.
#pragma once

#include <string>

#include "penumbra/model/tabular.h"
#include "penumbra/policy/alpha_vectors.h"

namespace penumbra {

// Throws Error for a file that is not as above, or not for this many states and actions.
AlphaVectors read_sarsop_policy(const std::string& path, const Tabular& model);
// By visible value where the table is a product of seen and hidden parts, otherwise flat. States
// that a vector says nothing about get a value that no plan falls below.
void write_sarsop_policy(const std::string& path, const AlphaVectors& vectors,
                         const Tabular& model);

// What every plan is worth at least, in any state.
double worst_value(const Tabular& model);

}  // namespace penumbra
