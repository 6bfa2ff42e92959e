// Writing a file so that a failure leaves the old one alone.
#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace penumbra {

// To a temporary file beside it, which then takes its place. Throws Error where it cannot write.
void replace_file(const std::string& path, std::span<const std::byte> bytes);
void replace_file(const std::string& path, const std::string& text);

}  // namespace penumbra
