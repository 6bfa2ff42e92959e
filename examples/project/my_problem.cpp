// What the program loads: penumbra solve my_problem.cpp
#include "my_problem.h"

PENUMBRA_MODEL(MyProblem);
