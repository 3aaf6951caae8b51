// Writes and reads described structs (fields.h) as JSON. Nothing here knows any particular struct.
//
// A member's type decides its form: numbers, text, true or false, the name of an enum's value, null for an
// empty optional, arrays, objects for described structs, maps and parameters. A field may name another shape:
//
//   field("phases", &ProcessResult::phases).as<ByName>()  // {"construct": 0.25, "sampling": 1.5}
//
// Whole numbers are at least 0 unless the field says otherwise.
#pragma once

#include <fmt/format.h>

#include <array>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "harness/base/text.h"
#include "harness/schema/enum_names.h"
#include "harness/schema/fields.h"
#include "harness/schema/json_reader.h"
#include "harness/schema/rare.h"
#include "harness/sdk/params.h"

namespace harness {

template <class T>
void write_json(JsonWriter& json, const T& value);
template <class T>
void read_json(const JsonNode& node, T& value, std::int64_t least = 0);

// Shapes -------------------------------------------------------------------------------------------------

struct Plain {
  template <class T>
  static void write(JsonWriter& json, const T& value) {
    write_json(json, value);
  }
  template <class T>
  static void read(const JsonNode& node, T& value, std::int64_t least) {
    read_json(node, value, least);
  }
};

// A list of structs as one object: their first field is the key, and the rest is the value. A rest of one
// field is written without its name.
struct ByName {
  template <class T>
  static void write(JsonWriter& json, const std::vector<T>& values);
  template <class T>
  static void read(const JsonNode& node, std::vector<T>& values, std::int64_t least);
};

// A list of structs of which only the fields in `list` are written.
template <const auto& list>
struct ListOf {
  template <class T>
  static void write(JsonWriter& json, const std::vector<T>& values);
  template <class T>
  static void read(const JsonNode& node, std::vector<T>& values, std::int64_t least);
};

// A number that may be NaN or infinite. Both are null in JSON, and null is read as NaN.
struct MaybeNotFinite {
  static void write(JsonWriter& json, double value) { json.number(value); }
  static void read(const JsonNode& node, double& value, std::int64_t /*least*/) {
    value = node.is_null() ? std::numeric_limits<double>::quiet_NaN() : node.number();
  }
};

// The name of an enum's value. An unknown name is no error and leaves the default: a later version may have
// written it.
struct KnownNameOrDefault {
  template <NamedEnum Enum>
  static void write(JsonWriter& json, Enum value) {
    json.text(name_of(value));
  }
  template <NamedEnum Enum>
  static void read(const JsonNode& node, Enum& value, std::int64_t /*least*/) {
    value = parse_name<Enum>(node.text()).value_or(value);
  }
};

// Writing ------------------------------------------------------------------------------------------------

namespace fields_detail {

template <class T>
inline constexpr bool is_optional = false;
template <class T>
inline constexpr bool is_optional<std::optional<T>> = true;
template <class T>
inline constexpr bool is_optional<Rare<T>> = true;
template <class T>
inline constexpr bool is_list = false;
template <class T>
inline constexpr bool is_list<std::vector<T>> = true;
template <class T>
inline constexpr bool is_set = false;
template <class T>
inline constexpr bool is_set<std::set<T>> = true;
template <class T>
inline constexpr bool is_extent = false;
template <class T, std::size_t n>
inline constexpr bool is_extent<std::array<T, n>> = true;
template <class T>
inline constexpr bool is_map = false;
template <class T>
inline constexpr bool is_map<std::map<std::string, T>> = true;

template <class List>
constexpr auto without_first(const List& list) {
  return std::apply(
      [&](const auto& /*first*/, const auto&... rest) {
        return list_fields<typename List::Struct>(list.layout, rest...);
      },
      list.entries);
}

}  // namespace fields_detail

// The first two members of a document.
inline void write_format(JsonWriter& json, const DocumentFormat& format) {
  json.key("format").text(format.name).key("version").integer(format.version);
}

// A shape with a value `when_absent` leaves out that one, and not the default of the struct. So a format
// keeps its meaning when a default changes.
template <class Field>
concept HasAbsentValue = requires {
  Field::Shape::when_absent;
};

template <class Field>
bool left_out(const Field& field, const typename Field::Struct& value) {
  if constexpr (HasAbsentValue<Field>)
    return value.*field.member == Field::Shape::when_absent;
  else
    return field.presence != Presence::always && has_default(field, value);
}

template <class List>
void write_object(JsonWriter& json, const List& list, const typename List::Struct& value, JsonLayout layout);

namespace fields_detail {

template <class Struct, class Make>
void write_entry(JsonWriter& json, const Derived<Make>& derived, const Struct& value) {
  const auto made = derived.make(value);
  bool is_default = derived.presence != Presence::always;
  if constexpr (requires { made.empty(); })
    is_default = is_default && made.empty();
  else
    is_default = is_default && made == decltype(made){};
  if (!is_default)
    write_json(json.key(derived.name), made);
  else if (derived.presence == Presence::null_when_default)
    json.key(derived.name).null();
}

template <class Struct, class List>
void write_entry(JsonWriter& json, const Group<List>& group, const Struct& value) {
  write_object(json.key(group.name), group.list, value, group.list.layout);
}

template <class Struct, class Field>
void write_entry(JsonWriter& json, const Field& field, const Struct& value) {
  const bool is_default = field.present_when != nullptr ? !field.present_when(value) : left_out(field, value);
  if (!is_default)
    Field::Shape::write(json.key(field.name), value.*field.member);
  else if (field.presence == Presence::null_when_default)
    json.key(field.name).null();
}

}  // namespace fields_detail

// The members of an object that is open.
template <class List>
void write_fields(JsonWriter& json, const List& list, const typename List::Struct& value) {
  for_each_field(list, [&](const auto& field) { fields_detail::write_entry(json, field, value); });
}

template <class List>
void write_object(JsonWriter& json, const List& list, const typename List::Struct& value, JsonLayout layout) {
  json.open_object(layout);
  write_fields(json, list, value);
  json.close();
}

inline void write_json(JsonWriter& json, const sdk::Params& params) {
  json.open_object(JsonLayout::line);
  for (const auto& [name, value] : params.entries()) {
    json.key(name);
    if (const auto* integer = std::get_if<std::int64_t>(&value))
      json.integer(*integer);
    else if (const auto* real = std::get_if<double>(&value))
      json.real(*real);
    else if (const auto* flag = std::get_if<bool>(&value))
      json.flag(*flag);
    else
      json.text(std::get<std::string>(value));
  }
  json.close();
}

template <class T>
void write_json(JsonWriter& json, const T& value) {
  if constexpr (std::is_same_v<T, bool>) {
    json.flag(value);
  } else if constexpr (std::is_integral_v<T>) {
    json.integer(value);
  } else if constexpr (std::is_floating_point_v<T>) {
    json.number(value);
  } else if constexpr (NamedEnum<T>) {
    json.text(name_of(value));
  } else if constexpr (fields_detail::is_optional<T>) {
    if (value)
      write_json(json, *value);
    else
      json.null();
  } else if constexpr (fields_detail::is_list<T>) {
    json.open_array(HasFields<typename T::value_type> ? JsonLayout::lines : JsonLayout::line);
    for (const auto& one : value) write_json(json, one);
    json.close();
  } else if constexpr (fields_detail::is_extent<T> || fields_detail::is_set<T>) {
    json.open_array(JsonLayout::line);
    for (const auto& one : value) write_json(json, one);
    json.close();
  } else if constexpr (fields_detail::is_map<T>) {
    json.open_object();
    for (const auto& [name, one] : value) write_json(json.key(name), one);
    json.close();
  } else if constexpr (HasFields<T>) {
    write_object(json, Described<T>::fields, value, Described<T>::fields.layout);
  } else {
    json.text(value);
  }
}

template <class T>
void ByName::write(JsonWriter& json, const std::vector<T>& values) {
  static constexpr auto rest = fields_detail::without_first(Described<T>::fields);
  json.open_object();
  for (const T& value : values) {
    json.key(value.*std::get<0>(Described<T>::fields.entries).member);
    if constexpr (rest.size == 1)
      write_json(json, value.*std::get<0>(rest.entries).member);
    else
      write_object(json, rest, value, rest.layout);
  }
  json.close();
}

template <const auto& list>
template <class T>
void ListOf<list>::write(JsonWriter& json, const std::vector<T>& values) {
  json.open_array();
  for (const T& value : values) write_object(json, list, value, list.layout);
  json.close();
}

// Reading ------------------------------------------------------------------------------------------------

// Reads an object's members into a struct. A member that is absent keeps the struct's value.
template <class List>
void read_fields(const JsonNode& node, const List& list, typename List::Struct& value) {
  std::array<std::string_view, List::size> names;
  std::array<const JsonValue*, List::size> found;
  std::size_t at = 0;
  for_each_field(list, [&](const auto& field) { names[at++] = field.name; });
  node.find_all(names, found);
  at = 0;
  for_each_field(list, [&](const auto& field) {
    const JsonValue* const there = found[at++];
    const JsonNode child =
        there == nullptr && field.is_required ? node.require(field.name) : node.member(field.name, there);
    auto& member = value.*field.member;
    if constexpr (HasAbsentValue<std::remove_cvref_t<decltype(field)>>)
      if (!child.present()) member = std::remove_cvref_t<decltype(field)>::Shape::when_absent;
    if (!child.present() || (field.presence == Presence::null_when_default && child.is_null())) return;
    std::remove_cvref_t<decltype(field)>::Shape::read(child, member, field.least);
    if (field.check != nullptr) field.check(child, member);
  });
}

// A check for lists: no two elements have the same value of `key`.
template <class T, class Key>
void expect_unique(const JsonNode& node, const std::vector<T>& values, Key T::*key, std::string_view noun) {
  if (values.size() < 2) return;
  std::set<std::conditional_t<std::is_same_v<Key, std::string>, std::string_view, Key>> seen;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const Key& one = values[i].*key;
    if (seen.insert(one).second) continue;
    if constexpr (std::is_same_v<Key, std::string>)
      node.element(i).problem(fmt::format("repeats {} `{}`", noun, printable(one)));
    else
      node.element(i).problem(fmt::format("repeats {} {}", noun, one));
  }
}

