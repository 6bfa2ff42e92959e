#include "penumbra/base/team.h"

#include <algorithm>
#include <cstring>

namespace penumbra {
namespace {

enum Kind : uint8_t { kData, kError, kBug, kOver };

// What stands before the bytes of a message.
struct Head {
  uint8_t kind = kData;
  uint64_t order = 0;
  static constexpr size_t kBytes = sizeof(uint8_t) + sizeof(uint64_t);
};

Head read_head(const Bytes& message) {
  PENUMBRA_CHECK(message.size() >= Head::kBytes, "a message of a rank has no head");
  Head head;
  std::memcpy(&head.kind, message.data(), sizeof head.kind);
  std::memcpy(&head.order, message.data() + sizeof head.kind, sizeof head.order);
  return head;
}

std::string words_of(const Bytes& message) {
  return {reinterpret_cast<const char*>(message.data()) + Head::kBytes,
          message.size() - Head::kBytes};
}

// The failure of the lowest order, then of the lowest rank, where there is one.
void throw_failure(const std::vector<Bytes>& messages) {
  int failed = -1;
  uint64_t lowest = 0;
  for (size_t r = 0; r < messages.size(); ++r) {
    const Head head = read_head(messages[r]);
    if (head.kind != kError && head.kind != kBug) continue;
    if (failed < 0 || head.order < lowest) {
      failed = static_cast<int>(r);
      lowest = head.order;
    }
  }
  if (failed < 0) return;
  const auto alike = std::count(messages.begin(), messages.end(), messages[failed]);
  const std::string words = words_of(messages[failed]);
  const bool bug = read_head(messages[failed]).kind == kBug;
  // What all of them refuse, such as a misspelt option, is no matter of a rank.
  if (alike == static_cast<long>(messages.size())) throw TeamError(words, bug);
  throw TeamError("rank " + std::to_string(failed) + ": " + words, bug);
}

Bytes as_bytes(const std::string& text) {
  Bytes bytes(text.size());
  if (!text.empty()) std::memcpy(bytes.data(), text.data(), text.size());
  return bytes;
}

}  // namespace

std::vector<Bytes> Team::exchange_with(uint8_t kind, uint64_t order, Bytes mine) {
  Bytes message(Head::kBytes + mine.size());
  std::memcpy(message.data(), &kind, sizeof kind);
  std::memcpy(message.data() + sizeof kind, &order, sizeof order);
  std::copy(mine.begin(), mine.end(), message.begin() + Head::kBytes);
  std::vector<Bytes> all = exchange(std::move(message));
  // Rank 0 has what it needs: what happens to the others is nothing to it any more.
  if (read_head(all[0]).kind == kOver) {
    alone_ = true;
    if (!leads()) throw TeamOver();
    return {};
  }
  throw_failure(all);
  for (Bytes& bytes : all) bytes.erase(bytes.begin(), bytes.begin() + Head::kBytes);
  return all;
}

std::vector<Bytes> Team::gather(Bytes mine) {
  if (size() == 1) return {std::move(mine)};
  return exchange_with(kData, 0, std::move(mine));
}

Bytes Team::broadcast(Bytes mine) {
  return std::move(gather(leads() ? std::move(mine) : Bytes()).front());
}

void Team::fail(const std::string& words, bool bug, uint64_t order) {
  if (size() == 1) throw TeamError(words, bug);
  exchange_with(bug ? kBug : kError, order, as_bytes(words));
  throw TeamError(words, bug);  // not reached: an exchange with a failure throws
}

void Team::fail_of_exception(uint64_t order) {
  try {
    throw;
  } catch (const TeamError&) {
    throw;
  } catch (const TeamOver&) {
    throw;
  } catch (const Error& error) {
    fail(error.what(), false, order);
  } catch (const std::bad_alloc&) {
    fail("out of memory: try a smaller problem", false, order);
  } catch (const std::exception& error) {
    fail(error.what(), true, order);
  }
}

void Team::go_on_alone() {
  if (size() == 1) return;
  PENUMBRA_CHECK(leads(), "only rank 0 goes on alone");
  exchange_with(kOver, 0, {});
}

void Team::finish() {
  if (size() > 1) gather({});
}

void require_alike(Team& team, const std::vector<NamedText>& mine, const std::string& advice) {
  if (team.size() == 1) return;
  BytesSink sink;
  Saver saver(sink);
  for (const auto& [name, text] : mine) saver(text);
  std::vector<std::vector<std::string>> texts;
  for (const Bytes& bytes : team.gather(std::move(sink.bytes))) {
    BytesSource source(bytes);
    Loader loader(source);
    std::vector<std::string>& of_rank = texts.emplace_back();
    for (size_t i = 0; i < mine.size() && loader.left() > 0; ++i) loader(of_rank.emplace_back());
    of_rank.resize(mine.size());
  }
  for (size_t i = 0; i < mine.size(); ++i) {
    std::string others, other;
    for (size_t r = 1; r < texts.size(); ++r) {
      if (texts[r][i] == texts[0][i]) continue;
      if (others.empty()) other = texts[r][i];
      others += (others.empty() ? "" : ", ") + std::to_string(r);
    }
    if (others.empty()) continue;
    const bool one = others.find(',') == std::string::npos;
    const std::string instead = texts[0][i].empty() ? "" : ", not '" + texts[0][i] + "'";
    throw TeamError((one ? "rank " : "ranks ") + others + (one ? " has" : " have") + " another " +
                        mine[i].first + " than rank 0: '" + other + "'" + instead + ". " + advice,
                    false);
  }
}

}  // namespace penumbra
