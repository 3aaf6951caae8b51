// Fills every described field with a value that is not its default and that occurs nowhere else.
#pragma once

#include <fmt/format.h>

#include "harness/schema/json_fields.h"

namespace harness {

class Filler {
 public:
  template <class T>
  void fill(T& value) {
    ++count_;
    if constexpr (std::is_same_v<T, bool>) {
      value = !value;
    } else if constexpr (std::is_same_v<T, sdk::Params>) {
      value = sdk::Params(
          {{"integer", std::int64_t{count_}}, {"real", 2.0}, {"text", fmt::format("{}", count_)}});
      value.set("flag", true);
    } else if constexpr (std::is_integral_v<T>) {
      value = static_cast<T>(1000 + count_);
    } else if constexpr (std::is_floating_point_v<T>) {
      value = 0.125 + count_;
    } else if constexpr (NamedEnum<T>) {
      value = enum_names<T>[enum_names<T>[0].first == value ? 1 : 0].first;
    } else if constexpr (fields_detail::is_optional<T>) {
      fill(value.emplace());
    } else if constexpr (fields_detail::is_list<T>) {
      value.clear();
      for (int i = 0; i < 2; ++i) fill(value.emplace_back());
    } else if constexpr (fields_detail::is_extent<T>) {
      for (auto& one : value) fill(one);
    } else if constexpr (fields_detail::is_map<T>) {
      for (int i = 0; i < 2; ++i) fill(value[fmt::format("key {}", ++count_)]);
    } else if constexpr (HasFields<T>) {
      for_each_field<T>([&](const auto& field) { fill(value.*field.member); });
    } else if constexpr (requires { value.code, value.figures; }) {  // a fact
      value.code = enum_names<decltype(value.code)>[1].first;
      value.figures = {{"count", count_}, {"number", 2.0}, {"text", "t"}};
    } else {
      value = fmt::format("{:040x}", count_);  // also good for the id of a commit
    }
  }

 private:
  int count_ = 0;
};

template <class T>
T filled() {
  T value;
  Filler().fill(value);
  return value;
}

// The names of the fields of `value` that have their default value. Filled structs have none.
template <HasFields T>
std::vector<std::string> fields_with_default(const T& value) {
  std::vector<std::string> names;
  for_each_field<T>([&](const auto& field) {
    if (has_default(field, value)) names.emplace_back(field.name);
  });
  return names;
}

}  // namespace harness