inline void read_json(const JsonNode& node, sdk::Params& params, std::int64_t /*least*/ = 0) {
  std::vector<std::pair<std::string, sdk::Value>> entries;
  node.each_member([&](std::string_view name, const JsonNode& member) {
    if (auto value = member.scalar()) entries.emplace_back(name, std::move(*value));
  });
  params = sdk::Params(std::move(entries));
}

template <class T>
void read_json(const JsonNode& node, T& value, std::int64_t least) {
  if constexpr (std::is_same_v<T, bool>) {
    value = node.flag(value);
  } else if constexpr (std::is_integral_v<T>) {
    value = node.integer<T>(value, static_cast<T>(least));
  } else if constexpr (std::is_floating_point_v<T>) {
    value = node.number(value);
  } else if constexpr (NamedEnum<T>) {
    std::array<std::string_view, enum_names<T>.size()> names;
    for (std::size_t i = 0; i < names.size(); ++i) names[i] = enum_names<T>[i].second;
    value = enum_names<T>[node.choice(names)].first;
  } else if constexpr (fields_detail::is_optional<T>) {
    read_json(node, value.emplace(), least);
  } else if constexpr (fields_detail::is_list<T>) {
    value.clear();
    value.reserve(node.size());
    node.each_element([&](const JsonNode& one) { read_json(one, value.emplace_back(), least); });
  } else if constexpr (fields_detail::is_set<T>) {
    node.each_element([&](const JsonNode& one) {
      typename T::value_type element{};
      read_json(one, element, least);
      value.insert(std::move(element));
    });
  } else if constexpr (fields_detail::is_extent<T>) {
    std::size_t index = 0;
    node.each_element([&](const JsonNode& one) {
      if (index == value.size())
        return one.problem(fmt::format("is one too many; expected {}", value.size()));
      read_json(one, value[index++], least);
    });
  } else if constexpr (fields_detail::is_map<T>) {
    node.each_member(
        [&](std::string_view name, const JsonNode& one) { read_json(one, value[std::string(name)]); });
  } else if constexpr (HasFields<T>) {
    read_fields(node, Described<T>::fields, value);
  } else {
    value = node.text();
  }
}

