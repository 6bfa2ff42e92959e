// A folder in memory for readers that open files themselves.
#pragma once

#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <string>

inline const std::string& fuzz_folder() {
  static const std::string folder = [] {
    std::string name =
        std::filesystem::exists("/dev/shm") ? "/dev/shm/fuzz-XXXXXX" : "/tmp/fuzz-XXXXXX";
    if (!mkdtemp(name.data())) abort();
    static const struct Remove {
      std::string what;
      ~Remove() { std::filesystem::remove_all(what); }
    } remove{name};
    return name;
  }();
  return folder;
}

inline void put_file(const std::string& path, const unsigned char* data, size_t size) {
  std::ofstream(path, std::ios::binary).write(reinterpret_cast<const char*>(data), long(size));
}
inline void put_file(const std::string& path, const std::string& text) {
  put_file(path, reinterpret_cast<const unsigned char*>(text.data()), text.size());
}
