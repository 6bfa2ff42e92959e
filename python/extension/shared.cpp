#include "python/extension/shared.h"

#include <fmt/format.h>

#include <chrono>
#include <csignal>
#include <functional>
#include <thread>

#include "penumbra/base/error.h"

namespace penumbra::python {
namespace {

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

uint64_t this_thread() {
  return std::hash<std::thread::id>()(std::this_thread::get_id());
}

std::atomic<int> interrupts{0};  // since the newest Interruptible with signals began
static_assert(std::atomic<int>::is_always_lock_free);
struct sigaction python_action;

extern "C" void count_interrupt(int signal) {
  if (interrupts.fetch_add(1) == 0) return;
  if (python_action.sa_handler != SIG_DFL) return python_action.sa_handler(signal);
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

}  // namespace

HeldObject hold(py::object object) {
  return HeldObject(new py::object(std::move(object)), [](py::object* held) {
    if (!Py_IsInitialized()) {
      held->release();
    } else {
      py::gil_scoped_acquire gil;
      delete held;
      return;
    }
    delete held;
  });
}

namespace {

py::buffer_info request(const py::buffer& buffer, bool writable, const char* what) {
  py::buffer_info info = buffer.request(writable);
  py::ssize_t expected = info.itemsize;
  for (py::ssize_t d = info.ndim; d-- > 0;) {
    if (info.shape[d] > 1 && info.strides[d] != expected)
      throw Error(fmt::format("{} must be contiguous", what));
    expected *= info.shape[d];
  }
  return info;
}

}  // namespace

std::span<const std::byte> bytes_of(const py::buffer& buffer, const char* what) {
  const py::buffer_info info = request(buffer, false, what);
  return {static_cast<const std::byte*>(info.ptr), size_t(info.size) * size_t(info.itemsize)};
}

std::span<std::byte> writable_bytes_of(const py::buffer& buffer, const char* what) {
  const py::buffer_info info = request(buffer, true, what);
  return {static_cast<std::byte*>(info.ptr), size_t(info.size) * size_t(info.itemsize)};
}

ConstRecords records_of(const py::buffer& buffer, size_t record_size, const char* what) {
  const std::span<const std::byte> bytes = bytes_of(buffer, what);
  if (record_size == 0 || bytes.size() % record_size != 0)
    throw Error(fmt::format("{}: {} bytes are no whole number of records of {}", what, bytes.size(),
                            record_size));
  return {bytes.data(), record_size, bytes.size() / record_size};
}

Records writable_records_of(const py::buffer& buffer, size_t record_size, const char* what) {
  const ConstRecords r = records_of(buffer, record_size, what);
  return {writable_bytes_of(buffer, what).data(), r.size, r.count};
}

py::bytearray to_bytearray(const void* data, size_t size) {
  return py::reinterpret_steal<py::bytearray>(
      PyByteArray_FromStringAndSize(static_cast<const char*>(data), py::ssize_t(size)));
}

struct Interruptible::Before {
  struct sigaction action;
};

Interruptible::Interruptible(bool own_signals) : thread_(this_thread()) {
  if (!own_signals) return;
  struct sigaction now_there = {};
  sigaction(SIGINT, nullptr, &now_there);
  if (now_there.sa_handler == SIG_IGN) return;
  watches_ = true;
  if (now_there.sa_handler == count_interrupt) return;  // a call around this one has it
  before_ = std::make_unique<Before>();
  interrupts = 0;
  struct sigaction action = {};
  action.sa_handler = count_interrupt;
  action.sa_flags = SA_RESTART;
  sigaction(SIGINT, &action, &before_->action);
  python_action = before_->action;
}

Interruptible::~Interruptible() {
  if (before_) sigaction(SIGINT, &before_->action, nullptr);
}

Stop Interruptible::stop() {
  return [this] { return asked(); };
}

bool Interruptible::interrupted() const {
  return watches_ && interrupts.load(std::memory_order_relaxed) > 0;
}

bool Interruptible::asked() {
  if (ended_.load(std::memory_order_relaxed) || interrupted()) return true;
  if (this_thread() != thread_) return false;
  if (const double time = now(); time >= next_look_) {
    next_look_ = time + 0.1;
    py::gil_scoped_acquire gil;
    if (PyErr_CheckSignals() != 0) {
      raised_ = std::make_unique<py::error_already_set>();
      ended_ = true;
    }
  }
  return ended_.load(std::memory_order_relaxed);
}

void Interruptible::rethrow() {
  if (raised_) throw *raised_;
}

std::shared_ptr<const Pomdp> ModelHandle::finite() {
  if (model->facts().num_observations > 0) return model;
  if (!finite_) finite_ = make(true);
  return finite_;
}

}  // namespace penumbra::python
