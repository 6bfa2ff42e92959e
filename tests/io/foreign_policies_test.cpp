// Policies of SARSOP (.policyx) and of pomdp-solve (.alpha, .pg).
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "domains/registry.h"
#include "penumbra/base/error.h"
#include "penumbra/io/any_policy.h"
#include "penumbra/io/cassandra_policy.h"
#include "penumbra/io/sarsop_policy.h"

namespace penumbra {
namespace {

class ForeignPolicies : public testing::Test {
 protected:
  std::string path(const std::string& ending) {
    const auto* test = testing::UnitTest::GetInstance()->current_test_info();
    const auto folder = std::filesystem::temp_directory_path();
    made_.push_back((folder / (std::string("penumbra_") + test->name() + ending)).string());
    return made_.back();
  }
  std::string file(const std::string& ending, const std::string& text) {
    const std::string name = path(ending);
    std::ofstream(name) << text;
    return name;
  }
  ~ForeignPolicies() override {
    for (const std::string& name : made_) std::filesystem::remove(name);
  }
  std::vector<std::string> made_;
  std::unique_ptr<Pomdp> tiger_ = load_domain("tiger");
};

AlphaVectors vectors() {
  return {2, 3, {{0, 1}}, {{0, 0, {1.0 / 3, 0.1}}, {2, 0, {1e-300, -100.00000000000001}}}};
}

TEST_F(ForeignPolicies, SarsopReadsBackBitForBit) {
  const std::string name = path(".policyx");
  write_sarsop_policy(name, vectors(), tiger_->table());
  EXPECT_EQ(read_sarsop_policy(name, tiger_->table()), vectors());
}

TEST_F(ForeignPolicies, AlphaReadsBackBitForBit) {
  const std::string name = path(".alpha");
  write_alpha_file(name, vectors(), tiger_->table());
  EXPECT_EQ(read_alpha_file(name, tiger_->table()), vectors());
}

TEST_F(ForeignPolicies, SarsopKeepsVisibleParts) {
  Tabular table = tiger_->table();
  table.visible = {0, 1};
  table.num_visible = 2;
  const AlphaVectors mixed{2, 3, {{0}, {1}}, {{1, 0, {4}}, {2, 1, {5}}}};
  const std::string name = path(".policyx");
  write_sarsop_policy(name, mixed, table);
  EXPECT_EQ(read_sarsop_policy(name, table), mixed);
}

TEST_F(ForeignPolicies, WhatTheOriginalWritesIsRead) {
  const std::string name = file(".policy",
                                "<?xml version=\"1.0\" encoding=\"ISO-8859-1\"?>\n"
                                "<Policy version=\"0.1\" type=\"value\" model=\"Tiger.pomdpx\" "
                                "xsi:noNamespaceSchemaLocation=\"policyx.xsd\">\n"
                                "<AlphaVector vectorLength=\"2\" numObsValue=\"1\" "
                                "numVectors=\"2\">\n"
                                "<Vector action=\"0\" obsValue=\"0\">19.3711 19.3711 </Vector>\n"
                                "<SparseVector action=\"1\" obsValue=\"0\"><Entry>1 -81.5</Entry>"
                                "</SparseVector>\n</AlphaVector> </Policy>\n");
  const AlphaVectors read = read_sarsop_policy(name, tiger_->table());
  ASSERT_EQ(read.vectors.size(), 2);
  EXPECT_EQ(read.vectors[1].value, (std::vector<double>{0, -81.5}));
  EXPECT_EQ(load_policy_file(name, *tiger_)->describe(), "2 alpha-vectors with exact beliefs");
}

TEST_F(ForeignPolicies, GraphsReadBackWithTheStartFirst) {
  Fsc fsc;
  fsc.num_observations = 2;
  fsc.add_node(1, 1);
  fsc.add_node(0);
  fsc.set_edge(1, 0, 0);
  fsc.start = 1;
  const std::string name = path(".pg");
  write_pg_file(name, fsc);
  const Fsc read = read_pg_file(name, tiger_->facts());
  EXPECT_EQ(read.action, (std::vector<int>{0, 1}));
  EXPECT_EQ(read.edges, (std::vector<int>{1, 0, 0, 0}));
  const std::string dashes = file("2.pg", "0 0  - X\n");
  EXPECT_EQ(read_pg_file(dashes, tiger_->facts()).edges, (std::vector<int>{0, 0}));
}

TEST_F(ForeignPolicies, BadFilesAreRefusedWithTheirPlace) {
  const Tabular table = tiger_->table();
  const std::string head = "<Policy><AlphaVector vectorLength=\"2\" numObsValue=\"1\">";
  for (const char* body :
       {"<Vector action=\"3\">1 2</Vector>", "<Vector action=\"0\">1</Vector>",
        "<Vector action=\"0\">1 2 3</Vector>", "<Vector action=\"0\">1 x</Vector>",
        "<Vector>1 2</Vector>", "<Vector action=\"0\">1 nan</Vector>",
        "<SparseVector action=\"0\"><Entry>2 1</Entry></SparseVector>", ""})
    EXPECT_THROW(
        read_sarsop_policy(file(".policyx", head + body + "</AlphaVector></Policy>"), table), Error)
        << body;
  for (const char* body : {"", "0\n1\n", "3\n1 2\n", "0\n1 2\n1", "a b c"})
    EXPECT_THROW(read_alpha_file(file(".alpha", body), table), Error) << body;
  for (const char* body : {"", "0 0 1 1", "1 0 0 0", "0 3 0 0", "0 0 0", "0 0 0 -1"})
    EXPECT_THROW(read_pg_file(file(".pg", body), tiger_->facts()), Error) << body;
}

TEST_F(ForeignPolicies, OwnFilesKeepVectorsAndRefuseDamage) {
  const std::string name = path(".policy");
  write_policy_file(
      name,
      describe_policy(*tiger_, std::make_shared<const VectorPolicy>(VectorPolicy{vectors()})));
  const PolicyFile read = read_policy_file(name);
  EXPECT_EQ(read.vectors(), vectors());
  EXPECT_EQ(read.controller().num_nodes(), 0);
  std::vector<std::byte> bytes = encode_policy(read);
  for (size_t i = 0; i < bytes.size(); ++i) {
    bytes[i] ^= std::byte{0x41};
    EXPECT_THROW(decode_policy(bytes, name), Error) << "byte " << i;
    bytes[i] ^= std::byte{0x41};
  }
}

TEST_F(ForeignPolicies, AFormatWithoutRoomIsRefusedBeforeTheWork) {
  EXPECT_THROW(check_policy_format("x.policyx", PolicyForm::kController), Error);
  EXPECT_THROW(check_policy_format("x.alpha", PolicyForm::kController), Error);
  EXPECT_NO_THROW(check_policy_format("x.pg", PolicyForm::kController));
  EXPECT_THROW(check_policy_format("x.pg", PolicyForm::kLikelihood), Error);
}

}  // namespace
}  // namespace penumbra
