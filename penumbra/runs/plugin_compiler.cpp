#include "penumbra/runs/plugin_compiler.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <sstream>

#include "penumbra/base/error.h"
#include "penumbra/runs/version.h"

namespace penumbra {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> words_of(const std::string& text) {
  std::istringstream in(text);
  std::vector<std::string> words;
  for (std::string word; in >> word;) words.push_back(word);
  return words;
}

// Where a program is, by the rules of a shell; the name itself where it is nowhere.
std::string find_program(const std::string& name) {
  const char* path = std::getenv("PATH");
  if (name.find('/') != std::string::npos || !path) return name;
  std::istringstream folders(path);
  for (std::string folder; std::getline(folders, folder, ':');)
    if (const std::string file = folder + "/" + name; ::access(file.c_str(), X_OK) == 0)
      return file;
  return name;
}

// The file that this code is in: the program, or a library that another program has loaded.
fs::path own_file() {
  std::error_code error;
  Dl_info info;
  if (dladdr(reinterpret_cast<const void*>(&own_file), &info) != 0 && info.dli_fname)
    if (const fs::path file = info.dli_fname; file.is_absolute() && file.extension() == ".so")
      return file;
  return fs::read_symlink("/proc/self/exe", error);
}

// Folders that anybody may write to are none to take headers from.
bool has_headers(const fs::path& folder) {
  std::error_code error;
  const fs::perms allowed = fs::status(folder.parent_path(), error).permissions();
  return (allowed & fs::perms::others_write) == fs::perms::none &&
         fs::exists(folder / "penumbra/penumbra.h", error);
}

// PREFIX/include of what is installed; the source tree of what was only built. What is installed
// never looks where it was built: that folder may be anybody's on another machine.
std::string header_folder() {
  std::error_code error;
  const fs::path file = own_file();
  for (fs::path at = file.parent_path(); at != at.root_path(); at = at.parent_path()) {
    if (has_headers(at / "include")) return (at / "include").string();
    if (fs::equivalent(at, PENUMBRA_BUILD_FOLDER, error)) return PENUMBRA_SOURCE_FOLDER;
  }
  throw Error(fmt::format(
      "cannot compile a model: there is no include/penumbra/penumbra.h beside or above {}; install "
      "Penumbra's headers (apt-get install libpenumbra-dev g++, or cmake --install), or use a .so "
      "that was made elsewhere with penumbra build",
      file.parent_path().string()));
}

// As headers of the system: neither their warnings nor their names in the list of includes. Where
// compilers look anyway they must not be told to, or they no longer find those of C.
std::vector<std::string> header_flags() {
  const std::string folder = header_folder();
  if (folder == "/usr/include" || folder == "/usr/local/include") return {};
  return {"-isystem", folder};
}

std::vector<std::string> command_line(const std::string& source, const std::string& output) {
  std::vector<std::string> words = plugin_compiler();
  const std::vector<std::string> flags = words_of(PENUMBRA_PLUGIN_FLAGS);
  words.insert(words.end(), flags.begin(), flags.end());
  const std::vector<std::string> headers = header_flags();
  words.insert(words.end(), headers.begin(), headers.end());
  words.insert(words.end(), {fmt::format("-DPENUMBRA_CONTRACT=\"{}\"", plugin_contract()), "-MMD",
                             "-MF", output + ".d", "-o", output, source});
  return words;
}

// Runs it without a shell; gives its exit code and adds what it says to `said`.
int run(const std::vector<std::string>& words, std::string& said) {
  std::vector<char*> arguments;
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0)
    throw Error(fmt::format("cannot start {}: {}", words[0], std::strerror(errno)));
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDERR_FILENO);
  pid_t process = 0;
  const int failed =
      posix_spawnp(&process, arguments[0], &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  ::close(ends[1]);
  if (failed) {
    ::close(ends[0]);
    throw Error(
        fmt::format("cannot start the compiler {}: {}; install one (Debian: g++) or name it in CXX",
                    words[0], std::strerror(failed)));
  }
  char buffer[4096];
  for (ssize_t n; (n = ::read(ends[0], buffer, sizeof buffer)) != 0;) {
    if (n < 0 && errno != EINTR) break;
    if (n > 0) said.append(buffer, static_cast<size_t>(n));
  }
  ::close(ends[0]);
  int status = 0;
  while (::waitpid(process, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace

const char* plugin_contract() {
  return PENUMBRA_CONTRACT;
}

std::vector<std::string> plugin_compiler() {
  const char* named = std::getenv("CXX");
  std::vector<std::string> words = words_of(named ? named : "");
  if (words.empty()) words = {"c++"};
  words[0] = find_program(words[0]);
  return words;
}

std::string compilation_identity() {
  std::string text =
      fmt::format("{}\n{}\n{}\n", program_version(), plugin_contract(), PENUMBRA_PLUGIN_FLAGS);
  // A new version of a compiler is another file; asking it would take longer than loading.
  for (const std::string& word : plugin_compiler()) {
    std::error_code error;
    const fs::path file = fs::canonical(find_program(word), error);
    text += word + "\n";
    if (error) continue;
    text += fmt::format("{} {} {}\n", file.string(), fs::file_size(file, error),
                        fs::last_write_time(file, error).time_since_epoch().count());
  }
  return text;
}

std::string compile_plugin(const std::string& source, const std::string& output) {
  const std::vector<std::string> words = command_line(source, output);
  std::string said;
  if (run(words, said) != 0)
    throw Error(fmt::format("{} does not compile:\n{}\nThis was run: {}", source, said,
                            fmt::join(words, " ")));
  return said;
}

}  // namespace penumbra
