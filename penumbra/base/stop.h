// Whether work that is under way should end: asked now and then, and cheap. It may be called from
// several threads at once.
#pragma once

#include <functional>

namespace penumbra {

using Stop = std::function<bool()>;  // empty: never

}  // namespace penumbra
