#include "penumbra/runs/plugin_cache.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <vector>

#include "penumbra/base/error.h"
#include "penumbra/base/rng.h"
#include "penumbra/runs/plugin_compiler.h"
#include "penumbra/runs/read_text.h"

namespace penumbra {
namespace {

namespace fs = std::filesystem;

// A relative XDG_CACHE_HOME is to be ignored, says the standard.
fs::path cache_home() {
  const char* cache = std::getenv("XDG_CACHE_HOME");
  if (cache && cache[0] == '/') return cache;
  const char* home = std::getenv("HOME");
  if (!home || home[0] != '/')
    throw Error("there is no place for compiled models: set XDG_CACHE_HOME or HOME to a folder");
  return fs::path(home) / ".cache";
}

// The files that a list of make names: "plugin.so: a.cpp b.h \".
std::vector<std::string> dependencies(const std::string& list) {
  std::vector<std::string> files;
  std::string file;
  const size_t colon = list.find(": ");
  for (size_t i = colon == std::string::npos ? list.size() : colon + 1; i < list.size(); ++i) {
    const char c = list[i];
    if (c == '\\' && i + 1 < list.size() && list[i + 1] != '\n') {
      file += list[++i];
    } else if (c == ' ' || c == '\n' || c == '\\') {
      if (!file.empty()) files.push_back(std::move(file));
      file.clear();
    } else {
      file += c;
    }
  }
  if (!file.empty()) files.push_back(std::move(file));
  return files;
}

}  // namespace

void check_only_ours(const std::string& path, const std::string& what) {
  struct stat info;
  if (::stat(path.c_str(), &info) != 0)
    throw Error(fmt::format("cannot look at {} {}: {}", what, path, std::strerror(errno)));
  if (info.st_uid != ::geteuid())
    throw Error(fmt::format(
        "{} {} belongs to somebody else, and code from there would be run: name another folder in "
        "XDG_CACHE_HOME",
        what, path));
  if (info.st_mode & (S_IWGRP | S_IWOTH))
    throw Error(fmt::format(
        "{} {} can be written by others, and code from there would be run: chmod go-w {}", what,
        path, path));
}

std::string plugin_cache_folder() {
  const fs::path home = cache_home(), folder = home / "penumbra";
  std::error_code error;
  fs::create_directories(home, error);
  if (::mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST)
    throw Error(
        fmt::format("cannot make {}, where compiled models are kept: {}; XDG_CACHE_HOME "
                    "names another place",
                    folder.string(), std::strerror(errno)));
  check_only_ours(folder.string(), "the folder");
  return folder.string();
}

std::string cached_plugin(const std::string& folder, const std::string& source) {
  const RngKey key = RngKey::from_seed(0)
                         .fold(compilation_identity())
                         .fold(fs::absolute(source).lexically_normal().string())
                         .fold(read_text(source, "the model"));
  return fmt::format("{}/{}-{:016x}.so", folder, fs::path(source).stem().string(), key.value);
}

bool is_up_to_date(const std::string& plugin) {
  std::error_code error;
  const auto made = fs::last_write_time(plugin, error);
  if (error || !fs::exists(plugin + ".d", error)) return false;
  for (const std::string& file : dependencies(read_text(plugin + ".d", "the includes of"))) {
    const auto changed = fs::last_write_time(file, error);
    if (error || changed > made) return false;
  }
  return true;
}

}  // namespace penumbra
