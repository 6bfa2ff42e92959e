// Arrays that start on a cache line, which is what the kernels expect of weights and activations.
#pragma once

#include <cstddef>
#include <new>
#include <vector>

namespace penumbra::nn {

inline constexpr size_t kLineBytes = 64;

template <class T>
struct AlignedAllocator {
  using value_type = T;

  AlignedAllocator() = default;
  template <class U>
  AlignedAllocator(const AlignedAllocator<U>&) {}

  T* allocate(size_t n) {
    return static_cast<T*>(::operator new (n * sizeof(T), std::align_val_t{kLineBytes}));
  }
  void deallocate(T* p, size_t) { ::operator delete (p, std::align_val_t{kLineBytes}); }
  bool operator==(const AlignedAllocator&) const { return true; }
};

template <class T>
using AlignedVector = std::vector<T, AlignedAllocator<T>>;

// Floats per panel of packed weights: one cache line, whatever the vector unit.
inline constexpr int kPanel = 16;

inline constexpr int padded(int columns) {
  return (columns + kPanel - 1) / kPanel * kPanel;
}

// Row stride of an activation matrix: room for one column more (a feature map's constant), and an
// odd number of cache lines, so that the rows of a tile spread over all cache sets instead of
// competing for a few.
inline constexpr int row_stride(int columns) {
  const int lines = padded(columns + 1) / kPanel;
  return (lines | 1) * kPanel;
}

}  // namespace penumbra::nn
