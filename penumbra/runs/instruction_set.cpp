#include "penumbra/runs/instruction_set.h"

#include "penumbra/nn/kernels.h"

namespace penumbra {

std::string instruction_set() {
#if defined(__x86_64__)
  std::string name = "x86-64";
#elif defined(__aarch64__)
  std::string name = "aarch64";
#else
  std::string name = "other";
#endif
#if defined(__FMA__) || defined(__ARM_FEATURE_FMA)
  name += "+fma";
#endif
  return name + "/" + nn::kernels().isa;
}

}  // namespace penumbra
