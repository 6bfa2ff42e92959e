// penumbra new: a small project around a problem of one's own, to begin with.
#include <fmt/format.h>

#include <cctype>
#include <filesystem>
#include <memory>

#include "cli/command.h"
#include "cli/common_options.h"
#include "cli/json.h"
#include "cli/new_project.h"
#include "penumbra/base/error.h"
#include "penumbra/io/replace_file.h"

namespace penumbra::cli {
namespace {

constexpr const char* kNewExamples =
    "Examples:\n"
    "  penumbra new my-problem\n"
    "  cd my-problem && penumbra solve my_problem.cpp --time 10s -o my-problem.policy\n"
    "\n"
    "Writes a folder with a small problem that works as it is: the model, a test of what it\n"
    "promises, a robot's loop, CMakeLists.txt and README.md, which says what to do next.\n";

struct NewArguments {
  std::string folder;
  CommonOptions common;
};

// A name as it is written in different places.
struct ProjectName {
  std::string plain;  // my-problem
  std::string file;   // my_problem
  std::string type;   // MyProblem
};

ProjectName read_name(const std::string& text) {
  ProjectName name{text, text, ""};
  bool begins = true;
  for (char& c : name.file) {
    const bool is_letter = std::isalpha(static_cast<unsigned char>(c));
    const bool is_digit = std::isdigit(static_cast<unsigned char>(c));
    if (!is_letter && (name.type.empty() || (!is_digit && c != '-' && c != '_')))
      throw Error(fmt::format(
          "'{}' cannot be the name of a project: it begins with a letter and goes on with letters, "
          "digits, - and _, such as my-problem",
          text));
    if (is_letter || is_digit)
      name.type += begins ? static_cast<char>(std::toupper(static_cast<unsigned char>(c))) : c;
    begins = !is_letter && !is_digit;
    if (c == '-') c = '_';
  }
  return name;
}

std::string with_name(std::string text, const ProjectName& name) {
  const std::pair<std::string, std::string> words[] = {
      {"my-problem", name.plain}, {"my_problem", name.file}, {"MyProblem", name.type}};
  for (const auto& [from, to] : words)
    for (size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
      text.replace(at, from.size(), to);
  return text;
}

int run(const NewArguments& o) {
  namespace fs = std::filesystem;
  fs::path folder = fs::path(o.folder).lexically_normal();
  if (!folder.has_filename()) folder = folder.parent_path();
  const ProjectName name = read_name(folder.filename().string());
  std::error_code error;
  if (fs::exists(folder, error) && !fs::is_empty(folder, error))
    throw Error(fmt::format("{} is there already: name a new folder", folder.string()));
  fs::create_directories(folder, error);
  if (error) throw Error(fmt::format("cannot make {}: {}", folder.string(), error.message()));
  const std::pair<std::string, const char*> files[] = {
      {"CMakeLists.txt", project_cmake()},  {"README.md", project_readme()},
      {name.file + ".h", project_header()}, {name.file + ".cpp", project_source()},
      {"test_model.cpp", project_test()},   {"robot.cpp", project_robot()}};
  Json written = Json::array();
  for (const auto& [file, text] : files) {
    replace_file((folder / file).string(), with_name(text, name));
    written.push_back(file);
  }
  if (o.common.json)
    print_json({{"folder", folder.string()}, {"files", written}});
  else
    fmt::print(
        "{}: begin with {}.h; README.md says how to solve and test it\n"
        "  cd {} && penumbra solve {}.cpp --time 10s -o {}.policy\n",
        folder.string(), name.file, folder.string(), name.file, name.plain);
  return kOk;
}

}  // namespace

std::function<int()> declare_new(Flags& flags) {
  auto o = std::make_shared<NewArguments>();
  flags.positional("FOLDER", o->folder, Need::kRequired, "to make, called as the project");
  declare_output(flags, o->common);
  flags.examples(kNewExamples);
  return [o] { return run(*o); };
}

}  // namespace penumbra::cli
