#include "penumbra/io/any_policy.h"

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "penumbra/base/error.h"
#include "penumbra/io/cassandra_policy.h"
#include "penumbra/io/replace_file.h"
#include "penumbra/io/sarsop_policy.h"
#include "penumbra/model/seen_table.h"
#include "penumbra/policy/playable.h"

namespace penumbra {
namespace {

enum class Format { kOwn, kSarsop, kAlpha, kGraph };

std::string ending(const std::string& path) {
  std::string text = std::filesystem::path(path).extension().string();
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

Format format_by_name(const std::string& path) {
  const std::string text = ending(path);
  if (text == ".policyx" || text == ".xml") return Format::kSarsop;
  if (text == ".alpha") return Format::kAlpha;
  return text == ".pg" ? Format::kGraph : Format::kOwn;
}

Format format_of(const std::string& path) {
  const Format format = format_by_name(path);
  // The original SARSOP calls its XML out.policy.
  if (format == Format::kOwn && std::ifstream(path).peek() == '<') return Format::kSarsop;
  return format;
}

}  // namespace

bool is_policy_path(const std::string& text) {
  return text.find('/') != std::string::npos || ending(text) == ".policy" ||
         format_by_name(text) != Format::kOwn;
}

bool is_own_policy(const std::string& path) {
  return format_of(path) == Format::kOwn;
}

PolicyData load_policy_data(const std::string& path, const Pomdp& model) {
  const Format format = format_of(path);
  if (format == Format::kOwn) {
    const PolicyFile file = read_policy_file(path);
    check_policy_fits(file, model, path);
    return file.policy;
  }
  if (format == Format::kGraph)
    return std::make_shared<const Fnc>(Fnc{read_pg_file(path, model.facts())});
  require(model, Capability::kTable, "a policy of alpha-vectors");
  const SeenTable table(model);
  return std::make_shared<const VectorPolicy>(VectorPolicy{
      format == Format::kSarsop ? read_sarsop_policy(path, *table) : read_alpha_file(path, *table),
      {},
      std::make_shared<const MixedModel>(*table)});
}

std::unique_ptr<Policy> load_policy_file(const std::string& path, const Pomdp& model) {
  return playable(load_policy_data(path, model), model);
}

void check_policy_format(const std::string& path, PolicyForm form, bool real_actions) {
  const Format format = format_by_name(path);
  if (form == PolicyForm::kRecurrent && format != Format::kOwn)
    throw Error(
        path +
        ": this format holds alpha-vectors or a controller; a recurrent network goes into a "
        ".policy file");
  if (form != PolicyForm::kVectors && (format == Format::kSarsop || format == Format::kAlpha))
    throw Error(path +
                ": this format holds alpha-vectors, which this solver does not make; write a "
                ".policy or a .pg file");
  if (real_actions && format == Format::kGraph)
    throw Error(path +
                ": this format holds finite actions, and this controller's are real; write a "
                ".policy file");
  if (form == PolicyForm::kLikelihood && format == Format::kGraph)
    throw Error(path +
                ": this format holds a controller with a finite set of observations, which "
                "observations=continuous does not make; write a .policy file");
}

void save_policy_file(const std::string& path, const PolicyFile& policy, const Pomdp& model) {
  save_policy_files({&path, 1}, policy, model);
}

void save_policy_files(std::span<const std::string> paths, const PolicyFile& policy,
                       const Pomdp& model) {
  nn::Bytes own;
  for (const std::string& path : paths) {
    check_policy_format(path, form_of(policy.policy), policy.controller().action_width > 0);
    switch (format_by_name(path)) {
      case Format::kOwn:
        if (own.empty()) own = encode_policy(policy);
        replace_file(path, own);
        break;
      case Format::kSarsop:
        write_sarsop_policy(path, policy.vectors(), *SeenTable(model));
        break;
      case Format::kAlpha:
        write_alpha_file(path, policy.vectors(), *SeenTable(model));
        break;
      case Format::kGraph:
        if (policy.controller().num_nodes() == 0)
          throw Error(path + ": this format holds a controller; the solver gave vectors only");
        write_pg_file(path, policy.controller());
        break;
    }
  }
}

}  // namespace penumbra
