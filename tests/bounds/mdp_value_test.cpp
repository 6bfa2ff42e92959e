#include "penumbra/bounds/mdp_value.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cmath>

#include "domains/registry.h"
#include "penumbra/base/error.h"
#include "penumbra/bounds/action_study.h"
#include "penumbra/bounds/table_mdp_value.h"
#include "penumbra/model/decorated.h"
#include "penumbra/model/model.h"
#include "tests/error_of.h"

namespace penumbra {
namespace {

// A model that keeps some of its parts to itself.
class Without final : public Decorated {
 public:
  Without(std::unique_ptr<Pomdp> model, Capabilities hidden) : Decorated(std::move(model)) {
    set_facts(inner().facts(), inner().capabilities().without(hidden), inner().state_size(),
              inner().seen_size(), inner().action_size());
  }
};

std::unique_ptr<Pomdp> without(const std::string& spec, Capabilities hidden) {
  return std::make_unique<Without>(load_domain(spec), hidden);
}

std::unique_ptr<MdpValue> make(const Pomdp& model, const MdpValueOptions& options,
                               int threads = 2) {
  ThreadPool pool(threads);
  return make_mdp_value(model, options, RngKey::from_seed(3), pool);
}

std::vector<double> values_of(const MdpValue& values, ConstRecords states) {
  std::vector<double> out(states.count);
  values.value(states, out);
  return out;
}

RecordBuffer some_states(const Pomdp& model, int count) {
  ThreadPool pool(1);
  return walk_states(model, count, RngKey::from_seed(8), pool);
}

double mean_error(const Pomdp& model, const MdpValue& values) {
  const RecordBuffer states = some_states(model, 2000);
  std::vector<double> exact(states.count());
  model.mdp_value(states, exact);
  const std::vector<double> got = values_of(values, states);
  double sum = 0;
  for (size_t i = 0; i < exact.size(); ++i) sum += std::abs(got[i] - exact[i]);
  return sum / exact.size();
}

TEST(MdpValue, IsTheMostThereCanBeWhereNothingCanBeFitted) {
  const auto model = without("light-dark", Capability::kMdpValue | Capability::kFeatures);
  const auto values = make(*model, {});
  const Facts& facts = model->facts();
  for (double v : values_of(*values, some_states(*model, 50)))
    EXPECT_EQ(v, facts.max_reward / (1 - facts.discount));
}

TEST(MdpValue, AutoTakesTheDomainThenTheTableThenFits) {
  const auto tiger = load_domain("tiger");
  EXPECT_EQ(make(*tiger, {})->source(), "domain");
  const auto no_domain = without("tiger", Capability::kMdpValue);
  EXPECT_EQ(make(*no_domain, {})->source(), "table");
  EXPECT_EQ(
      make(*no_domain, {.fitted_states = 2000, .fitted_sweeps = 1, .table_states = 1})->source(),
      "fitted");
  const auto nothing = without("tiger", Capability::kMdpValue | Capability::kTable);
  EXPECT_EQ(make(*nothing, {})->source(), "fitted");
}

TEST(MdpValue, OnlyDomainAndTableAreProven) {
  const auto tiger = load_domain("tiger");
  EXPECT_TRUE(make(*tiger, {.source = "domain"})->proven());
  EXPECT_TRUE(make(*tiger, {.source = "table"})->proven());
  EXPECT_FALSE(make(*tiger, {.source = "fitted"})->proven());
}

TEST(MdpValue, TigerIsWorthTwoHundred) {
  const auto tiger = load_domain("tiger");
  const RecordBuffer states = some_states(*tiger, 10);
  for (const char* source : {"domain", "table", "fitted"}) {
    for (double v : values_of(*make(*tiger, {.source = source}), states))
      EXPECT_NEAR(v, 200, 0.1) << source;
  }
}

TEST(MdpValue, TableAgreesWithTheSubsetRecursionFromAbove) {
  const auto model = load_domain("rock-sample(n=5,k=5)");
  const RecordBuffer states = some_states(*model, 2000);
  const auto domain = values_of(*make(*model, {.source = "domain"}), states);
  const auto table = values_of(*make(*model, {.source = "table"}), states);
  for (size_t i = 0; i < table.size(); ++i) {
    EXPECT_NEAR(table[i], domain[i], 2e-5);  // the recursion is in float
    EXPECT_GE(table[i], domain[i] - 2e-5);
  }
}

TEST(MdpValue, SmallProblemsAreSolvedWholeBySearch) {
  const auto model = without("rock-sample(n=4,k=3)", Capability::kTable | Capability::kLikelihood);
  EXPECT_LT(mean_error(*model, *make(*model, {.source = "fitted"})), 1e-3);
}

TEST(MdpValue, TheNetworkComesCloseWhereTheWholeIsTooLarge) {
  const auto model = load_domain("rock-sample(n=4,k=3)");
  const auto fitted = make(*model, {.source = "fitted", .fitted_sweeps = 6, .table_states = 8});
  EXPECT_LT(mean_error(*model, *fitted), 0.3);
}

TEST(MdpValue, FitsLightDark) {
  const auto model = load_domain("light-dark");
  const auto fitted =
      make(*model, {.source = "fitted", .fitted_states = 60'000, .fitted_sweeps = 8});
  EXPECT_LT(mean_error(*model, *fitted), 0.1);
}

TEST(MdpValue, TerminalStatesAreWorthNothing) {
  const auto model = load_domain("light-dark");
  RecordBuffer states = some_states(*model, 1);
  StepBuffers buffers(*model, 1);
  const int stop = 1;
  model->step(states, {&stop, 1}, {RngKey::from_seed(1)}, buffers.results(1));
  ASSERT_TRUE(buffers.ended[0]);
  const auto fitted = make(*model, {.source = "fitted", .fitted_states = 2000, .fitted_sweeps = 1});
  EXPECT_EQ(values_of(*fitted, buffers.next)[0], 0);
}

TEST(MdpValue, DoesNotDependOnThreads) {
  const auto light_dark = load_domain("light-dark");
  const auto rocks = load_domain("rock-sample(n=4,k=3)");
  for (const auto& [model, table_states] :
       {std::pair{light_dark.get(), 1000}, {rocks.get(), 8}, {rocks.get(), 1000}}) {
    const MdpValueOptions options{.source = "fitted",
                                  .fitted_states = 5000,
                                  .fitted_sweeps = 2,
                                  .table_states = table_states};
    const RecordBuffer states = some_states(*model, 500);
    const auto one = values_of(*make(*model, options, 1), states);
    EXPECT_EQ(one, values_of(*make(*model, options, 2), states));
    EXPECT_EQ(one, values_of(*make(*model, options, 3), states));
  }
}

TEST(MdpValue, TableDoesNotDependOnThreads) {
  const auto model = load_domain("rock-sample(n=5,k=6)");
  const RecordBuffer states = some_states(*model, 500);
  const auto one = values_of(*make(*model, {.source = "table"}, 1), states);
  EXPECT_EQ(one, values_of(*make(*model, {.source = "table"}, 3), states));
}

std::string message(const Pomdp& model, const MdpValueOptions& options) {
  return error_of([&] { make(model, options); });
}

TEST(MdpValue, SaysWhatIsMissing) {
  using testing::HasSubstr;
  const auto model = without("rock-sample(n=5,k=5)", Capability::kMdpValue);
  EXPECT_THAT(message(*model, {.source = "domain"}), HasSubstr("mdp source 'domain' needs"));
  EXPECT_THAT(message(*model, {.source = "table", .table_states = 100}),
              HasSubstr("832 states and table_states is 100"));
  EXPECT_THAT(message(*model, {.source = "magic"}), HasSubstr("no mdp source 'magic'"));
  const auto light_dark = load_domain("light-dark");
  EXPECT_THAT(message(*light_dark, {.source = "table"}), HasSubstr("mdp source 'table' needs"));
  const auto plain = without("light-dark", Capability::kFeatures);
  EXPECT_THAT(message(*plain, {.source = "fitted"}), HasSubstr("mdp source 'fitted' needs"));
  const auto free = load_domain("lidar-roomba(actions=continuous)");
  EXPECT_THAT(message(*free, {.source = "fitted"}), HasSubstr("finite actions"));
}

TEST(MdpQValues, AreRewardPlusDiscountedValueAndFindChecks) {
  const auto model = load_domain("rock-sample(n=5,k=5)");
  const auto values = make(*model, {});
  const RecordBuffer states = some_states(*model, 300);
  const int num_actions = model->facts().num_actions;
  const RngKey key = RngKey::from_seed(4);
  std::vector<double> q(300 * num_actions);
  std::vector<char> unchanged(num_actions);
  mdp_q_values(*model, *values, states, key, q, unchanged);
  for (int a = 0; a < num_actions; ++a) {
    EXPECT_EQ(unchanged[a], a >= 5) << a;  // only checks leave every state as it is
    StepBuffers buffers(*model, 300);
    const std::vector<int> action(300, a);
    model->step(states, action, {key}, buffers.results(300));
    const auto next = values_of(*values, buffers.next);
    for (int i = 0; i < 300; ++i)
      EXPECT_DOUBLE_EQ(q[i * num_actions + a], buffers.reward[i] + 0.95 * next[i]);
  }
}

// A Stop that says yes from its n-th question on.
Stop after(int n) {
  return [left = std::make_shared<std::atomic<int>>(n)] { return (*left)-- <= 0; };
}

TEST(MdpValue, ATableStoppedAnywhereIsStillABound) {
  const Tabular table = load_domain("rock-sample(n=4,k=4)")->table();
  ThreadPool pool(2);
  const std::vector<double> whole = table_values(table, 1e-6, pool);
  for (int n : {0, 1, 2, 5, 20}) {
    const std::vector<double> now = table_values(table, 1e-6, pool, after(n));
    for (size_t s = 0; s < whole.size(); ++s) ASSERT_GE(now[s], whole[s] - 1e-4) << n;
  }
}

TEST(MdpValue, AFitThatIsStoppedIsUsable) {
  const auto model = load_domain("light-dark");
  const RecordBuffer states = some_states(*model, 100);
  for (int n : {0, 10, 300, 3000, 10'000}) {
    ThreadPool pool(2);
    const auto values =
        make_mdp_value(*model, {.source = "fitted"}, RngKey::from_seed(3), pool, after(n));
    EXPECT_FALSE(values->proven());
    EXPECT_EQ(values->source(), "fitted");
    for (double v : values_of(*values, states)) EXPECT_TRUE(std::isfinite(v));
    if (n == 0) {
      EXPECT_DOUBLE_EQ(values_of(*values, states)[0],
                       model->facts().max_reward / (1 - model->facts().discount));
    }
  }
}

// It never says yes, so nothing may change.
TEST(MdpValue, AStopThatIsOnlyAskedChangesNothing) {
  const auto model = without("rock-sample(n=3,k=2)", Capability::kMdpValue | Capability::kTable);
  ThreadPool pool(2);
  std::atomic<int> asked{0};
  const auto told = make_mdp_value(*model, {}, RngKey::from_seed(3), pool, [&] {
    ++asked;
    return false;
  });
  const RecordBuffer states = some_states(*model, 200);
  EXPECT_EQ(values_of(*told, states), values_of(*make(*model, {}), states));
  EXPECT_GT(asked, 10);
}

}  // namespace
}  // namespace penumbra
