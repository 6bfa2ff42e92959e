// Short seeded runs of every solver, limited by work and not by time. Their policies are condensed
// into one number: a change of it is a change of behaviour.
#pragma once

#include <string>

namespace penumbra::cli {

// What rounding depends on: what the program was compiled for, and the kernels that it chose.
std::string instruction_set();

struct SignatureOptions {
  bool number_only = false, json = false;
  int threads = 0;
};
// Prints the number, or each run too; returns the exit code.
int print_signature(const SignatureOptions& options);

}  // namespace penumbra::cli
