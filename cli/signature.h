// Short seeded runs of every solver, limited by work and not by time. Their policies are condensed
// into one number: a change of it is a change of behaviour.
#pragma once

namespace penumbra::cli {

struct SignatureOptions {
  bool number_only = false, json = false;
  int threads = 0;
};
// Prints the number, or each run too; returns the exit code.
int print_signature(const SignatureOptions& options);

}  // namespace penumbra::cli
