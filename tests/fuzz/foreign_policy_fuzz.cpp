// libFuzzer: any bytes as a policy of another program, an .alpha, a .pg or a .policyx file of tiger
// by the first byte. What is read must play and survive being written and read again; everything
// else must be refused with an Error.
#include <cmath>
#include <cstdlib>

#include "domains/registry.h"
#include "penumbra/base/error.h"
#include "penumbra/evaluate/simulate.h"
#include "penumbra/io/any_policy.h"
#include "tests/fuzz/fuzz_folder.h"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, size_t size) {
  if (size == 0) return 0;
  static const auto model = penumbra::load_domain("tiger");
  constexpr const char* kEndings[] = {".alpha", ".pg", ".policyx"};
  const std::string ending = kEndings[data[0] % 3];
  const std::string path = fuzz_folder() + "/f" + ending, again = fuzz_folder() + "/g" + ending;
  put_file(path, data + 1, size - 1);
  penumbra::PolicyData read;
  try {
    read = penumbra::load_policy_data(path, *model);
  } catch (const penumbra::Error&) {
    return 0;
  }
  const auto policy = penumbra::load_policy_file(path, *model);
  std::vector<double> returns(2);
  penumbra::simulate(*model, *policy, {penumbra::RngKey::from_seed(1), 0, returns.size(), 20},
                     returns);
  for (double value : returns)
    if (!std::isfinite(value)) std::abort();
  penumbra::save_policy_file(again, penumbra::describe_policy(*model, read), *model);
  penumbra::load_policy_data(again, *model);
  return 0;
}
