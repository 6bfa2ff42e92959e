// Small changes to good files, thousands of them, always the same: each is read or refused with an
// Error, never anything else. tests/fuzz holds targets for a real fuzzer.
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "penumbra/base/rng.h"
#include "penumbra/io/pomdpx_file.h"
#include "tests/io/reading.h"

namespace penumbra {
namespace {

std::string text_of(const std::string& name) {
  std::ostringstream text;
  text << std::ifstream(data_file(name)).rdbuf();
  return text.str();
}

std::string mutated(std::string text, Rng& rng) {
  static const std::vector<std::string> kWords = {
      "0",     "1",         "-1",         "1e308", "nan",     "*",        "-",
      ":",     "T:",        "O: *",       "R:",    "uniform", "identity", "reset",
      "start", "states: 5", "9999999999", "<",     ">",       "</",       "/>",
      "\"",    "&amp;",     "<!--",       "-->",   "<Entry>", "</Entry>", "<Node var=\"move\">",
      "s0",    "\n",        "#",          " "};
  for (uint32_t n = 1 + rng.below(3); n > 0; --n) {
    const size_t at = rng.below(static_cast<uint32_t>(text.size() + 1));
    const size_t length = std::min<size_t>(rng.below(20), text.size() - at);
    switch (rng.below(4)) {
      case 0:
        text.erase(at, length);
        break;
      case 1:
        text.insert(at, kWords[rng.below(static_cast<uint32_t>(kWords.size()))]);
        break;
      case 2:
        text.insert(at, text.substr(rng.below(static_cast<uint32_t>(text.size())), length));
        break;
      default:
        if (at < text.size()) text[at] = static_cast<char>(rng.below(256));
    }
  }
  return text;
}

ReadOptions small() {
  ReadOptions options;
  options.memory_limit = 1e7;
  return options;
}

TEST(Mutations, OfPomdpFilesAreReadOrRefused) {
  int read = 0;
  for (const char* name : {"grammar.pomdp", "mdp.pomdp", "dialects.POMDP"})
    for (int i = 0; i < 4000; ++i) {
      Rng rng(RngKey::from_seed(7).fold(name), i);
      try {
        check_tabular(read_pomdp_text("m", mutated(text_of(name), rng), small()).table);
        ++read;
      } catch (const Error&) {
      }
    }
  EXPECT_GT(read, 500);
}

TEST(Mutations, OfPomdpxFilesAreReadOrRefused) {
  int read = 0;
  const std::string text = text_of("grammar.pomdpx");
  for (int i = 0; i < 6000; ++i) {
    Rng rng(RngKey::from_seed(8), i);
    try {
      check_tabular(read_pomdpx_text("m", mutated(text, rng), small()).table);
      ++read;
    } catch (const Error&) {
    }
  }
  EXPECT_GT(read, 100);
}

}  // namespace
}  // namespace penumbra
