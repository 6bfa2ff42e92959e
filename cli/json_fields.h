// Fields of records that others may have written or edited: of another type is as good as missing.
#pragma once

#include <limits>
#include <optional>
#include <string>

#include "cli/json.h"

namespace penumbra::cli {

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

template <class T>
Json or_null(const std::optional<T>& value) {
  return value ? Json(*value) : Json(nullptr);
}

}  // namespace penumbra::cli
