// The extension behind the Python package: numbers and memory only. Arrays, hints and everything
// that people read are in python/penumbra.
#include "penumbra/base/error.h"
#include "python/extension/shared.h"

PYBIND11_MODULE(_penumbra, m) {
  using namespace penumbra;
  using namespace penumbra::python;
  m.doc() = "Penumbra's C++ half; import penumbra instead.";
  py::register_exception<Error>(m, "Error", PyExc_ValueError);
  py::register_exception<InvariantError>(m, "InvariantError", PyExc_RuntimeError);
  bind_rng(m);
  bind_models(m);
  bind_python_models(m);
  bind_policies(m);
  bind_scores(m);
  bind_lanes(m);
  bind_solving(m);
}
