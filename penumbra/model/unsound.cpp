#include "penumbra/model/unsound.h"

#include <fmt/format.h>

#include <cmath>
#include <new>

#include "penumbra/base/error.h"

namespace penumbra {
namespace {

// A model in trouble may not even be able to say what its states are.
std::string state_text(const Pomdp& model, const std::byte* state) {
  try {
    return model.describe_state(state);
  } catch (const std::exception&) {
    return "that cannot be described";
  }
}

std::string action_text(const Pomdp& model, const std::byte* action) {
  try {
    return model.describe_action(action);
  } catch (const std::exception&) {
    return "without a name";
  }
}

}  // namespace

std::string place_of(const Pomdp& model, const std::byte* action, const std::byte* state) {
  std::string text;
  if (action) text = "action " + action_text(model, action);
  if (state) text += (action ? " in state " : "state ") + state_text(model, state);
  return text;
}

void throw_unsound(const Pomdp& model, const std::string& what, const std::byte* action,
                   const std::byte* state) {
  throw Error(fmt::format("{}: {}: {}; penumbra check tells more", model.facts().name, what,
                          place_of(model, action, state)));
}

void throw_bad_reward(const Pomdp& model, double reward, const std::byte* action,
                      const std::byte* state) {
  const Facts& f = model.facts();
  const std::string what = std::isfinite(reward)
                               ? fmt::format(
                                     "the reward {} is outside of what facts() declares, {} "
                                     "to {}",
                                     reward, f.min_reward, f.max_reward)
                               : fmt::format("the reward is {}", reward);
  throw_unsound(model, what, action, state);
}

void rethrow_named(const Pomdp& model, const char* function, const std::byte* action,
                   const std::byte* state) {
  std::string words = "something that is no exception";
  try {
    throw;
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const InvariantError&) {
    throw;
  } catch (const std::exception& error) {
    words = error.what();
  } catch (...) {
  }
  const std::string place = place_of(model, action, state);
  throw Error(fmt::format("{}: {} threw '{}'{}{}", model.facts().name, function, words,
                          place.empty() ? "" : ": ", place));
}

}  // namespace penumbra
