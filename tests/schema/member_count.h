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

// Whether no two fields of the list are the same member.
template <HasFields T>
constexpr bool lists_each_member_once() {
  bool once = true;
  for_each_field<T>([&](const auto& one) {
    int same = 0;
    for_each_field<T>([&](const auto& other) {
      if constexpr (std::is_same_v<decltype(one.member), decltype(other.member)>)
        same += one.member == other.member ? 1 : 0;
    });
    once = once && same == 1;
  });
  return once;
}

// Whether the list of fields is exactly the members of the struct.
template <HasFields T>
constexpr bool lists_every_member() {
  return Described<T>::fields.size == member_count<T>() && lists_each_member_once<T>();
}

}  // namespace harness
