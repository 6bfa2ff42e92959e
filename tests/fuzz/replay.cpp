// What the fuzzers have learned, read once more by every reader, with any compiler and sanitizer.
//   fuzz_replay FOLDER: one folder a reader in it (tests/fuzz/corpus), one file an input
// A reader that fails ends the program; the last line names the input.
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

// The targets of tests/fuzz/*_fuzz.cpp, each under a name of its own.
extern "C" {
using Reader = int(const unsigned char*, size_t);
Reader fuzz_pomdp, fuzz_pomdpx, fuzz_policy, fuzz_foreign_policy, fuzz_checkpoint, fuzz_run_log,
    fuzz_toml, fuzz_json;
}

int main(int argc, char** argv) {
  const struct {
    const char* name;
    Reader* read;
  } kReaders[] = {{"pomdp", fuzz_pomdp},
                  {"pomdpx", fuzz_pomdpx},
                  {"policy", fuzz_policy},
                  {"foreign_policy", fuzz_foreign_policy},
                  {"checkpoint", fuzz_checkpoint},
                  {"run_log", fuzz_run_log},
                  {"toml", fuzz_toml},
                  {"json", fuzz_json}};
  if (argc != 2) return std::fprintf(stderr, "fuzz_replay FOLDER\n"), 2;
  size_t total = 0;
  for (const auto& reader : kReaders) {
    const std::filesystem::path folder = std::filesystem::path(argv[1]) / reader.name;
    if (!std::filesystem::is_directory(folder) || std::filesystem::is_empty(folder))
      return std::fprintf(stderr, "%s: there is no input\n", folder.c_str()), 1;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
      std::printf("%s\n", entry.path().c_str());
      std::fflush(stdout);
      std::ifstream in(entry.path(), std::ios::binary);
      const std::vector<char> bytes{std::istreambuf_iterator<char>(in), {}};
      reader.read(reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size());
      ++total;
    }
  }
  std::printf("fuzz_replay: %zu inputs of %zu readers\n", total, std::size(kReaders));
}
