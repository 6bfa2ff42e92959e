// What the compiler says to somebody whose struct lacks a part.
#include "penumbra/model/model.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <fstream>
#include <string>

namespace penumbra {
namespace {

using testing::AllOf;
using testing::HasSubstr;

// A model with the given part left out (or none) or written otherwise, and the user's static_assert
// below it.
std::string compile_without(const std::string& part, const std::string& instead = "") {
  const std::pair<const char*, const char*> parts[] = {
      {"State", "struct State { float y; };"},
      {"Observation", "using Observation = int;"},
      {"facts", "penumbra::Facts facts() const { return {}; }"},
      {"sample_initial", "State sample_initial(penumbra::Rng&) const { return {}; }"},
      {"is_terminal", "bool is_terminal(const State&) const { return false; }"},
      {"step",
       "penumbra::Outcome<State, int> step(const State& s, int, penumbra::Rng&) const {"
       " return {s, 0, 0.0f}; }"}};
  std::string code = "#include \"penumbra/model/model.h\"\nstruct Mine {\n";
  for (auto [name, text] : parts) code += (part == name ? instead : text) + "\n";
  code += "};\nstatic_assert(penumbra::Model<Mine>);\n";
  const std::string file =
      testing::TempDir() + "penumbra_model_test_" + std::to_string(getpid()) + "_" + part + ".cpp";
  std::ofstream(file) << code;
  const std::string command = std::string(PENUMBRA_CXX) + " -std=c++20 -fsyntax-only -I" +
                              PENUMBRA_SOURCE + " " + file + " 2>&1; echo status=$?";
  std::string output;
  FILE* pipe = popen(command.c_str(), "r");
  std::array<char, 4096> buffer;
  while (size_t n = fread(buffer.data(), 1, buffer.size(), pipe)) output.append(buffer.data(), n);
  pclose(pipe);
  std::remove(file.c_str());
  return output;
}

TEST(Model, ACompleteStructCompilesInSilence) {
  EXPECT_EQ(compile_without("nothing"), "status=0\n");
}

TEST(Model, AStructWithoutStepFailsAtItsStaticAssertWhichNamesTheStep) {
  const std::string output = compile_without("step");
  EXPECT_THAT(output, AllOf(HasSubstr("error: static"),  // as g++ and clang++ both say
                            HasSubstr("static_assert(penumbra::Model<Mine>)"), HasSubstr("HasStep"),
                            HasSubstr("status=1")));
}

TEST(Model, OtherMissingPartsAreNamedToo) {
  EXPECT_THAT(compile_without("facts"), HasSubstr("HasFacts"));
  EXPECT_THAT(compile_without("is_terminal"), HasSubstr("HasIsTerminal"));
}

TEST(Model, AnOverAlignedStateFailsAtTheStaticAssertWhichSaysSo) {
  EXPECT_THAT(compile_without("State", "struct alignas(16) State { float y; };"),
              AllOf(HasSubstr("static_assert(penumbra::Model<Mine>)"),
                    HasSubstr("IsNotOverAligned"), HasSubstr("status=1")));
}

struct WrongStep {
  struct State {
    int x;
  };
  using Observation = int;
  Facts facts() const { return {}; }
  State sample_initial(Rng&) const { return {}; }
  bool is_terminal(const State&) const { return false; }
  int step(const State&, int, Rng&) const { return 0; }  // not an Outcome
};
static_assert(!Model<WrongStep>);
static_assert(HasSampleInitial<WrongStep> && !HasStep<WrongStep> && !HasLikelihood<WrongStep>);

// An enum of that name is names for ints; a struct is a continuous action.
struct WithEnum {
  enum Action { kFirst };
};
struct WithStruct {
  struct Action {
    float push;
  };
};
static_assert(std::same_as<ActionOf<WrongStep>, int> && std::same_as<ActionOf<WithEnum>, int>);
static_assert(std::same_as<ActionOf<WithStruct>, WithStruct::Action>);

struct WithString : WrongStep {
  struct State {
    std::string text;
  };
};
static_assert(!HasState<WithString>, "records are trivially copyable");

// A model whose state, observation and action ask for the given alignments.
template <size_t state, size_t seen, size_t action>
struct Aligned {
  struct alignas(state) State {
    double x;
  };
  struct alignas(seen) Observation {
    float x;
  };
  struct alignas(action) Action {
    float x;
  };
  Facts facts() const { return {}; }
  State sample_initial(Rng&) const { return {}; }
  bool is_terminal(const State&) const { return false; }
  Outcome<State, Observation> step(const State& s, Action, Rng&) const { return {s, {}, 0}; }
};
static_assert(Model<Aligned<8, 8, 8>>);
static_assert(!Model<Aligned<16, 8, 8>> && !Model<Aligned<8, 16, 8>> && !Model<Aligned<8, 8, 16>>,
              "records lie in buffers of bytes");

}  // namespace
}  // namespace penumbra
