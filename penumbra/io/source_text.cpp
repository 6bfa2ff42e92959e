#include "penumbra/io/source_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>

#include "penumbra/base/error.h"

namespace penumbra {
namespace {

constexpr size_t kWidth = 90;  // of a line that is shown
constexpr size_t kMaxWarnings = 20;

// Bytes that a terminal would take for more than text.
std::string printable(std::string_view text) {
  std::string out(text);
  for (char& c : out)
    if (static_cast<unsigned char>(c) < 32 || c == 127) c = ' ';
  return out;
}

}  // namespace

SourceText SourceText::load(const std::string& path, double max_bytes) {
  std::error_code error;
  if (std::filesystem::is_directory(path, error))
    throw Error(path + " is a folder; name a file in it");
  struct Close {
    void operator()(FILE* f) const { std::fclose(f); }
  };
  std::unique_ptr<FILE, Close> file(std::fopen(path.c_str(), "rb"));
  if (!file) throw Error(fmt::format("cannot read {}: {}", path, std::strerror(errno)));
  const uintmax_t size = std::filesystem::file_size(path, error);
  if (!error && static_cast<double>(size) > max_bytes)
    throw Error(
        fmt::format("{}: {} MB are too much to read (limit {:.0f} MB); raise the memory "
                    "limit",
                    path, size / 1'000'000, max_bytes / 1e6));
  std::string text;
  if (!error) text.reserve(size + 1);
  char buffer[1 << 16];
  while (const size_t n = std::fread(buffer, 1, sizeof buffer, file.get())) {
    text.append(buffer, n);
    if (static_cast<double>(text.size()) > max_bytes)
      throw Error(
          fmt::format("{}: more than the {:.0f} MB that may be read", path, max_bytes / 1e6));
  }
  if (std::ferror(file.get())) throw Error("cannot read " + path);
  return SourceText(path, std::move(text));
}

int SourceText::line(size_t at) const {
  at = std::min(at, text_.size());
  return 1 +
         static_cast<int>(std::count(text_.begin(), text_.begin() + static_cast<long>(at), '\n'));
}

void SourceText::fail(size_t at, const std::string& what) const {
  at = std::min(at, text_.size());
  size_t begin = at;
  while (begin > 0 && text_[begin - 1] != '\n') --begin;
  const size_t end = std::min(text_.find('\n', at), text_.size());
  const size_t column = at - begin;
  // A long line is shown around the place.
  size_t first = begin;
  if (end - begin > kWidth && column > kWidth / 2) first = at - kWidth / 2;
  const std::string shown =
      printable(std::string_view(text_).substr(first, std::min(kWidth, end - first)));
  throw Error(fmt::format("{}:{}:{}: {}\n  {}\n  {:>{}}", path_, line(at), column + 1, what, shown,
                          "^", at - first + 1));
}

std::string quoted(std::string_view name) {
  constexpr size_t kLongest = 60;
  if (name.size() <= kLongest) return fmt::format("'{}'", printable(name));
  return fmt::format("'{}...'", printable(name.substr(0, kLongest)));
}

void Warnings::add(size_t at, const std::string& what) {
  if (strict_) source_.fail(at, what + " (refused by strict reading)");
  if (list_.size() < kMaxWarnings)
    list_.push_back(fmt::format("{}:{}: {}", source_.path(), source_.line(at), what));
  else if (list_.size() == kMaxWarnings)
    list_.push_back(source_.path() + ": more warnings are left out");
}

}  // namespace penumbra
