#include "penumbra/model/abstraction.h"

#include <gtest/gtest.h>

#include <atomic>

#include "domains/registry.h"

namespace penumbra {
namespace {

// Asks of a whole abstraction, or until the n-th is answered by yes.
int asked_until(int n, bool* stopped) {
  const auto model = load_finite_domain("light-dark");
  ThreadPool pool(2);
  AbstractionOptions options;
  options.cells = 60;
  std::atomic<int> asked{0};
  *stopped = false;
  try {
    abstract_model(*model, options, RngKey::from_seed(1), pool, [&] { return ++asked >= n; });
  } catch (const Stopped&) {
    *stopped = true;
  }
  return asked;
}

TEST(Abstraction, IsStoppedAtAnyPlace) {
  bool stopped = false;
  const int all = asked_until(1 << 30, &stopped);
  EXPECT_FALSE(stopped);
  for (int n = 1; n <= all; n += all / 12) {
    asked_until(n, &stopped);
    EXPECT_TRUE(stopped) << n;
  }
}

}  // namespace
}  // namespace penumbra
