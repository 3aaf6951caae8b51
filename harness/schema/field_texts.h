// The fields of a described struct with their documentation, for the texts that are made from it: the schema
// of suites and suites/settings.md.
//
//   for (const FieldText& one : field_texts<Sampling>()) print(one.key, one.fallback, one.doc);
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "harness/base/units.h"
#include "harness/schema/enum_names.h"
#include "harness/schema/fields.h"
#include "harness/schema/rare.h"

namespace harness {

enum class FieldKind { flag, integer, number, text, choice, list, object, objects };

struct FieldText {
  std::string_view name;  // in records: "width_samples"
  std::string_view key;   // in suites: "samples.min"
  std::string_view doc;
  FieldKind kind = FieldKind::text;
  Unit unit = Unit::none;
  double lowest = 0;
  double highest = 0;
  bool above_lowest = false;
  bool below_highest = false;
  double plain_below = 0;
  int fewest = 0;
  int most = 0;
  std::vector<std::string> choices;  // of an enum
  std::string fallback;  // the default as a suite writes it: "5", "300ms", "1%"; "" : there is none
  std::string sample;    // a value for error messages
  bool own_unit = false;
};

// "300ms", "60s": as parse_duration() reads it.
std::string duration_text(Seconds value);

// A number as a suite writes it: "300ms", "1%", "5".
std::string quantity_text(double value, Unit unit);

namespace fields_detail {

template <class T>
inline constexpr bool holds_optional = false;
template <class T>
inline constexpr bool holds_optional<std::optional<T>> = true;
template <class T>
inline constexpr bool holds_optional<Rare<T>> = true;
template <class T>
inline constexpr bool holds_list = false;
template <class T>
inline constexpr bool holds_list<std::vector<T>> = true;

template <class T>
void describe_type(FieldText& text, const T* fallback) {
  if constexpr (holds_optional<T>) {
    describe_type<typename T::value_type>(text, *fallback ? &**fallback : nullptr);
  } else if constexpr (std::is_same_v<T, bool>) {
    text.kind = FieldKind::flag;
    if (fallback != nullptr) text.fallback = *fallback ? "true" : "false";
  } else if constexpr (NamedEnum<T>) {
    text.kind = FieldKind::choice;
    text.choices = all_names<T>();
    if (fallback != nullptr) text.fallback = name_of(*fallback);
  } else if constexpr (std::is_arithmetic_v<T>) {
    text.kind = std::is_integral_v<T> ? FieldKind::integer : FieldKind::number;
    if (fallback != nullptr) text.fallback = quantity_text(static_cast<double>(*fallback), text.unit);
  } else if constexpr (std::is_same_v<T, std::string>) {
    if (fallback != nullptr) text.fallback = *fallback;
  } else {
    text.kind = FieldKind::object;
    if constexpr (holds_list<T>)
      text.kind = HasFields<typename T::value_type> ? FieldKind::objects : FieldKind::list;
  }
}

}  // namespace fields_detail

template <class Field>
FieldText field_text(const Field& field) {
  FieldText text;
  text.name = field.name;
  text.key = field.key.empty() ? field.name : field.key;
  text.doc = field.doc;
  text.unit = field.unit;
  text.lowest = field.lowest;
  text.highest = field.highest;
  text.above_lowest = field.above_lowest;
  text.below_highest = field.below_highest;
  text.plain_below = field.plain_below;
  text.fewest = field.fewest;
  text.most = field.most;
  fields_detail::describe_type(text, &default_of(field));
  text.own_unit = field.own_unit;
  text.sample = field.sample.empty() ? text.fallback : std::string(field.sample);
  return text;
}

template <HasFields Struct>
std::vector<FieldText> field_texts() {
  std::vector<FieldText> texts;
  for_each_field<Struct>([&](const auto& field) { texts.push_back(field_text(field)); });
  return texts;
}

}  // namespace harness
