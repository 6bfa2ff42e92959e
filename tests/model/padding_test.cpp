#include "penumbra/model/padding.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <string>

namespace penumbra {
namespace {

struct Inner {
  float value;
  bool flag;  // three bytes of padding follow
};
struct Outer {
  int8_t kind;  // three bytes
  std::array<Inner, 2> inner;
  int16_t count;  // two bytes
};

template <class T>
void expect_cleared(void (*clear)(T*)) {
  T record;
  std::memset(static_cast<void*>(&record), 0x5a, sizeof record);
  clear(&record);
  const auto* bytes = reinterpret_cast<const unsigned char*>(&record);
  for (size_t i = 0; i < sizeof(T); ++i)
    EXPECT_EQ(bytes[i], padding_detail::kIsPadding<T>[i] ? 0 : 0x5a) << i;
}

TEST(Padding, IsFoundBetweenMembersInsideOfThemAndBehindThem) {
  std::string found;
  for (bool padding : padding_detail::kIsPadding<Outer>) found += padding ? '-' : '#';
  EXPECT_EQ(found, "#---#####---#####---##--");
}

TEST(Padding, IsClearedAndNothingElse) {
  expect_cleared<Outer>(clear_padding_bytewise);
  expect_cleared<Outer>(clear_padding);
  expect_cleared<Inner>(clear_padding_bytewise);
  expect_cleared<std::array<Outer, 50>>(clear_padding_bytewise);  // a large state
  expect_cleared<double>(clear_padding_bytewise);
}

struct Unknown {
  int8_t kind;
  int* where;
};
static_assert(!padding_detail::IsReadable<Unknown>, "refused rather than left uncleared");

}  // namespace
}  // namespace penumbra
