// The names of an enum's values, listed once beside the enum. Files, messages and options all use this list.
//
//   enum class CacheMode { cold, hot };
//   template <>
//   inline constexpr auto enum_names<CacheMode> = names<CacheMode>({{CacheMode::cold, "cold"},
//                                                                   {CacheMode::hot, "hot"}});
//
// Then `name_of(CacheMode::cold)` is "cold" and `parse_name<CacheMode>("hot")` is CacheMode::hot.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace harness {

template <class Enum, std::size_t n>
using EnumNames = std::array<std::pair<Enum, std::string_view>, n>;

template <class Enum, std::size_t n>
constexpr EnumNames<Enum, n> names(std::pair<Enum, std::string_view> const (&list)[n]) {
  EnumNames<Enum, n> out{};
  for (std::size_t i = 0; i < n; ++i) out[i] = list[i];
  return out;
}

// Specialised for every enum that has names.
template <class Enum>
inline constexpr auto enum_names = nullptr;

template <class Enum>
concept NamedEnum =
    std::is_enum_v<Enum> && !std::is_same_v<std::remove_cvref_t<decltype(enum_names<Enum>)>, std::nullptr_t>;

// "?" for a value that the list does not hold.
template <NamedEnum Enum>
constexpr std::string_view name_of(Enum value) {
  for (const auto& [known, name] : enum_names<Enum>)
    if (known == value) return name;
  return "?";
}

template <NamedEnum Enum>
constexpr std::optional<Enum> parse_name(std::string_view name) {
  for (const auto& [value, known] : enum_names<Enum>)
    if (known == name) return value;
  return std::nullopt;
}

// All names in the order of the list, for help texts and suggestions.
template <NamedEnum Enum>
std::vector<std::string> all_names() {
  std::vector<std::string> out;
  for (const auto& [value, name] : enum_names<Enum>) out.emplace_back(name);
  return out;
}

}  // namespace harness
