#include "penumbra/model/action_stock.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "penumbra/base/archive.h"
#include "tests/model/small_models.h"

namespace penumbra {
namespace {

using testing::ElementsAre;
using testing_models::Car;

const std::vector<float> kTwo = {-1, 0, 0.5f, 0};

TEST(ActionStock, FactsCountTheFirstRowsAndLaterOnesWorkToo) {
  const auto car = adapt(Car{});
  ActionStock stock(*car, kTwo);
  const int added = stock.add(std::vector<float>{0.25f, 1});
  EXPECT_EQ(stock.facts().num_actions, 2);
  EXPECT_EQ(stock.facts().action_name(1), "0.5 0");
  EXPECT_EQ(added, 2);
  RecordBuffer state(stock.state_size(), 2);
  StepBuffers b(stock, 2);
  stock.step(state, std::vector<int>{1, added}, {RngKey::from_seed(1)}, b.results(2));
  EXPECT_EQ(b.next.as<Car::State>(0).x, 0.5f);
  EXPECT_EQ(b.next.as<Car::State>(1).x, 0.25f);
}

TEST(ActionStock, AnActionThatIsThereIsNotAddedAgain) {
  const auto car = adapt(Car{});
  ActionStock stock(*car, kTwo);
  EXPECT_EQ(stock.add(std::vector<float>{0.5f, 0}), 1);
  EXPECT_EQ(stock.append(std::vector<float>{0.5f, 0}), 2);
}

TEST(ActionStock, ACopyGrowsByItself) {
  const auto car = adapt(Car{});
  ActionStock stock(*car, kTwo);
  ActionStock copy(stock);
  copy.add(std::vector<float>{1, 1});
  EXPECT_EQ(copy.count(), 3);
  EXPECT_EQ(stock.count(), 2);
}

TEST(ActionStock, KeepsTheFirstRowsAndThoseInUse) {
  const auto car = adapt(Car{});
  ActionStock stock(*car, kTwo);
  stock.add(std::vector<float>{0.1f, 1});
  stock.add(std::vector<float>{0.2f, 1});
  EXPECT_THAT(stock.keep({0, 0, 0, 1}), ElementsAre(0, 1, -1, 2));
  EXPECT_THAT(std::vector<float>(stock.row(2).begin(), stock.row(2).end()), ElementsAre(0.2f, 1));
}

TEST(ActionStock, IsSavedWithItsRows) {
  const auto car = adapt(Car{});
  ActionStock stock(*car, kTwo), other(*car, kTwo);
  stock.add(std::vector<float>{0.1f, 1});
  BytesSink sink;
  Saver saver(sink);
  saver(stock);
  BytesSource source(sink.bytes);
  Loader loader(source);
  loader(other);
  EXPECT_EQ(other.count(), 3);
  EXPECT_EQ(other.row(2)[0], 0.1f);
}

TEST(FirstActions, AreHintsOrFillTheBox) {
  Facts facts = Car{}.facts();
  const std::vector<float> rows = first_actions(facts, 24);
  ASSERT_EQ(rows.size(), 48);
  EXPECT_THAT(std::vector<float>(rows.begin(), rows.begin() + 4), ElementsAre(0, 0.5f, -1, 0));
  for (int quarter = 0; quarter < 4; ++quarter) {
    int inside = 0;
    for (size_t i = 0; i < rows.size(); i += 2)
      inside += (rows[i] > 0) == quarter / 2 && (rows[i + 1] > 0.5f) == quarter % 2;
    EXPECT_GE(inside, 4) << quarter;
  }
  facts.action_hints = {0.5f, 0.5f};
  EXPECT_EQ(first_actions(facts, 24), facts.action_hints);
}

TEST(DrawNear, StaysInTheBox) {
  const Facts facts = Car{}.facts();
  Rng rng(RngKey::from_seed(1), 0);
  std::vector<float> out(2);
  const std::vector<float> edge = {1, 0};
  double apart = 0;
  for (int i = 0; i < 1000; ++i) {
    draw_near(facts, edge, 0.05, rng, out);
    EXPECT_LE(out[0], 1);
    EXPECT_GE(out[1], 0);
    apart += (1 - out[0]) / 1000;
  }
  EXPECT_NEAR(apart, 0.04, 0.01);  // half of them at the edge
}

}  // namespace
}  // namespace penumbra
