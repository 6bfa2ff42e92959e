// Whether the model keeps its promises: likelihood and step agree, rewards are in their range, ...
#include <cstdio>

#include "my_problem.h"
#include "penumbra/model/check_model.h"

int main() {
  const auto model = penumbra::adapt(MyProblem{});
  const auto problems = penumbra::check_model(*model);
  for (const std::string& problem : problems) std::puts(problem.c_str());
  return problems.empty() ? 0 : 1;
}
