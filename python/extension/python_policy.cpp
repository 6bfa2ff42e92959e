#include "python/extension/python_policy.h"

#include "python/extension/views.h"

namespace penumbra::python {

PythonPolicy::PythonPolicy(HeldObject adapter) : adapter_(std::move(adapter)) {
  name_ = adapter_->attr("name").cast<std::string>();
  memory_size_ = adapter_->attr("memory_size").cast<size_t>();
}

void PythonPolicy::start(Streams streams, Records memory) const {
  py::gil_scoped_acquire gil;
  Views views;
  adapter_->attr("start")(lane_rng(streams, memory.count), views.write(memory));
}

void PythonPolicy::act(Records memory, Streams streams, Records action) const {
  py::gil_scoped_acquire gil;
  Views views;
  adapter_->attr("act")(views.write(memory), lane_rng(streams, action.count), views.write(action));
}

void PythonPolicy::observe(Records memory, ConstRecords action, ConstRecords seen,
                           Streams streams) const {
  if (memory_size_ == 0) return;
  py::gil_scoped_acquire gil;
  Views views;
  adapter_->attr("observe")(views.write(memory), views.read(action), views.read(seen),
                            lane_rng(streams, action.count));
}

}  // namespace penumbra::python
