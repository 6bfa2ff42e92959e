#include "penumbra/solvers/nvi/value_table.h"

#include <gtest/gtest.h>

#include "domains/registry.h"
#include "penumbra/nn/network_bank.h"

namespace penumbra::nvi {
namespace {

struct Fixture {
  explicit Fixture(int networks = 3) { grow(networks); }
  void grow(int networks) {
    for (; bank.size() < networks; ++made)
      bank.add_network(nn::Mlp::random(bank.networks().shape(), RngKey::from_seed(made)));
  }
  // The mean of function f over the states.
  double direct(ConstRecords of, int f) {
    FeatureBatch batch(bank.layout(), static_cast<int>(of.count));
    model->encode(of, batch);
    std::vector<float> value(of.count);
    bank.predict_rows(batch, std::vector<int32_t>(of.count, f), value, nullptr);
    double sum = 0;
    for (float v : value) sum += v;
    return sum / static_cast<double>(of.count);
  }
  void expect_means(ValueTable& table, ConstRecords of) {
    std::vector<ValueTable::Entry> entries;
    for (size_t i = 0; i < of.count; ++i)
      entries.push_back({static_cast<int>(i), 0, 1.0 / static_cast<double>(of.count)});
    const std::vector<double> found = table.sums(of, entries, 1);
    ASSERT_EQ(found.size(), size_t(bank.size()));
    for (int f = 0; f < bank.size(); ++f) EXPECT_NEAR(found[f], direct(of, f), 1e-5);
  }

  std::unique_ptr<Pomdp> model = load_domain("rock-sample(n=4,k=4)");
  nn::NetworkBank bank{nn::MlpShape{model->features(), {16}, 1}, nn::FitOptions{}};
  uint64_t made = 0;
  ThreadPool pool{2};
  Work work;
  RecordBuffer states = [this] {
    RecordBuffer s(model->state_size(), 40);
    model->sample_initial({RngKey::from_seed(3)}, s);
    return s;
  }();
};

TEST(ValueTable, SumsAreThoseOfTheNetworks) {
  Fixture f;
  ValueTable table(*f.model, f.bank, f.pool, f.work);
  f.expect_means(table, f.states);
  EXPECT_LE(table.num_states(), 16);  // equal states are kept once: four rocks, one cell
}

TEST(ValueTable, AValueIsComputedOnce) {
  Fixture f;
  ValueTable table(*f.model, f.bank, f.pool, f.work);
  f.expect_means(table, f.states.sub(0, 20));
  const double before = f.work.network_evaluations;
  f.expect_means(table, f.states.sub(0, 20));
  EXPECT_EQ(f.work.network_evaluations, before);
}

TEST(ValueTable, TakesInNewStatesAndNewNetworks) {
  Fixture f;
  ValueTable table(*f.model, f.bank, f.pool, f.work);
  f.expect_means(table, f.states.sub(0, 5));
  f.grow(40);  // more than lie side by side
  f.expect_means(table, f.states.sub(3, 9));
  f.expect_means(table, f.states);
}

// A resumed run begins with an empty table.
TEST(ValueTable, SameBitsHoweverItWasFilled) {
  Fixture f;
  const std::vector<ValueTable::Entry> all{{0, 0, 0.5}, {7, 0, 0.25}, {31, 1, 1.0}};
  ValueTable grown(*f.model, f.bank, f.pool, f.work);
  grown.sums(f.states.sub(0, 20), std::span(all).first(2), 1);
  f.grow(37);
  ValueTable fresh(*f.model, f.bank, f.pool, f.work);
  EXPECT_EQ(grown.sums(f.states, all, 2), fresh.sums(f.states, all, 2));
}

TEST(ValueTable, ForgetsRatherThanGrowWithoutEnd) {
  Fixture f;
  ValueTable table(*f.model, f.bank, f.pool, f.work, 45 * 32);
  f.expect_means(table, f.states);
  f.expect_means(table, f.states.sub(0, 4));
  EXPECT_LE(table.num_states(), 16);
  f.expect_means(table, f.states);
}

TEST(ValueTable, GoesOnAfterAStop) {
  Fixture f;
  ValueTable table(*f.model, f.bank, f.pool, f.work);
  const std::vector<ValueTable::Entry> one{{0, 0, 1.0}};
  EXPECT_THROW(table.sums(f.states, one, 1, 0, [] { return true; }), Stopped);
  f.expect_means(table, f.states);
}

}  // namespace
}  // namespace penumbra::nvi
