// Bytes of a record that hold no value. They are cleared, so that equal values are equal records.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <type_traits>
#include <utility>

namespace penumbra {
namespace padding_detail {

template <class T>
using Bytes = std::array<unsigned char, sizeof(T)>;

// In a constant expression padding has no value, and to read it is an error that a concept can see.
template <class T>
concept IsReadable = requires {
  typename std::bool_constant<(std::bit_cast<Bytes<T>>(T{}).size() > 0)>;
};
template <class T, size_t i>
concept HasValueAt = requires {
  typename std::bool_constant<(std::bit_cast<Bytes<T>>(T{})[i] >= 0)>;
};

template <class T, size_t... i>
constexpr std::array<bool, sizeof(T)> is_padding(std::index_sequence<i...>) {
  return {!HasValueAt<T, i>...};
}
template <class T>
inline constexpr std::array<bool, sizeof(T)> kIsPadding =
    is_padding<T>(std::make_index_sequence<sizeof(T)>());

template <class T>
constexpr auto padding_places() {
  constexpr size_t kCount = std::count(kIsPadding<T>.begin(), kIsPadding<T>.end(), true);
  std::array<size_t, kCount> places{};
  for (size_t i = 0, n = 0; i < sizeof(T); ++i)
    if (kIsPadding<T>[i]) places[n++] = i;
  return places;
}

}  // namespace padding_detail

// For compilers without a builtin for it, such as clang 14.
template <class T>
void clear_padding_bytewise(T* record) {
  static_assert(padding_detail::IsReadable<T>,
                "this compiler cannot tell where the padding of this type lies: give the type a "
                "constexpr default constructor and neither pointers, unions nor bit-fields, or "
                "fill the gaps between its members with members");
  constexpr auto kPlaces = padding_detail::padding_places<T>();
  auto* bytes = reinterpret_cast<unsigned char*>(record);
  for (size_t i = 0; i < kPlaces.size(); ++i) bytes[kPlaces[i]] = 0;
}

template <class T>
void clear_padding(T* record) {
  if constexpr (!std::has_unique_object_representations_v<T>) {
#if defined(__has_builtin) && __has_builtin(__builtin_clear_padding)
    __builtin_clear_padding(record);
#else
    clear_padding_bytewise(record);
#endif
  }
}

}  // namespace penumbra
