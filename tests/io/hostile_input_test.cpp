// Files that ask for the impossible are refused at once: the sizes are known before memory is
// taken, nothing is expanded, nothing recurses without end.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "penumbra/base/memory.h"
#include "penumbra/io/pomdpx_file.h"
#include "tests/io/reading.h"

namespace penumbra {
namespace {

using testing::HasSubstr;

std::string pomdp(const std::string& head, const std::string& body = "") {
  return "discount: 0.9\nvalues: reward\n" + head + "\n" + body;
}
std::string complaint(const std::string& text) {
  return error_of([&] { read_pomdp_text("m.pomdp", text); });
}
std::string pomdpx(const std::string& variables, const std::string& rest = "") {
  return "<pomdpx><Discount>0.9</Discount><Variable>" + variables + "</Variable>" + rest +
         "</pomdpx>";
}
std::string complaint_x(const std::string& text) {
  return error_of([&] { read_pomdpx_text("m.pomdpx", text); });
}
const std::string kAction = "<ActionVar vname=\"a\"><NumValues>2</NumValues></ActionVar>";

std::string state(const std::string& name, const std::string& size) {
  return "<StateVar vnamePrev=\"" + name + "0\" vnameCurr=\"" + name + "1\"><NumValues>" + size +
         "</NumValues></StateVar>";
}

// The peak of the whole process does not rise by more than this.
class Frugal {
 public:
  ~Frugal() { EXPECT_LT(peak_resident_bytes() - before_, 100e6); }

 private:
  size_t before_ = peak_resident_bytes();
};

TEST(HostilePomdp, HugeCountsAreRefusedBeforeTheyCost) {
  const Frugal frugal;
  EXPECT_THAT(complaint(pomdp("states: 2000000000\nactions: 2\nobservations: 2", "T: 0 identity")),
              HasSubstr("more than any machine can hold"));
  EXPECT_THAT(complaint(pomdp("states: 900000000\nactions: 2\nobservations: 2", "T: 0 identity")),
              HasSubstr("GB are allowed"));
  EXPECT_THAT(complaint(pomdp("states: 99999999999999999999999\nactions: 2", "")),
              HasSubstr("more than any machine can hold"));
  EXPECT_THAT(complaint(pomdp("states: 10\nactions: 1000000000\nobservations: 2", "T: 0 identity")),
              HasSubstr("GB are allowed"));
}

TEST(HostilePomdp, DenseWildcardsAreEstimatedNotWritten) {
  const Frugal frugal;
  EXPECT_THAT(
      complaint(pomdp("states: 100000\nactions: 2\nobservations: 1", "T: * uniform O: * uniform")),
      HasSubstr("need at least"));
}

TEST(HostilePomdp, LongNamesAndOverlapsAreRefused) {
  EXPECT_THAT(complaint(pomdp("states: " + std::string(1'000'000, 'x') + " b")),
              HasSubstr("a name of 1000000 characters"));
  const std::string error = complaint(pomdp("actions: 1\nobservations: 1\nstates: a b",
                                            "T: 0 : " + std::string(100'000, 'z') + " 1"));
  EXPECT_LT(error.size(), 400);
}

TEST(HostilePomdpx, JointSizesThatOverflowAreRefused) {
  const Frugal frugal;
  EXPECT_THAT(complaint_x(pomdpx(state("x", "1000000000") + kAction)), HasSubstr("allowed"));
  EXPECT_THAT(complaint_x(pomdpx(state("x", "99999999999999999999") + kAction)),
              HasSubstr("not a number of values"));
  std::string many;
  for (int i = 0; i < 20; ++i) many += state("x" + std::to_string(i) + "_", "1000");
  EXPECT_THAT(complaint_x(pomdpx(many + kAction)), HasSubstr("GB are allowed"));
  many.clear();
  for (int i = 0; i < 1500; ++i) many += state("x" + std::to_string(i) + "_", "1");
  EXPECT_THAT(complaint_x(pomdpx(many + kAction)), HasSubstr("more than 1000 variables"));
}

TEST(HostilePomdpx, EntitiesAreNotExpanded) {
  const Frugal frugal;
  EXPECT_THAT(complaint_x("<!DOCTYPE x [<!ENTITY a \"ha\"><!ENTITY b \"&a;&a;&a;\">]>" +
                          pomdpx(state("x", "2") + kAction)),
              HasSubstr("may not define entities"));
  EXPECT_THAT(complaint_x("<pomdpx><Discount>&b;</Discount></pomdpx>"), HasSubstr("not known"));
}

TEST(HostilePomdpx, DeepNestingIsRefused) {
  std::string deep = "<pomdpx>";
  for (int i = 0; i < 100'000; ++i) deep += "<Description>";
  EXPECT_THAT(complaint_x(deep), HasSubstr("nest deeper"));
}

std::string with_diagram(const std::string& diagram) {
  return pomdpx(state("x", "2") + kAction + "<RewardVar vname=\"r\"/>",
                "<StateTransitionFunction><CondProb><Var>x1</Var><Parent>a x0</Parent>"
                "<Parameter type=\"DD\">" +
                    diagram + "</Parameter></CondProb></StateTransitionFunction>");
}

TEST(HostilePomdpx, TemplatesThatUseThemselvesAreRefused) {
  EXPECT_THAT(
      complaint_x(with_diagram(
          "<DAG><SubDAG type=\"template\" idref=\"t\"/></DAG>"
          "<SubDAGTemplate id=\"t\"><SubDAG type=\"template\" idref=\"u\"/></SubDAGTemplate>"
          "<SubDAGTemplate id=\"u\"><SubDAG type=\"template\" idref=\"t\"/></SubDAGTemplate>")),
      HasSubstr("uses itself"));
}

// Each template uses the next twice: 2^40 nodes if they were written out.
TEST(HostilePomdpx, TemplatesAreSharedNotCopied) {
  const Frugal frugal;
  std::string templates;
  for (int i = 0; i < 40; ++i)
    templates += fmt::format(
        "<SubDAGTemplate id=\"t{}\"><Node var=\"x0\"><Edge val=\"s0\"><SubDAG type=\"template\" "
        "idref=\"t{}\"/></Edge><Edge val=\"s1\"><SubDAG type=\"template\" idref=\"t{}\"/></Edge>"
        "</Node></SubDAGTemplate>",
        i, i + 1, i + 1);
  templates += "<SubDAGTemplate id=\"t40\"><SubDAG type=\"uniform\" var=\"x1\"/></SubDAGTemplate>";
  EXPECT_THAT(
      complaint_x(with_diagram("<DAG><SubDAG type=\"template\" idref=\"t0\"/></DAG>" + templates)),
      HasSubstr("there is no initial belief"));  // the diagram itself is fine
}

}  // namespace
}  // namespace penumbra
