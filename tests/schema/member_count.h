// Counts the members of an aggregate, so that a test sees a member that its list of fields lacks.
#pragma once

#include <cstddef>
#include <optional>
#include <type_traits>
#include <utility>

#include "harness/schema/fields.h"

namespace harness {
namespace member_count_detail {

template <class T>
inline constexpr bool is_optional = false;
template <class T>
inline constexpr bool is_optional<std::optional<T>> = true;

// Converts to any type. Not to an optional: its own constructor takes this already.
struct Anything {
  template <class T>
  requires(!is_optional<T>) operator T() const;  // NOLINT(google-explicit-constructor)
};

template <class T, std::size_t... index>
constexpr bool takes(std::index_sequence<index...> /*unused*/) {
  return requires {
    T{(static_cast<void>(index), Anything{})...};
  };
}

}  // namespace member_count_detail

template <class T, std::size_t count = 0>
constexpr std::size_t member_count() {
  static_assert(std::is_aggregate_v<T>);
  if constexpr (member_count_detail::takes<T>(std::make_index_sequence<count + 1>()))
    return member_count<T, count + 1>();
  else
    return count;
}

// Whether the list of fields holds as many members as the struct has.
template <HasFields T>
constexpr bool lists_every_member() {
  return Described<T>::fields.size == member_count<T>();
}

}  // namespace harness
