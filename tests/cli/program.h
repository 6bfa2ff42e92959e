// Runs the program as a shell would, and keeps what it said.
#pragma once

#include <sys/wait.h>

#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

#include "tests/folder.h"

struct Said {
  int code = -1;  // exit code, or 128 + signal
  std::string out, err;
};

inline std::string text_of(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

// `before` goes in front of the program's name: environment, timeout.
inline Said run(const std::string& arguments, const std::string& before = "") {
  const Folder folder;
  const std::string errors = folder.at("errors");
  const std::string line = before + " '" PENUMBRA_CLI "' " + arguments + " 2>" + errors;
  Said said;
  FILE* pipe = popen(line.c_str(), "r");
  char buffer[4096];
  while (const size_t n = fread(buffer, 1, sizeof buffer, pipe)) said.out.append(buffer, n);
  const int status = pclose(pipe);
  said.code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  said.err = text_of(errors);
  return said;
}

// The one object on stdout.
inline nlohmann::json run_json(const std::string& arguments) {
  return nlohmann::json::parse(run(arguments + " --json --quiet").out);
}
