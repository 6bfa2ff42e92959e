#include "penumbra/base/spec.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "penumbra/base/error.h"
#include "tests/error_of.h"

namespace penumbra {
namespace {

using testing::AllOf;
using testing::HasSubstr;

Params params(const std::string& text) {
  return Params(Spec::parse(text));
}

TEST(Spec, ReadsNameAndValues) {
  const Spec spec = Spec::parse(" rock-sample( n = 20 ,k=20) ");
  EXPECT_EQ(spec.name, "rock-sample");
  EXPECT_EQ(spec.text(), "rock-sample(n=20,k=20)");
}

TEST(Spec, NeedsNoParentheses) {
  EXPECT_EQ(Spec::parse("tiger").text(), "tiger");
  EXPECT_EQ(Spec::parse("tiger()").text(), "tiger");
}

TEST(Spec, KeepsNestedListsWhole) {
  const Spec spec = Spec::parse("a(rocks=[(1,2),(3,4)],b=[1,0.5],c=x)");
  ASSERT_EQ(spec.values.size(), 3);
  EXPECT_EQ(spec.values[0].second, "[(1,2),(3,4)]");
  EXPECT_EQ(spec.values[1].second, "[1,0.5]");
}

TEST(Spec, RefusesWhatItDoesNotUnderstand) {
  for (const char* text : {"", "(", "a(", "a(b=1", "a(b=1))", "a(b)", "a(b=1,)", "a(,b=1)",
                           "a(b=[1)", "a(=1)", "a b", "a(b=1)c", "a(b=1]"})
    EXPECT_THROW(Spec::parse(text), Error) << text;
}

TEST(Spec, PutsACaretUnderTheMistake) {
  EXPECT_EQ(error_of([] { Spec::parse("a(n=1,n=2)"); }),
            "'n' is given twice\n  a(n=1,n=2)\n        ^");
}

TEST(Spec, TakesAValueOut) {
  Spec spec = Spec::parse("a(b=1,c=2)");
  EXPECT_EQ(spec.take("b"), "1");
  EXPECT_EQ(spec.take("b"), "");
  EXPECT_EQ(spec.text(), "a(c=2)");
}

TEST(Params, UnknownNamesAreErrorsThatNameTheAllowedOnes) {
  Params p = params("tiger(discont=0.9)");
  p.real("discount", 0.95, 0, 1, "");
  p.real("accuracy", 0.85, 0, 1, "");
  EXPECT_THAT(error_of([&] { p.finish(); }),
              AllOf(HasSubstr("no parameter 'discont'"), HasSubstr("did you mean 'discount'"),
                    HasSubstr("discount, accuracy")));
}

TEST(Params, OutOfRangeNamesTheRange) {
  Params p = params("a(n=0)");
  EXPECT_THAT(error_of([&] { p.integer("n", 7, 1, 100, ""); }),
              HasSubstr("n=0 is not allowed; n must be an integer from 1 to 100"));
}

TEST(Params, RefusesNumbersThatAreNone) {
  for (const char* bad :
       {"nan", "NaN", "inf", "-inf", "1e999", "1x", "", "0x10", "1 2", "--1", "+-1"}) {
    EXPECT_THROW(params("a(x=" + std::string(bad) + ")").real("x", 0, -10, 100, ""), Error) << bad;
    EXPECT_THROW(params("a(x=[" + std::string(bad) + ",1])").reals("x", ""), Error) << bad;
  }
  for (const char* bad : {"1.5", "99999999999999999999", "nan", "1e3", ""})
    EXPECT_THROW(params("a(x=" + std::string(bad) + ")").integer("x", 0, -10, 100, ""), Error);
  for (const char* bad : {"-1", "1.5", "99999999999999999999", "nan"})
    EXPECT_THROW(params("a(x=" + std::string(bad) + ")").seed("x", 0, ""), Error) << bad;
}

TEST(Params, ReadsNumbers) {
  Params p = params("a(x=-2.5e-1,n=+3,s=12345678901234,f=true)");
  EXPECT_EQ(p.real("x", 0, -1, 1, ""), -0.25);
  EXPECT_EQ(p.integer("n", 0, 0, 10, ""), 3);
  EXPECT_EQ(p.seed("s", 0, ""), 12345678901234u);
  EXPECT_TRUE(p.flag("f", false, ""));
  EXPECT_EQ(p.real("absent", 0.5, 0, 1, ""), 0.5);
  p.finish();
}

TEST(Params, FlagsAndWordsNameTheirChoices) {
  EXPECT_THAT(error_of([] { params("a(f=yes)").flag("f", false, ""); }),
              HasSubstr("true or false"));
  EXPECT_THAT(error_of([] {
                params("a(w=red)").word("w", {"blue", "green"}, "");
              }),
              HasSubstr("one of blue, green"));
  EXPECT_EQ(params("a").word("w", {"blue", "green"}, ""), "blue");
}

TEST(Params, ReadsLists) {
  EXPECT_EQ(params("a(x=[1, 0.5])").reals("x", ""), (std::vector<double>{1, 0.5}));
  EXPECT_EQ(params("a(c=[(1, 2),(-3,4)])").cells("c", ""),
            (std::vector<std::pair<int, int>>{{1, 2}, {-3, 4}}));
  EXPECT_TRUE(params("a(c=[])").cells("c", "").empty());
}

TEST(Params, RefusesBrokenListsOfCells) {
  for (const char* bad : {"1", "[1,2]", "[(1,2]", "[(1,2)(3,4)]", "[(1,2),]", "[(1)]", "[(1,2,3)]",
                          "[(4294967297,1)]", "[(1.5,1)]", "[,(1,2)]"}) {
    Params p(Spec{"a", {{"c", bad}}});
    EXPECT_THROW(p.cells("c", ""), Error) << bad;
  }
}

TEST(Params, CanonicalFollowsTheOrderOfDeclaration) {
  Params p = params("a(k=2,n=1)");
  p.integer("n", 0, 0, 9, "");
  p.integer("k", 0, 0, 9, "");
  p.integer("m", 0, 0, 9, "");
  EXPECT_EQ(p.canonical(), "a(n=1,k=2)");
}

TEST(NearestName, FindsTyposOnly) {
  EXPECT_EQ(nearest_name("rocksample", {"tiger", "rock-sample"}), "rock-sample");
  EXPECT_EQ(nearest_name("zebra", {"tiger", "rock-sample"}), "");
}

}  // namespace
}  // namespace penumbra
