// FreshPages: an allocator for large arrays of plain numbers. The system provides zeroed pages that no thread
// has touched yet, so several threads can fill an array. resize() within the capacity sets no elements.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <limits>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

namespace harness::sdk {

// Asks for large pages, because a gigabyte of small ones takes about a second to be touched first.
inline void use_large_pages(void* memory, std::size_t bytes) {
#ifdef MADV_HUGEPAGE
  constexpr std::size_t worth_it = std::size_t{8} << 20;
  if (bytes < worth_it) return;
  const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  const std::uintptr_t first = (reinterpret_cast<std::uintptr_t>(memory) + page - 1) / page * page;
  const std::uintptr_t end = (reinterpret_cast<std::uintptr_t>(memory) + bytes) / page * page;
  (void)madvise(reinterpret_cast<void*>(first), end - first,
                MADV_HUGEPAGE);  // NOLINT(performance-no-int-to-ptr)
#endif
}

template <class T>
struct FreshPages {
  static_assert(std::is_trivial_v<T>, "zero bytes must be a value of it");
  using value_type = T;

  FreshPages() = default;
  template <class U>
  constexpr FreshPages(const FreshPages<U>&) noexcept {}  // NOLINT(google-explicit-constructor): an allocator

  [[nodiscard]] T* allocate(std::size_t count) {
    if (count > std::numeric_limits<std::size_t>::max() / sizeof(T)) throw std::bad_array_new_length();
    void* const memory = std::calloc(count, sizeof(T));
    if (memory == nullptr) throw std::bad_alloc();
    use_large_pages(memory, count * sizeof(T));
    return static_cast<T*>(memory);
  }
  void deallocate(T* memory, std::size_t) noexcept { std::free(memory); }

  template <class U>
  void construct(U*) noexcept {}  // it is zero already
  template <class U, class... Arguments>
  void construct(U* at, Arguments&&... arguments) {
    ::new (static_cast<void*>(at)) U(std::forward<Arguments>(arguments)...);
  }

  template <class U>
  bool operator==(const FreshPages<U>&) const noexcept {
    return true;
  }
};

}  // namespace harness::sdk
