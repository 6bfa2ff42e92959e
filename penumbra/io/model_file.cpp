#include "penumbra/io/model_file.h"

#include <algorithm>
#include <filesystem>

#include "penumbra/base/error.h"
#include "penumbra/io/pomdpx_file.h"

namespace penumbra {
namespace {

std::string ending(const std::string& path) {
  std::string e = std::filesystem::path(path).extension().string();
  std::transform(e.begin(), e.end(), e.begin(), [](unsigned char c) { return std::tolower(c); });
  return e;
}

}  // namespace

bool is_model_path(const std::string& text) {
  const std::string e = ending(text);
  return e == ".pomdp" || e == ".pomdpx";
}

ModelFile read_model_file(const std::string& path, const ReadOptions& options) {
  return ending(path) == ".pomdpx" ? read_pomdpx_file(path, options)
                                   : read_pomdp_file(path, options);
}

void write_model_file(const std::string& path, const Tabular& table, bool flat) {
  if (!is_model_path(path))
    throw Error("cannot tell the format of " + path + ": it must end in .pomdp or .pomdpx");
  if (ending(path) == ".pomdpx")
    write_pomdpx_file(path, table, flat);
  else
    write_pomdp_file(path, table);
}

}  // namespace penumbra
