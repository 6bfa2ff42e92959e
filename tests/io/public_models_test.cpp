// Checksums of public files: sizes, entries, the sum of all expected rewards, and two exact values
// between which every right answer lies. The files are not part of the project: without them
// (PENUMBRA_MODELS, or ../shared/models) these tests are skipped.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>

#include "penumbra/base/thread_pool.h"
#include "penumbra/bounds/table_mdp_value.h"
#include "penumbra/io/flat_table.h"
#include "penumbra/io/model_file.h"
#include "penumbra/io/pomdpx_file.h"
#include "tests/io/reading.h"

namespace penumbra {
namespace {

struct PublicModel {
  const char* file;
  int states, actions, observations;
  double discount;
  size_t transitions;
  double reward_sum;
  double mdp_value, best_blind;  // NAN: not known
  double tolerance = 2e-5;
};
void PrintTo(const PublicModel& m, std::ostream* out) {
  *out << m.file;
}

class PublicModels : public testing::TestWithParam<PublicModel> {
 protected:
  void SetUp() override {
    const std::string path = models_folder() + "/" + GetParam().file;
    if (models_folder().empty() || !std::filesystem::exists(path))
      GTEST_SKIP() << path << " is not there; PENUMBRA_MODELS names the folder of public models";
    file_ = read_model_file(path);
  }
  ModelFile file_;
  const Tabular& table_ = file_.table;
};

double best_blind(const Tabular& t) {
  double best = -HUGE_VAL;
  for (int a = 0; a < t.num_actions; ++a) {
    std::vector<double> v(t.num_states, 0.0), next(t.num_states);
    for (double change = 1; change > 1e-10;) {
      change = 0;
      for (int s = 0; s < t.num_states; ++s) {
        next[s] = t.reward[a][s];
        for (const auto& e : t.transition[a].row(s)) next[s] += t.discount * e.value * v[e.column];
        change = std::max(change, std::abs(next[s] - v[s]));
      }
      v.swap(next);
    }
    double value = 0;
    for (int s = 0; s < t.num_states; ++s) value += t.start[s] * v[s];
    best = std::max(best, value);
  }
  return best;
}

TEST_P(PublicModels, HaveTheirChecksums) {
  const PublicModel& m = GetParam();
  const Tabular& t = table_;
  check_tabular(t);
  EXPECT_EQ(t.num_states, m.states);
  EXPECT_EQ(t.num_actions, m.actions);
  EXPECT_EQ(t.num_observations, m.observations);
  EXPECT_EQ(t.discount, m.discount);
  size_t transitions = 0;
  for (const SparseRows& rows : t.transition) transitions += rows.entries.size();
  EXPECT_EQ(transitions, m.transitions);
  double sum = 0;
  for (const auto& rewards : t.reward)
    for (double r : rewards) sum += r;
  EXPECT_NEAR(sum, m.reward_sum, 1e-8 * std::max(1.0, std::abs(m.reward_sum)));
}

class ModelsOfKnownValue : public PublicModels {};
TEST_P(ModelsOfKnownValue, HaveTheirMdpValueAndBestBlindPolicy) {
  const PublicModel& m = GetParam();
  ThreadPool pool(1);
  const std::vector<double> values = table_values(table_, 1e-8, pool);
  double value = 0;
  for (int s = 0; s < table_.num_states; ++s) value += table_.start[s] * values[s];
  EXPECT_NEAR(value, m.mdp_value, m.tolerance * std::max(1.0, std::abs(m.mdp_value)));
  EXPECT_NEAR(best_blind(table_), m.best_blind,
              m.tolerance * std::max(1.0, std::abs(m.best_blind)));
}

// Of a kind of which there is a large one, the smaller one is written.
class ModelsToWrite : public PublicModels {};
TEST_P(ModelsToWrite, AreTheSameWrittenAndReadAgain) {
  const Tabular& t = table_;
  EXPECT_TRUE(same_bits(read_pomdp_text("m", write_pomdp_text(t)).table, flattened(t)));
  const std::string text =
      file_.factored ? write_pomdpx_text(*file_.factored) : write_pomdpx_text(t);
  EXPECT_TRUE(same_bits(read_pomdpx_text("m", text).table, t));
}

// clang-format off
const std::vector<PublicModel> kModels = {
    PublicModel{"concert.pomdp", 2, 3, 2, 0.99, 12, -24, 0, 0},
    PublicModel{"ejs3.pomdp", 2, 2, 2, 0.99999, 8, 3, NAN, NAN},
    PublicModel{"tiger.95.pomdp", 2, 3, 2, 0.95, 10, -182, 200, -20},
    PublicModel{"tiger.aaai.pomdp", 2, 3, 2, 0.75, 10, -182, 40, -4},
    PublicModel{"1d.noisy.pomdp", 4, 2, 2, 0.75, 18, 2, 1.716450, 1.028431},
    PublicModel{"1d.pomdp", 4, 2, 2, 0.75, 12, 2, 1.774193, 0.813954},
    PublicModel{"paint.95.pomdp", 4, 4, 2, 0.95, 26, -3, 12.753623, 0},
    PublicModel{"web-ad.pomdp", 4, 3, 5, 0.95, 27, 0.434166667, 0.830573, 0.777701},
    PublicModel{"bridge-repair.pomdp", 5, 12, 5, 0.99999, 201, -40529, NAN, NAN},
    PublicModel{"network.pomdp", 7, 4, 2, 0.95, 95, 200.000012, 495.037173, -7.769142},
    PublicModel{"parr95.95.pomdp", 7, 3, 6, 0.95, 24, 6, 12.655565, 6.327783},
    PublicModel{"shuttle.95.pomdp", 8, 3, 5, 0.95, 34, 1, 32.889725, 0},
    PublicModel{"4x3.95.pomdp", 11, 4, 6, 0.95, 168, -1.44, 2.481436, -0.589077},
    PublicModel{"cheese.95.pomdp", 11, 4, 7, 0.95, 80, 1, 3.936065, 0.236647},
    PublicModel{"saci-s12-a6-z5.95.pomdp", 12, 6, 5, 0.95, 234, -904.125, 16.917806, -4.497138},
    PublicModel{"mini-hall2.pomdp", 13, 3, 9, 0.95, 72, 1, 3.860907, 0.090110},
    PublicModel{"4x4.95.pomdp", 16, 4, 2, 0.95, 120, 2, 4.673041, 0.229567},
    PublicModel{"milos-aaai97.pomdp", 20, 6, 8, 0.9, 246, 844, 110.490229, 20},
    PublicModel{"learning.c3.pomdp", 24, 12, 3, 0.99, 396, 30.6, 2.959683, 0.332746},
    PublicModel{"query.s3.pomdp", 27, 3, 3, 0.99, 2187, 309.9195, 618.141872, 335.307067},
    // The reference did not scale rows that sum to 0.999996.
    PublicModel{"aloha.10.pomdp", 30, 9, 3, 0.999, 3591, 1215, 566.816004, 518.243555, 1e-3},
    PublicModel{"tiger-grid.pomdp", 36, 5, 17, 0.95, 578, -38.1, 2.981836, 0},
    PublicModel{"hallway.pomdp", 60, 5, 21, 0.95, 2039, 0.95, 1.535773, 0.047236},
    PublicModel{"hallway2.pomdp", 92, 5, 17, 0.95, 3227, 0.95, 1.200664, 0.028749},
    PublicModel{"mit.pomdp", 204, 4, 28, 0.99, 1806, -192, 0.893746, 0},
    PublicModel{"machine.pomdp", 256, 4, 16, 0.999, 4209, -4813.178792, NAN, NAN},
    PublicModel{"cit.pomdp", 284, 4, 28, 0.99, 2512, -272, 0.845244, 0},
    PublicModel{"tag-avoid.pomdp", 870, 5, 30, 0.95, 9338, -11310, 2.160485, -19.999989},
    // The .pomdpx of a .pomdp above, and those of their own: counted by this project.
    PublicModel{"Tiger.pomdpx", 2, 3, 2, 0.95, 10, -182, 200, -20},
    PublicModel{"Hallway.pomdpx", 60, 5, 21, 0.95, 2039, 0.95, 1.535773, 0.047236},
    PublicModel{"TagAvoid.pomdpx", 870, 5, 30, 0.95, 9338, -11310, NAN, NAN},
    PublicModel{"RockSample_7_8.pomdpx", 12'800, 13, 2, 0.95, 166'400, -1'569'280, NAN, NAN},
    PublicModel{"RockSample_11_11.pomdpx", 249'856, 16, 2, 0.95, 3'997'696, -29'061'120, NAN,
                NAN}};
// clang-format on

template <class Fits>
std::vector<PublicModel> models_that(const Fits& fits) {
  std::vector<PublicModel> out;
  std::copy_if(kModels.begin(), kModels.end(), std::back_inserter(out), fits);
  return out;
}
INSTANTIATE_TEST_SUITE_P(All, PublicModels, testing::ValuesIn(kModels));
INSTANTIATE_TEST_SUITE_P(All, ModelsOfKnownValue, testing::ValuesIn(models_that([](const auto& m) {
                           return !std::isnan(m.mdp_value);
                         })));
INSTANTIATE_TEST_SUITE_P(All, ModelsToWrite, testing::ValuesIn(models_that([](const auto& m) {
                           return m.states <= 20'000;
                         })));

TEST(PublicModels, RockSampleIsOursWithTheClassicRules) {
  if (models_folder().empty()) GTEST_SKIP() << "no public models; set PENUMBRA_MODELS";
  const Tabular t = read_model_file(models_folder() + "/RockSample_7_8.pomdpx").table;
  EXPECT_EQ(t.num_visible, 50);
  EXPECT_EQ(t.variables.size(), 9);
  EXPECT_EQ(std::count(t.terminal.begin(), t.terminal.end(), 1), 256);
}

}  // namespace
}  // namespace penumbra
