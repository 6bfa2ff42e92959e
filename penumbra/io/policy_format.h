// What policy files begin with (io/policy_file.h has the whole format).
#pragma once

#include <cstddef>
#include <cstdint>

namespace penumbra {

inline constexpr char kPolicyMagic[] = "PNMBRPOL";
inline constexpr uint32_t kPolicyVersion = 1;
inline constexpr size_t kPolicyHeader = 20;

}  // namespace penumbra
