#include "penumbra/io/replace_file.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "tests/error_of.h"

namespace penumbra {
namespace {

namespace fs = std::filesystem;

class ReplaceFile : public testing::Test {
 protected:
  ReplaceFile() { fs::create_directory(folder_); }
  ~ReplaceFile() override { fs::remove_all(folder_); }
  std::string at(const std::string& name) const { return (folder_ / name).string(); }
  static std::string text_of(const std::string& path) {
    std::ifstream in(path);
    return {std::istreambuf_iterator<char>(in), {}};
  }

 private:
  fs::path folder_ = fs::temp_directory_path() / ("penumbra_replace_" + std::to_string(::getpid()));
};

TEST_F(ReplaceFile, PutsANewFileInThePlaceOfAnOldOne) {
  replace_file(at("a"), std::string("old"));
  replace_file(at("a"), std::string("new"));
  EXPECT_EQ(text_of(at("a")), "new");
  EXPECT_EQ(std::distance(fs::directory_iterator(fs::path(at("a")).parent_path()), {}), 1);
}

TEST_F(ReplaceFile, FollowsLinksAlsoToWhatIsNotThereYet) {
  fs::create_directory(at("below"));
  fs::create_symlink("below/target", at("link"));
  replace_file(at("link"), std::string("through"));
  EXPECT_TRUE(fs::is_symlink(at("link")));
  EXPECT_EQ(text_of(at("below/target")), "through");
}

TEST_F(ReplaceFile, WritesToAPipeAsItIs) {
  ASSERT_EQ(::mkfifo(at("pipe").c_str(), 0600), 0);
  const int reader = ::open(at("pipe").c_str(), O_RDONLY | O_NONBLOCK);
  replace_file(at("pipe"), std::string("drop"));
  char read[8] = {};
  EXPECT_EQ(::read(reader, read, sizeof read), 4);
  EXPECT_STREQ(read, "drop");
  ::close(reader);
  EXPECT_TRUE(fs::is_fifo(at("pipe")));
}

TEST_F(ReplaceFile, WritesFilesInSharedMemory) {
  if (!fs::exists("/dev/shm")) GTEST_SKIP() << "there is no /dev/shm";
  const std::string path = "/dev/shm/penumbra_replace_" + std::to_string(::getpid());
  replace_file(path, std::string("old"));
  replace_file(path, std::string("new"));
  EXPECT_EQ(text_of(path), "new");
  fs::remove(path);
}

TEST_F(ReplaceFile, SaysWhichFolderIsMissing) {
  EXPECT_THAT(error_of([&] { replace_file(at("none/a"), std::string("x")); }),
              testing::AllOf(testing::HasSubstr("cannot create"),
                             testing::HasSubstr("there is no folder " + at("none"))));
}

}  // namespace
}  // namespace penumbra
