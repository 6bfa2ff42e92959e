#include "penumbra/runs/tuning.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "penumbra/base/thread_team.h"
#include "tests/folder.h"

namespace penumbra {
namespace {

TuneOptions search(const Folder& folder, const std::string& run) {
  TuneOptions o;
  o.space = folder.at("space.toml");
  o.domain = "rock-sample(n=3,k=2)";
  o.solver = "perseus";
  o.run = folder.at(run);
  o.trials = 7;
  o.backups = 60;
  o.episodes = 200;
  o.batch = 3;
  o.common.threads = 1;
  return o;
}

// The trials of a batch are spread over ranks; every rank hears of all.
TEST(Tuning, FindsTheSameOnAnyNumberOfRanks) {
  const Folder folder;
  folder.write("space.toml",
               "[space]\nbeliefs = { low = 2, high = 200, log = true, whole = true }\n");
  const TuneResult alone = tune(search(folder, "alone"));
  for (int ranks : {2, 4}) {
    const std::string run = "ranks-" + std::to_string(ranks);
    for (const std::exception_ptr& thrown : run_as_team(ranks, [&](Team& team) {
           TuneOptions o = search(folder, run);
           o.common.team = &team;
           const TuneResult found = tune(o);
           ASSERT_EQ(found.trials.size(), alone.trials.size());
           for (size_t i = 0; i < found.trials.size(); ++i) {
             EXPECT_EQ(found.trials[i].number, alone.trials[i].number);
             EXPECT_EQ(found.trials[i].settings, alone.trials[i].settings);
             EXPECT_EQ(found.trials[i].score, alone.trials[i].score);
             EXPECT_EQ(found.trials[i].status, alone.trials[i].status);
           }
           EXPECT_EQ(found.best->number, alone.best->number);
         }))
      EXPECT_EQ(thrown, nullptr);
    EXPECT_TRUE(std::filesystem::exists(folder.at(run + "/best.toml")));
    EXPECT_TRUE(std::filesystem::exists(folder.at(run + "/trials/0006.json")));
  }
}

}  // namespace
}  // namespace penumbra
