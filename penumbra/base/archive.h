// Saving and restoring what a long computation has in memory. A class lists its fields once,
//
//   template <class Archive>
//   void archive(Archive& a) { a(round_, values_, nested_); }
//
// and both directions come from that list. A struct of a lower layer gets a free function
// `archive(a, value)` instead. Numbers are little-endian and bit for bit; a container is its
// length and its items. Archive::kLoading tells the direction where it matters.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "penumbra/base/error.h"

namespace penumbra {

static_assert(std::endian::native == std::endian::little, "archives copy numbers as they are");

class ByteSink {
 public:
  virtual ~ByteSink() = default;
  virtual void write(std::span<const std::byte> bytes) = 0;
};

class ByteSource {
 public:
  virtual ~ByteSource() = default;
  // Fills all of it; throws Error where there is not so much.
  virtual void read(std::span<std::byte> bytes) = 0;
  virtual uint64_t left() const = 0;
};

// In memory.
class BytesSink final : public ByteSink {
 public:
  void write(std::span<const std::byte> b) override {
    const size_t before = bytes.size();
    bytes.resize(before + b.size());
    if (!b.empty()) std::memcpy(bytes.data() + before, b.data(), b.size());
  }
  std::vector<std::byte> bytes;
};

class BytesSource final : public ByteSource {
 public:
  explicit BytesSource(std::span<const std::byte> bytes) : bytes_(bytes) {}
  void read(std::span<std::byte> out) override {
    if (out.size() > bytes_.size()) throw Error("saved state: it ends too early");
    if (!out.empty()) std::memcpy(out.data(), bytes_.data(), out.size());
    bytes_ = bytes_.subspan(out.size());
  }
  uint64_t left() const override { return bytes_.size(); }

 private:
  std::span<const std::byte> bytes_;
};

namespace detail {

template <class T>
constexpr bool kPlain =
    std::is_arithmetic_v<T> || std::is_enum_v<T> || std::is_same_v<T, std::byte>;

template <class A, class T>
concept ArchivesItself = requires(A& a, T& value) {
  value.archive(a);
};
template <class A, class T>
concept ArchivedByFunction = requires(A& a, T& value) {
  archive(a, value);
};

template <class T>
concept Contiguous = requires(T& c) {
  c.data();
  c.resize(size_t{1});
}
&&kPlain<typename T::value_type> && !std::is_same_v<T, std::vector<bool>>;

}  // namespace detail

class Saver {
 public:
  static constexpr bool kLoading = false;
  explicit Saver(ByteSink& sink) : sink_(sink) {}

  template <class... T>
  void operator()(T&... fields) {
    (field(fields), ...);
  }

 private:
  template <class T>
  void field(T& value) {
    using Value = std::remove_const_t<T>;
    if constexpr (detail::kPlain<Value>) {
      sink_.write(std::as_bytes(std::span(&value, 1)));
    } else if constexpr (detail::ArchivesItself<Saver, T>) {
      value.archive(*this);
    } else if constexpr (detail::ArchivedByFunction<Saver, T>) {
      archive(*this, value);
    } else if constexpr (std::is_array_v<Value>) {
      for (auto& item : value) field(item);
    } else if constexpr (detail::Contiguous<Value>) {
      size(value.size());
      sink_.write(std::as_bytes(std::span(value.data(), value.size())));
    } else {
      size(value.size());
      for (auto& item : value) field(item);
    }
  }
  void size(uint64_t count) { field(count); }

  ByteSink& sink_;
};

class Loader {
 public:
  static constexpr bool kLoading = true;
  explicit Loader(ByteSource& source) : source_(source) {}

  template <class... T>
  void operator()(T&... fields) {
    (field(fields), ...);
  }
  uint64_t left() const { return source_.left(); }

 private:
  template <class T>
  void field(T& value) {
    if constexpr (detail::kPlain<T>) {
      source_.read(std::as_writable_bytes(std::span(&value, 1)));
    } else if constexpr (detail::ArchivesItself<Loader, T>) {
      value.archive(*this);
    } else if constexpr (detail::ArchivedByFunction<Loader, T>) {
      archive(*this, value);
    } else if constexpr (std::is_array_v<T>) {
      for (auto& item : value) field(item);
    } else if constexpr (detail::Contiguous<T>) {
      value.resize(size(sizeof(typename T::value_type)));
      source_.read(std::as_writable_bytes(std::span(value.data(), value.size())));
    } else {
      const uint64_t count = size(1);
      value.clear();
      for (uint64_t i = 0; i < count; ++i) field(value.emplace_back());
    }
  }
  // Checked against the bytes that are left before anything is allocated.
  size_t size(uint64_t item_bytes) {
    uint64_t count;
    field(count);
    if (count > source_.left() / item_bytes) throw Error("saved state: a length runs past its end");
    return count;
  }

  ByteSource& source_;
};

}  // namespace penumbra
