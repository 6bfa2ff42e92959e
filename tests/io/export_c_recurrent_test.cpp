#include "penumbra/io/export_c_recurrent.h"

#include <gtest/gtest.h>

#include "domains/registry.h"
#include "penumbra/evaluate/score.h"
#include "penumbra/nn/gru_sequence.h"
#include "tests/io/compiled_controller.h"

namespace penumbra {
namespace {

constexpr const char* kFunctions =
    "int size(void); void start(void*); void observe(void*, int, int);\n"
    "void step(void*, float*); int act(void*, double); int draw(const float*, double);\n"
    "int size(void) { return (int)sizeof(c_state); }\n"
    "void start(void* s) { c_start((c_state*)s); }\n"
    "void observe(void* s, int a, int o) { c_observe((c_state*)s, a, o); }\n"
    "void step(void* s, float* logits) { c_step((c_state*)s, logits); }\n"
    "int act(void* s, double u) { return c_act((c_state*)s, u); }\n"
    "int draw(const float* logits, double u) { return c_draw(logits, u); }\n";

PolicyFile random_policy(const Pomdp& model, bool greedy) {
  const RngKey key = RngKey::from_seed(7);
  HistoryCode code(model, key);
  const nn::ActionHead head{model.facts().num_actions, 0};
  nn::RecurrentNet net =
      nn::RecurrentNet::random({code.layout(), 32, head.outputs()}, 3, key.fold("net"));
  return describe_policy(model, std::make_shared<const RecurrentActor>(
                                    RecurrentActor{code, head, std::move(net), greedy}));
}

// The library's network, a step at a time.
class Reference {
 public:
  explicit Reference(const RecurrentActor& actor)
      : actor_(actor), sequence_(actor.net.layout(), 1, 1), memory_(actor.net.shape().hidden) {
    actor_.code.start(index_, &dense_);
  }
  std::vector<float> step() {
    const uint8_t starts = 0;
    sequence_.forward(actor_.net.packed().data(), {1, 1, index_, &dense_, &starts, memory_.data()});
    std::copy_n(sequence_.memory(0), memory_.size(), memory_.begin());
    return {sequence_.outputs(0), sequence_.outputs(0) + actor_.head.outputs()};
  }
  void observe(int action, int seen) {
    actor_.code.encode(reinterpret_cast<const std::byte*>(&action),
                       reinterpret_cast<const std::byte*>(&seen), index_, &dense_);
  }

 private:
  const RecurrentActor& actor_;
  nn::GruSequence sequence_;
  std::vector<float> memory_;
  int32_t index_[3] = {};
  float dense_ = 0;
};

TEST(ExportCRecurrent, LogitsAreTheLibrarysAlongAnEpisode) {
  for (const char* domain : {"tiger", "rock-sample(n=4,k=3)", "light-dark(clusters=20)"}) {
    const auto model = load_domain(domain);
    const PolicyFile policy = random_policy(*model, false);
    const CompiledHeader c(recurrent_c_header(policy, "c"), kFunctions);
    Reference reference(*policy_as<RecurrentActor>(policy.policy));
    std::vector<std::byte> state(c.find<int()>("size")());
    c.find<void(void*)>("start")(state.data());
    Rng rng(RngKey::from_seed(3), 0);
    for (int t = 0; t < 100; ++t) {
      std::vector<float> logits(policy.num_actions);
      c.find<void(void*, float*)>("step")(state.data(), logits.data());
      const std::vector<float> wanted = reference.step();
      float largest = 0;
      for (float w : wanted) largest = std::max(largest, std::abs(w));
      for (size_t a = 0; a < logits.size(); ++a)
        ASSERT_NEAR(logits[a], wanted[a], 1e-5 * largest) << domain << ", step " << t;
      const int action = static_cast<int>(rng.below(policy.num_actions));
      const int seen = static_cast<int>(rng.below(policy.num_observations));
      c.find<void(void*, int, int)>("observe")(state.data(), action, seen);
      reference.observe(action, seen);
    }
  }
}

class CompiledNetwork final : public Policy {
 public:
  explicit CompiledNetwork(const PolicyFile& policy)
      : header_(recurrent_c_header(policy, "c"), kFunctions),
        size_(header_.find<int()>("size")()),
        start_(header_.find<void(void*)>("start")),
        act_(header_.find<int(void*, double)>("act")),
        observe_(header_.find<void(void*, int, int)>("observe")) {}
  std::string describe() const override { return "a compiled network"; }
  size_t memory_size() const override { return size_; }
  void start(Streams, Records memory) const override {
    for (size_t i = 0; i < memory.count; ++i) start_(memory.at(i));
  }
  void act(Records memory, Streams streams, Records action) const override {
    for (size_t i = 0; i < memory.count; ++i) {
      Rng rng = streams.rng(i);
      action.as<int>(i) = act_(memory.at(i), rng.uniform());
    }
  }
  void observe(Records memory, ConstRecords action, ConstRecords seen, Streams) const override {
    for (size_t i = 0; i < memory.count; ++i)
      observe_(memory.at(i), action.as<int>(i), index_of(seen, i));
  }

 private:
  CompiledHeader header_;
  size_t size_;
  void (*start_)(void*);
  int (*act_)(void*, double);
  void (*observe_)(void*, int, int);
};

// Actions are the same unless two are within a rounding of each other.
TEST(ExportCRecurrent, PlaysAsTheLibraryDoes) {
  const auto model = load_domain("rock-sample(n=4,k=3)");
  for (bool greedy : {true, false}) {
    const PolicyFile policy = random_policy(*model, greedy);
    ThreadPool pool(1);
    const EvaluateOptions how{.episodes = 300, .seed = 7};
    const Score own = evaluate(*model, *playable(policy, *model), how, pool);
    const Score shipped = evaluate(*model, CompiledNetwork(policy), how, pool);
    EXPECT_NEAR(shipped.mean, own.mean, 0.02 * own.standard_error) << greedy;
  }
}

TEST(ExportCRecurrent, TheHeaderIsCleanAsCAndAsCpp) {
  for (const char* domain : {"tiger", "light-dark(clusters=20)"}) {
    const auto model = load_domain(domain);
    const Folder folder;
    const std::string header =
        folder.write("c.h", recurrent_c_header(random_policy(*model, true), "c"));
    const std::string use =
        "#include \"c.h\"\nint main(void) {\nc_state s;\nc_start(&s);\n"
        "return c_act(&s, 0.5) < 0;\n}\n";
    const std::string c = folder.write("c.c", use), cpp = folder.write("c.cpp", use);
    const std::string out = " -o " + folder.at("out") + " -lm";
    EXPECT_TRUE(compiles(PENUMBRA_CC, "-std=c99 -Wconversion -Wshadow " + c + out));
    EXPECT_TRUE(compiles(PENUMBRA_CXX, "-std=c++11 " + cpp + out));
    EXPECT_TRUE(
        compiles(PENUMBRA_CC, "-std=c99 -Wno-unused-function -fsyntax-only -x c " + header));
  }
}

}  // namespace
}  // namespace penumbra
