// What the parts of the extension share: memory of Python's, calls that may be interrupted, and the
// handles behind Python's Model, Policy and Player.
#pragma once

#include <pybind11/functional.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <memory>
#include <span>
#include <string>

#include "penumbra/io/policy_file.h"
#include "penumbra/model/pomdp.h"
#include "penumbra/policy/policy.h"
#include "penumbra/runs/common_options.h"
#include "penumbra/runs/load.h"
#include "penumbra/runs/solve_job.h"

namespace penumbra::python {

namespace py = pybind11;

// A Python object that may be dropped by a thread without the GIL, or after the interpreter's end.
using HeldObject = std::shared_ptr<py::object>;
HeldObject hold(py::object object);

// The memory of a contiguous buffer (bytes, a NumPy array ...); `what` is for the message.
std::span<const std::byte> bytes_of(const py::buffer& buffer, const char* what);
std::span<std::byte> writable_bytes_of(const py::buffer& buffer, const char* what);
ConstRecords records_of(const py::buffer& buffer, size_t record_size, const char* what);
Records writable_records_of(const py::buffer& buffer, size_t record_size, const char* what);
template <class T>
std::span<T> writable_of(const py::buffer& buffer, const char* what) {
  const std::span<std::byte> bytes = writable_bytes_of(buffer, what);
  return {reinterpret_cast<T*>(bytes.data()), bytes.size() / sizeof(T)};
}
template <class T>
std::span<const T> values_of(const py::buffer& buffer, const char* what) {
  const std::span<const std::byte> bytes = bytes_of(buffer, what);
  return {reinterpret_cast<const T*>(bytes.data()), bytes.size() / sizeof(T)};
}
// Memory that NumPy can view and write to.
py::bytearray to_bytearray(const void* data, size_t size);
template <class T>
py::bytearray to_bytearray(const std::vector<T>& values) {
  return to_bytearray(values.data(), values.size() * sizeof(T));
}

// While one lives, the first Ctrl-C asks the call to end and does nothing else; a second one is
// Python's again. Only the main thread may have one with signals. `stop` may be called from any
// thread; on the one that made it Python's other signal handlers run about ten times a second.
class Interruptible {
 public:
  explicit Interruptible(bool own_signals);
  ~Interruptible();
  Interruptible(const Interruptible&) = delete;
  Interruptible& operator=(const Interruptible&) = delete;

  Stop stop();
  void ask_to_end() { ended_ = true; }
  bool interrupted() const;
  // Throws what a signal handler raised on the way. Needs the GIL.
  void rethrow();

 private:
  bool asked();

  struct Before;
  std::unique_ptr<Before> before_;
  bool watches_ = false;
  uint64_t thread_;
  std::atomic<bool> ended_{false};
  double next_look_ = 0;
  std::unique_ptr<py::error_already_set> raised_;
};

// A model as Python holds it.
struct ModelHandle {
  std::string text;  // what loads it: a domain, a path, or python:NAME
  ModelSource make;  // another one of it
  std::shared_ptr<const Pomdp> model;
  std::shared_ptr<const ModelFile> file{};  // what was read, if it was

  // With finite observations: itself, or clustered; made once.
  std::shared_ptr<const Pomdp> finite();

 private:
  std::shared_ptr<const Pomdp> finite_;
};

// A policy at work on a model, which it keeps alive.
struct Player {
  std::shared_ptr<const Pomdp> model;
  std::shared_ptr<const Policy> policy;
};

struct PolicyHandle {
  PolicyFile file;
};

// The options that keywords gave, as texts.
using Settings = std::vector<std::pair<std::string, std::string>>;

void bind_rng(py::module_& m);
void bind_models(py::module_& m);
void bind_python_models(py::module_& m);
void bind_policies(py::module_& m);
void bind_scores(py::module_& m);
void bind_lanes(py::module_& m);
void bind_solving(py::module_& m);

}  // namespace penumbra::python
