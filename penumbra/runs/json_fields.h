// Fields of records that others may have written or edited: of another type is as good as missing.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>

#include "penumbra/runs/json.h"

namespace penumbra {

inline std::string text_in(const Json& object, const char* key, const std::string& fallback = "") {
  return object.is_object() && object.contains(key) && object[key].is_string()
             ? object[key].get<std::string>()
             : fallback;
}

inline double number_in(const Json& object, const char* key,
                        double fallback = std::numeric_limits<double>::quiet_NaN()) {
  return object.is_object() && object.contains(key) && object[key].is_number()
             ? object[key].get<double>()
             : fallback;
}

inline bool flag_in(const Json& object, const char* key) {
  return object.is_object() && object.contains(key) && object[key].is_boolean() &&
         object[key].get<bool>();
}

// A count; anything else is 0.
inline uint64_t whole_in(const Json& object, const char* key) {
  const double number = number_in(object, key, 0);
  return number >= 0 && number <= 0x1p53 ? static_cast<uint64_t>(number) : 0;
}

template <class T>
Json or_null(const std::optional<T>& value) {
  return value ? Json(*value) : Json(nullptr);
}

}  // namespace penumbra
