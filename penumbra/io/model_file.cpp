#include "penumbra/io/model_file.h"

#include <algorithm>
#include <filesystem>

#include "penumbra/base/error.h"
#include "penumbra/io/pomdpx_file.h"
#include "penumbra/io/replace_file.h"

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

void write_model_file(const std::string& path, const ModelFile& model, bool flat) {
  if (!is_model_path(path))
    throw Error("cannot tell the format of " + path + ": it must end in .pomdp or .pomdpx");
  if (ending(path) == ".pomdp")
    replace_file(path, write_pomdp_text(model.table));
  else if (model.factored && !flat)
    replace_file(path, write_pomdpx_text(*model.factored));
  else
    replace_file(path, write_pomdpx_text(model.table, flat));
}

}  // namespace penumbra
