// A policy file of any format, told apart by its name: .policyx (or .xml), .alpha, .pg; everything
// else is Penumbra's own (io/policy_file.h).
#pragma once

#include <memory>
#include <span>
#include <string>

#include "penumbra/io/policy_file.h"

namespace penumbra {

// Whether a text can only name a file: it has the ending of a policy, or a slash.
bool is_policy_path(const std::string& text);

// Whether the file, or one of this name, is in Penumbra's own format.
bool is_own_policy(const std::string& path);

// Throws Error for a file that is not there, not as its format says, or for another model.
PolicyData load_policy_data(const std::string& path, const Pomdp& model);
// The same, ready to be played.
std::unique_ptr<Policy> load_policy_file(const std::string& path, const Pomdp& model);
// Throws Error, before anything is solved or written, where the format has no room for what the
// solver gives. `real_actions`: of a box.
void check_policy_format(const std::string& path, PolicyForm form, bool real_actions = false);
void save_policy_file(const std::string& path, const PolicyFile& policy, const Pomdp& model);
// One after the other, encoded once.
void save_policy_files(std::span<const std::string> paths, const PolicyFile& policy,
                       const Pomdp& model);

}  // namespace penumbra
