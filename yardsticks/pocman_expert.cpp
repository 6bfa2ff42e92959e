#include "yardsticks/pocman_expert.h"

#include <algorithm>

namespace penumbra {

void PocManExpert::start(Streams, Records memory) const {
  for (size_t i = 0; i < memory.count; ++i) {
    auto& m = memory.as<Memory>(i);
    m = {};
    m.at = static_cast<uint8_t>(model_.start());
    m.last = -1;
  }
}

int PocManExpert::decide(const Memory& m, Rng rng) const {
  int choice[4], count = 0;
  auto any = [&] { return choice[rng.below(static_cast<uint32_t>(count))]; };
  const bool chase = m.power > 0 && (m.seen & 15) != 0;
  for (int d = 0; d < 4; ++d) {
    const bool ghost = m.seen >> d & 1, back = m.last >= 0 && d == (m.last + 2) % 4;
    if (chase ? ghost : model_.after(m.at, d) >= 0 && !ghost && !back) choice[count++] = d;
  }
  if (count > 0) return any();
  for (int d = 0; d < 4; ++d)
    if (model_.after(m.at, d) >= 0) choice[count++] = d;
  return any();
}

void PocManExpert::act(Records memory, Streams streams, Records action) const {
  for (size_t i = 0; i < memory.count; ++i)
    action.as<int>(i) = decide(memory.as<Memory>(i), streams.rng(i));
}

void PocManExpert::observe(Records memory, ConstRecords action, ConstRecords seen, Streams) const {
  for (size_t i = 0; i < memory.count; ++i) {
    auto& m = memory.as<Memory>(i);
    m.last = static_cast<int8_t>(action.as<int>(i));
    m.seen = index_of(seen, i);
    if (const int to = model_.after(m.at, m.last); to >= 0) m.at = static_cast<uint8_t>(to);
    if (m.power > 0) --m.power;
    const uint8_t* end = m.pill + m.eaten;
    if (!model_.is_pill(m.at) || std::find(static_cast<const uint8_t*>(m.pill), end, m.at) != end)
      continue;
    m.pill[m.eaten++] = m.at;
    m.power = PocMan::kPowerSteps;
  }
}

}  // namespace penumbra
