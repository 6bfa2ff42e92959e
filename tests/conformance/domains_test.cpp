// Every domain that ships keeps the promises of the model interface: one line each.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "domains/registry.h"
#include "penumbra/model/check_model.h"

namespace penumbra {
namespace {

class Domains : public testing::TestWithParam<const char*> {};

TEST_P(Domains, KeepTheirPromises) {
  EXPECT_THAT(check_model(*load_domain(GetParam())), testing::IsEmpty());
}

// clang-format off
INSTANTIATE_TEST_SUITE_P(All, Domains, testing::Values(
    "corridor",
    "corridor(n=9,door=1,slip=0.1)",
    "tiger",
    "tiger(discount=0.75,accuracy=0.6)",
    "rock-sample",
    "rock-sample(n=3,k=2)",
    "rock-sample(n=5,k=0)",
    "rock-sample(n=1,k=1)",
    "rock-sample(n=20,k=20)",
    "rock-sample(n=30,k=32)",
    "rock-sample(n=50,k=50)",
    "rock-sample(map=7-8,rules=classic)",
    "rock-sample(map=5-5,rules=classic)",
    "rock-sample(map=11-11,rules=despot)",
    "rock-sample(map=4-4,rules=despot)",
    "rock-sample(map=15-15)",
    "rock-sample(n=3,k=3,step_penalty=-1,check_penalty=-2,prior_good=0.2)",
    "rock-sample(n=4,rocks=[(1,1),(4,4)],start=[(4,4)],half_distance=2)",
    "light-dark",
    "light-dark(light=10,step_size=0.5)",
    "light-dark(clusters=20)",
    "light-dark(clusters=5,cluster_seed=3)",
    "light-dark(grid=[1.0])",
    "light-dark(dimensions=2)",
    "light-dark(dimensions=2,clusters=20)",
    "light-dark(dimensions=6,sensor=moved)",
    "light-dark(dimensions=6,clusters=64)",
    "light-dark(dimensions=8)",
    "light-dark(dimensions=4,sensor=moved,clusters=20)",
    "light-dark(grid=[1.0],clusters=20)",
    "rover",
    "rover(rooms=1,noise=0)",
    "rover(rooms=6,noise=0.5,half_distance=3,prior_good=0.3)",
    "laser-tag",
    "laser-tag(map=emu4)",
    "laser-tag(map_seed=5,start=all,noise=1)",
    "laser-tag(clusters=256)",
    "sub-hunt",
    "sub-hunt(passive_std=1,p_aware_kill=0.05)",
    "sub-hunt(clusters=256)",
    "pocman",
    "pocman(map=mini)",
    "pocman(map=micro,food=0.1,discount=0.99)",
    "inspection",
    "inspection(clusters=36,prior_open=0.2,battery=8,turn_noise=0.2)",
    "vdp-tag",
    "vdp-tag(actions=10)",
    "vdp-tag(actions=3,clusters=256,barriers=false,drift=0.5)",
    "lunar-lander",
    "lunar-lander(actions=35)",
    "lunar-lander(actions=35,clusters=60,dt=0.2,discount=0.95)",
    "lidar-roomba",
    "lidar-roomba(config=1)",
    "lidar-roomba(config=2)",
    "lidar-roomba(clusters=10)",
    "lidar-roomba(actions=33)",
    "lidar-roomba(actions=continuous)",
    "lidar-roomba(quirks=true)",
    "lidar-roomba(config=1,quirks=true,terminal_contact=false,features=raw)",
    "lidar-roomba(ray_stdev=1)",
    "lidar-roomba(sensor=bumper)",
    "lidar-roomba(sensor=bumper,config=2,quirks=true)",
    "lidar-roomba(sensor=bumper,actions=continuous,v_max=2)"));
// clang-format on

}  // namespace
}  // namespace penumbra
