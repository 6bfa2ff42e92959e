// pn.Rng: the streams of a batch. Every method gives one number per lane, from the same words as
// the C++ Rng of that lane.
#include <fmt/format.h>

#include <cmath>

#include "penumbra/base/error.h"
#include "penumbra/base/lane_rng.h"
#include "python/extension/shared.h"

namespace penumbra::python {
namespace {

// Found when first used, and never given back: the interpreter may end before this library does.
const py::object& numpy(const char* name) {
  static auto* all = new std::map<std::string, py::object>();
  const auto [at, is_new] = all->try_emplace(name);
  if (is_new) at->second = py::module_::import("numpy").attr(name);
  return at->second;
}

// An array of one number per lane, or `each` per lane, filled draw by draw.
template <class T, class Fill>
py::object array_of(LaneRng& rng, const py::object& each, const char* type, const Fill& fill) {
  if (each.is_none()) {
    py::object out = numpy("empty")(rng.lanes(), type);
    fill(writable_of<T>(out, "an array"));
    return out;
  }
  const auto k = each.cast<size_t>();
  py::object columns = numpy("empty")(py::make_tuple(k, rng.lanes()), type);
  const std::span<T> all = writable_of<T>(columns, "an array");
  for (size_t c = 0; c < k; ++c) fill(all.subspan(c * rng.lanes(), rng.lanes()));
  return numpy("ascontiguousarray")(columns.attr("T"));
}

void refuse_size(const py::kwargs& more) {
  if (more.empty()) return;
  if (more.contains("size"))
    throw py::type_error("lanes are implicit: leave out size; say each=k for k numbers per lane");
  throw py::type_error("there is no argument '" + py::str(more.begin()->first).cast<std::string>() +
                       "'");
}

// A number for all lanes, or one for each.
class PerLane {
 public:
  PerLane(const py::object& value, size_t lanes, const char* what) {
    if (py::isinstance<py::float_>(value) || py::isinstance<py::int_>(value)) {
      one_ = value.cast<double>();
      return;
    }
    array_ = numpy("ascontiguousarray")(value, "f8");
    all_ = values_of<double>(array_, what);
    if (array_.attr("ndim").cast<int>() == 0) {
      one_ = all_[0];
      all_ = {};
    } else if (all_.size() != lanes) {
      throw Error(
          fmt::format("rng: {} has {} numbers, there are {} lanes", what, all_.size(), lanes));
    }
  }
  double operator[](size_t i) const { return all_.empty() ? one_ : all_[i]; }
  bool is_one() const { return all_.empty(); }
  double one() const { return one_; }

