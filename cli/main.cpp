// `penumbra`: one process. cluster/main.cpp is the same program on many.
#include "cli/program.h"

int main(int argc, char** argv) {
  penumbra::Alone alone;
  return penumbra::cli::run_program({argv + 1, argv + argc}, alone);
}
