// All that a model of one's own needs: the contract (model/model.h), adapt(), parameters, and
// PENUMBRA_MODEL for a file that the program loads. Solvers, policies and scores have headers of
// their own, so that a model compiles fast.
#pragma once

#include "penumbra/base/error.h"
#include "penumbra/base/spec.h"
#include "penumbra/model/adapt.h"
#include "penumbra/model/plugin.h"
