// Memory that Python may use during one call. Afterwards it is taken away, whoever kept it.
#pragma once

#include <vector>

#include "penumbra/base/lane_rng.h"
#include "python/extension/shared.h"

namespace penumbra::python {

class Views {
 public:
  py::object read(const void* data, size_t size) {
    views_.push_back(py::memoryview::from_memory(const_cast<void*>(data), py::ssize_t(size), true));
    return views_.back();
  }
  py::object write(void* data, size_t size) {
    views_.push_back(py::memoryview::from_memory(data, py::ssize_t(size), false));
    return views_.back();
  }
  py::object read(ConstRecords r) { return read(r.data, r.size * r.count); }
  py::object write(Records r) { return write(r.data, r.size * r.count); }
  template <class T>
  py::object write(std::span<T> values) {
    return write(values.data(), values.size_bytes());
  }
  ~Views() {
    PyObject *type, *value, *traceback;
    PyErr_Fetch(&type, &value, &traceback);
    for (py::object& view : views_) {
      PyObject* result = PyObject_CallMethod(view.ptr(), "release", nullptr);
      Py_XDECREF(result);
      PyErr_Clear();
    }
    PyErr_Restore(type, value, traceback);
  }

 private:
  std::vector<py::object> views_;
};

inline py::object lane_rng(Streams streams, size_t lanes) {
  return py::cast(std::make_unique<LaneRng>(streams, lanes));
}

}  // namespace penumbra::python