 private:
  double one_ = 0;
  py::object array_;
  std::span<const double> all_;
};

py::object uniform(LaneRng& rng, const py::object& low, const py::object& high,
                   const py::object& each, const py::kwargs& more) {
  refuse_size(more);
  const PerLane from(low, rng.lanes(), "low"), to(high, rng.lanes(), "high");
  const bool plain = from.is_one() && to.is_one() && from.one() == 0 && to.one() == 1;
  return array_of<double>(rng, each, "f8", [&](std::span<double> out) {
    rng.uniform(out);
    if (plain) return;
    for (size_t i = 0; i < out.size(); ++i) out[i] = from[i] + (to[i] - from[i]) * out[i];
  });
}

py::object normal(LaneRng& rng, const py::object& mean, const py::object& deviation,
                  const py::object& each, const py::kwargs& more) {
  refuse_size(more);
  const PerLane m(mean, rng.lanes(), "mean"), d(deviation, rng.lanes(), "deviation");
  const bool plain = m.is_one() && d.is_one() && m.one() == 0 && d.one() == 1;
  return array_of<double>(rng, each, "f8", [&](std::span<double> out) {
    rng.normal(out);
    if (plain) return;
    for (size_t i = 0; i < out.size(); ++i) out[i] = m[i] + d[i] * out[i];
  });
}

py::object below(LaneRng& rng, const py::object& n, const py::object& each,
                 const py::kwargs& more) {
  refuse_size(more);
  const PerLane bound(n, rng.lanes(), "n");
  return array_of<int64_t>(rng, each, "i8", [&](std::span<int64_t> out) {
    const std::span<const uint32_t> bits = rng.bits32();
    for (size_t i = 0; i < out.size(); ++i) {
      if (!(bound[i] >= 1 && bound[i] < 0x1p32))
        throw Error("rng.below: n must be from 1 to 2^32 - 1");
      out[i] = static_cast<int64_t>((uint64_t{bits[i]} * static_cast<uint64_t>(bound[i])) >> 32);
    }
  });
}

py::object bernoulli(LaneRng& rng, const py::object& probability, const py::object& each,
                     const py::kwargs& more) {
  refuse_size(more);
  const PerLane p(probability, rng.lanes(), "probability");
  return array_of<bool>(rng, each, "?", [&](std::span<bool> out) {
    const std::span<const uint32_t> bits = rng.bits32();
    for (size_t i = 0; i < out.size(); ++i) out[i] = bits[i] * 0x1p-32 < p[i];
  });
}

// One row of weights for all lanes, or a row for each.
py::object categorical(LaneRng& rng, const py::object& weights, const py::kwargs& more) {
  refuse_size(more);
  const py::object array = numpy("ascontiguousarray")(weights, "f8");
  const std::span<const double> all = values_of<double>(array, "weights");
  const int dimensions = array.attr("ndim").cast<int>();
  const size_t rows = dimensions == 2 ? array.attr("shape")[py::int_(0)].cast<size_t>() : 1;
  if (dimensions < 1 || dimensions > 2 || (dimensions == 2 && rows != rng.lanes()))
    throw Error("rng.categorical: weights have the shape (choices,) or (lanes, choices)");
  const size_t choices = all.size() / std::max<size_t>(rows, 1);
  return array_of<int64_t>(rng, py::none(), "i8", [&](std::span<int64_t> out) {
    const std::span<const uint32_t> bits = rng.bits32();
    for (size_t i = 0; i < out.size(); ++i) {
      const std::span<const double> w = all.subspan(dimensions == 2 ? i * choices : 0, choices);
      double total = 0;
      for (double x : w) total += x;
      if (!(total > 0)) throw Error("rng.categorical: the weights of a lane sum to nothing");
      double rest = bits[i] * 0x1p-32 * total;
      int64_t last = 0;
      bool found = false;
      for (size_t c = 0; c < choices && !found; ++c) {
        if (w[c] <= 0) continue;
        last = static_cast<int64_t>(c);
        found = rest < w[c];
        rest -= w[c];
      }
      out[i] = last;
    }
  });
}

py::object bits(LaneRng& rng, const py::object& each) {
  return array_of<uint32_t>(rng, each, "u4", [&](std::span<uint32_t> out) {
    const std::span<const uint32_t> words = rng.bits32();
    std::copy(words.begin(), words.end(), out.begin());
  });
}

py::object seeds(LaneRng& rng) {
  return array_of<uint64_t>(rng, py::none(), "u8", [&](std::span<uint64_t> out) {
    const std::span<const uint32_t> high = rng.bits32();
    for (size_t i = 0; i < out.size(); ++i) out[i] = uint64_t{high[i]} << 32;
    const std::span<const uint32_t> low = rng.bits32();
    for (size_t i = 0; i < out.size(); ++i) out[i] |= low[i];
  });
}

}  // namespace

void bind_rng(py::module_& m) {
  const py::object none = py::none();
  py::class_<LaneRng>(
      m, "Rng",
      "Random numbers, one per lane. Lane i draws from a stream of its own, so that "
      "results depend neither on threads nor on how a batch is split.")
      .def(py::init([](uint64_t seed, size_t lanes, uint64_t first) {
             return std::make_unique<LaneRng>(Streams{RngKey::from_seed(seed), first}, lanes);
           }),
           py::arg("seed") = 1, py::arg("lanes") = 1, py::arg("first") = 0)
      .def_property_readonly("lanes", &LaneRng::lanes)
      .def_property_readonly("position", &LaneRng::position)
      .def("__len__", &LaneRng::lanes)
      .def("uniform", uniform, py::arg("low") = 0.0, py::arg("high") = 1.0, py::arg("each") = none,
           "Uniform from low to high: multiples of 2^-32 of the range.")
      .def(
          "uniform32",
          [](LaneRng& rng, const py::object& each) {
            return array_of<float>(rng, each, "f4",
                                   [&](std::span<float> out) { rng.uniform_float(out); });
          },
          py::arg("each") = none, "Uniform in [0, 1) as float32.")
      .def("normal", normal, py::arg("mean") = 0.0, py::arg("deviation") = 1.0,
           py::arg("each") = none, "Normal numbers, one draw each.")
      .def("below", below, py::arg("n"), py::arg("each") = none, "Whole numbers from 0 to n - 1.")
      .def("bernoulli", bernoulli, py::arg("probability"), py::arg("each") = none,
           "True with this probability.")
      .def("categorical", categorical, py::arg("weights"),
           "An index with a probability proportional to its weight.")
      .def("bits", bits, py::arg("each") = none, "32 random bits.")
      .def("seeds", seeds, "64 random bits, to seed another generator with.")
      .def("skip", &LaneRng::skip, py::arg("count") = 1, "Leaves out draws of every lane.")
      .def(
          "at",
          [](const LaneRng& rng, const py::object& lanes) {
            py::object index = numpy("asarray")(lanes);
            if (index.attr("dtype").attr("kind").cast<std::string>() == "b")
              index = numpy("flatnonzero")(index);
            const py::object whole = numpy("ascontiguousarray")(index, "i8");
            return std::make_unique<LaneRng>(rng.at(values_of<int64_t>(whole, "lanes")));
          },
          py::arg("lanes"),
          "The lanes of an index array or a mask, from the present position; this one stays.")
      .def(
          "fold",
          [](const LaneRng& rng, const py::object& word) {
            const RngKey key = py::isinstance<py::str>(word)
                                   ? rng.key().fold(word.cast<std::string>())
                                   : rng.key().fold(word.cast<uint64_t>());
            return std::make_unique<LaneRng>(Streams{key, rng.streams().first, rng.streams().ids},
                                             rng.lanes());
          },
          py::arg("word"), "Unrelated streams of the same lanes.");
}

}  // namespace penumbra::python
