// FreshPages: an allocator for large arrays of plain numbers. The system provides zeroed pages that no thread
// has touched yet, so several threads can fill an array. resize() within the capacity sets no elements.
#pragma once

#include <cstdlib>
#include <limits>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

namespace harness::sdk {

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
