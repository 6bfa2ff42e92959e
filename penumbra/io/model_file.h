// A model file of any format that is read, told apart by its name.
#pragma once

#include <string>

#include "penumbra/io/pomdp_file.h"

namespace penumbra {

// Whether a text names a model file: it ends in .pomdp or .pomdpx, in any case.
bool is_model_path(const std::string& text);

// Throws Error for a file that is not there, or not as its format says.
ModelFile read_model_file(const std::string& path, const ReadOptions& options = {});
// By the ending of `path`. To a temporary file beside it, which then takes its place.
// With `flat` a POMDPX file has one state variable, and what is visible is observed.
void write_model_file(const std::string& path, const ModelFile& model, bool flat = false);

}  // namespace penumbra