template <class T>
void ByName::read(const JsonNode& node, std::vector<T>& values, std::int64_t least) {
  static constexpr auto rest = fields_detail::without_first(Described<T>::fields);
  node.each_member([&](std::string_view name, const JsonNode& member) {
    T& value = values.emplace_back();
    value.*std::get<0>(Described<T>::fields.entries).member = std::string(name);
    if constexpr (rest.size == 1)
      read_json(member, value.*std::get<0>(rest.entries).member, least);
    else
      read_fields(member, rest, value);
  });
}

template <const auto& list>
template <class T>
void ListOf<list>::read(const JsonNode& node, std::vector<T>& values, std::int64_t /*least*/) {
  values.reserve(node.size());
  node.each_element([&](const JsonNode& one) { read_fields(one, list, values.emplace_back()); });
}

// Whole texts --------------------------------------------------------------------------------------------

// A struct as one JSON object. `format` is written in front of its fields, where one is given.
template <class List>
std::string to_json(const List& list, const typename List::Struct& value, JsonLayout layout,
                    const DocumentFormat* format = nullptr) {
  JsonWriter json;
  json.open_object(layout);
  if (format != nullptr) write_format(json, *format);
  write_fields(json, list, value);
  json.close();
  return json.take();
}

// Reads the members of a JSON text into a struct that nobody filled, or returns the first problem. `source`
// names the text in errors.
template <class List>
Status read_text(const List& list, std::string_view text, const std::string& source,
                 typename List::Struct& value, const DocumentFormat* format = nullptr) {
  const auto reader = JsonReader::parse(text, {source});
  if (!reader) return fail(reader.error());
  if (format != nullptr) (*reader)->expect_format(*format);
  read_fields((*reader)->root(), list, value);
  if ((*reader)->error()) return fail(*(*reader)->error());
  return {};
}

// The struct that a JSON text holds, or the first problem.
template <class List>
Result<typename List::Struct> from_json(const List& list, std::string_view text, const std::string& source,
                                        const DocumentFormat* format = nullptr) {
  Result<typename List::Struct> value;
  if (Status read = read_text(list, text, source, *value, format); !read) return fail(read.error());
  return value;
}

}  // namespace harness
