// The networks of a controller's nodes as C, for a header that has the controller already
// (io/export_c.h). With the prefix `tiger` they offer
//
//   struct tiger_features                            a state, as the model's encode gives it:
//     int32_t category[TIGER_NUM_CATEGORIES]           the index in each block
//     uint8_t bit[TIGER_NUM_BITS]                      0 or 1
//     float dense[TIGER_NUM_DENSE]
//   float tiger_alpha(int state, const tiger_features* features);
//   int tiger_has_alpha(int state);
//
// A part that the model does not have is not in the struct. Values agree with the library's to the
// rounding of floats.
#pragma once

#include "penumbra/io/c_text.h"
#include "penumbra/policy/fnc.h"

namespace penumbra {

// The controller must have networks.
void add_networks(CText& c, const Fnc& fnc);

}  // namespace penumbra
