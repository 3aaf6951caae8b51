// FreshPages: an allocator for large arrays of plain numbers. The system provides zeroed pages that no thread
// has touched yet, so several threads can fill an array. resize() within the capacity sets no elements.
#pragma once

#include <sys/mman.h>

#include <cstdlib>
#include <limits>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

namespace harness::sdk {

// g++ and clang++ say in different ways that AddressSanitizer watches.
#if defined(__SANITIZE_ADDRESS__)
inline constexpr bool addresses_are_watched = true;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
inline constexpr bool addresses_are_watched = true;
#else
inline constexpr bool addresses_are_watched = false;
#endif
#else
inline constexpr bool addresses_are_watched = false;
#endif

// An array of so many bytes has pages of 2 MiB where the system grants them, which are touched and given back
// in less time. AddressSanitizer guards only what malloc() returns, so with it no array is mapped.
inline constexpr std::size_t least_mapped_bytes =
    addresses_are_watched ? std::numeric_limits<std::size_t>::max() : std::size_t{4} << 20;

template <class T>
struct FreshPages {
  static_assert(std::is_trivial_v<T>, "zero bytes must be a value of it");
  using value_type = T;

  FreshPages() = default;
  template <class U>
  constexpr FreshPages(const FreshPages<U>&) noexcept {}  // NOLINT(google-explicit-constructor): an allocator

  [[nodiscard]] T* allocate(std::size_t count) {
    if (count > std::numeric_limits<std::size_t>::max() / sizeof(T)) throw std::bad_array_new_length();
    const std::size_t bytes = count * sizeof(T);
    void* memory = nullptr;
    if (bytes < least_mapped_bytes) {
      memory = std::calloc(count, sizeof(T));
    } else if (memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
               memory == MAP_FAILED) {
      memory = nullptr;
    } else {
      (void)madvise(memory, bytes, MADV_HUGEPAGE);  // a system without them has small pages
    }
    if (memory == nullptr) throw std::bad_alloc();
    return static_cast<T*>(memory);
  }
  void deallocate(T* memory, std::size_t count) noexcept {
    if (count * sizeof(T) < least_mapped_bytes)
      std::free(memory);
    else
      (void)munmap(memory, count * sizeof(T));
  }

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
