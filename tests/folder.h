// A folder that goes away with the test.
#pragma once

#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <string>

struct Folder {
  std::string path = std::filesystem::temp_directory_path().string() + "/penumbra-" +
                     std::string(6, 'X');  // for mkdtemp to fill in

  Folder() { path = mkdtemp(path.data()); }
  Folder(const Folder&) = delete;
  ~Folder() { std::filesystem::remove_all(path); }

  std::string at(const std::string& name) const { return path + "/" + name; }
  // Returns where the file is.
  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(at(name)) << text;
    return at(name);
  }
};
