// Memory for tables that are read at random: in large pages, where the system has them, an address is found sooner.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <new>

#include <sys/mman.h>

namespace tartib {

template <typename T> struct LargePages {
  using value_type = T;
  LargePages() = default;
  template <typename U> LargePages(const LargePages<U> &) {}

  T *allocate(size_t count) {
    constexpr size_t kPage = size_t{1} << 21;
    const size_t bytes = count * sizeof(T), align = bytes < 2 * kPage ? alignof(std::max_align_t) : kPage;
    void *found = std::aligned_alloc(align, (bytes + align - 1) / align * align);
    if (!found) throw std::bad_alloc();
#ifdef MADV_HUGEPAGE
    if (align == kPage) madvise(found, bytes, MADV_HUGEPAGE); // advice: it does not matter if it is not taken
#endif
    return static_cast<T *>(found);
  }
  void deallocate(T *memory, size_t) { std::free(memory); }
  bool operator==(const LargePages &) const { return true; }
};

} // namespace tartib
