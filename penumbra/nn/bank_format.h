// What a saved bank starts with, after the header of bytes.h.
#pragma once

#include <cstdint>

namespace penumbra::nn {

inline constexpr uint32_t kBankVersion = 1;
inline constexpr uint32_t kHeadBank = 1;     // feature map, heads
inline constexpr uint32_t kNetworkBank = 2;  // network set
inline constexpr uint32_t kGatedBank = 3;    // layout, then the weights of every category
inline constexpr uint32_t kAnchorBank = 4;   // what anchors see, the anchors, values at them

}  // namespace penumbra::nn
