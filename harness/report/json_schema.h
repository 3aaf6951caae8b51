// JSON Schema (draft 4) of what json_fields.h writes of described structs. Nothing here knows any particular
// struct.
//
// A member's type decides, as it does for writing. A shape with a function `schema` tells its own:
//
//   struct InWords {
//     static void schema(JsonWriter& json) { write_list_schema<std::string>(json); }
//   };
//
// Members that are not described may come with a later version, so a schema allows others.
#pragma once

#include <string>
#include <type_traits>
#include <utility>

#include "harness/model/fact_fields.h"
#include "harness/model/results/summary.h"
#include "harness/schema/json_fields.h"

namespace harness {

template <class T>
void write_schema(JsonWriter& json);

namespace schema_detail {

template <class T>
inline constexpr bool is_fact = false;
template <class Code>
inline constexpr bool is_fact<Fact<Code>> = true;

template <class T>
inline constexpr bool is_described_list = false;
template <const auto& list>
inline constexpr bool is_described_list<ListOf<list>> = true;

inline void write_type(JsonWriter& json, std::string_view type) {
  json.open_object(JsonLayout::line).key("type").text(type).close();
}

template <class Shape>
concept TellsSchema = requires(JsonWriter& json) {
  Shape::schema(json);
};

template <const auto& list>
void write_list_of(JsonWriter& json, ListOf<list>*);

}  // namespace schema_detail

template <class T>
void write_list_schema(JsonWriter& json) {
  json.open_object().key("type").text("array");
  write_schema<T>(json.key("items"));
  json.close();
}

template <class List>
void write_object_schema(JsonWriter& json, const List& list);

namespace schema_detail {

template <const auto& list>
void write_list_of(JsonWriter& json, ListOf<list>*) {
  json.open_object().key("type").text("array");
  write_object_schema(json.key("items"), list);
  json.close();
}

template <class Write>
void write_or_null(JsonWriter& json, bool nullable, Write write) {
  if (!nullable) return write(json);
  json.open_object().key("anyOf").open_array();
  write_type(json, "null");
  write(json);
  json.close().close();
}

template <class Struct, class Make>
void write_entry(JsonWriter& json, const Derived<Make>& derived, const Struct*) {
  using Value = std::remove_cvref_t<std::invoke_result_t<const Make&, const Struct&>>;
  write_or_null(json.key(derived.name), derived.presence == Presence::null_when_default, write_schema<Value>);
}

template <class Struct, class List>
void write_entry(JsonWriter& json, const Group<List>& group, const Struct*) {
  write_object_schema(json.key(group.name), group.list);
}

template <class Struct, class Member, class Shape>
void write_entry(JsonWriter& json, const Field<Struct, Member, Shape>& field, const Struct*) {
  const bool nullable =
      field.presence == Presence::null_when_default || std::is_same_v<Shape, MaybeNotFinite>;
  write_or_null(json.key(field.name), nullable, [](JsonWriter& inner) {
    if constexpr (TellsSchema<Shape>)
      Shape::schema(inner);
    else if constexpr (is_described_list<Shape>)
      write_list_of(inner, static_cast<Shape*>(nullptr));
    else if constexpr (std::is_same_v<Shape, ByName>)
      write_type(inner, "object");
    else
      write_schema<Member>(inner);
  });
}

// Whether the entry is written whatever the struct holds.
template <class Make>
bool is_always(const Derived<Make>& derived) {
  return derived.presence != Presence::unless_default;
}
template <class List>
bool is_always(const Group<List>&) {
  return true;
}
template <class Struct, class Member, class Shape>
bool is_always(const Field<Struct, Member, Shape>& field) {
  if constexpr (HasAbsentValue<Field<Struct, Member, Shape>>) return false;
  return field.presence == Presence::null_when_default ||
         (field.presence == Presence::always && field.present_when == nullptr);
}

}  // namespace schema_detail

// The members of an object whose schema is open: "properties", to which `more` adds, then "required".
template <class List>
void write_members_schema(JsonWriter& json, const List& list, const DocumentFormat* format = nullptr,
                          void (*more)(JsonWriter&) = nullptr) {
  json.key("properties").open_object();
  if (format != nullptr) {
    json.key("format")
        .open_object(JsonLayout::line)
        .key("enum")
        .open_array()
        .text(format->name)
        .close()
        .close();
    json.key("version").open_object(JsonLayout::line).key("enum").open_array().integer(format->version);
    json.close().close();
  }
  for_each_field(list, [&](const auto& one) {
    schema_detail::write_entry(json, one, static_cast<const typename List::Struct*>(nullptr));
  });
  if (more != nullptr) more(json);
  json.close();
  json.key("required").open_array(JsonLayout::line);
  if (format != nullptr) json.text("format").text("version");
  for_each_field(list, [&](const auto& one) {
    if (schema_detail::is_always(one)) json.text(one.name);
  });
  json.close();
}

template <class List>
void write_object_schema(JsonWriter& json, const List& list) {
  json.open_object().key("type").text("object");
  write_members_schema(json, list);
  json.close();
}

template <class T>
void write_schema(JsonWriter& json) {
  if constexpr (std::is_same_v<T, bool>) {
    schema_detail::write_type(json, "boolean");
  } else if constexpr (std::is_integral_v<T>) {
    schema_detail::write_type(json, "integer");
  } else if constexpr (std::is_floating_point_v<T>) {
    schema_detail::write_or_null(json, true,
                                 [](JsonWriter& inner) { schema_detail::write_type(inner, "number"); });
  } else if constexpr (NamedEnum<T>) {
    json.open_object(JsonLayout::line).key("enum").open_array();
    for (const auto& [value, name] : enum_names<T>) json.text(name);
    json.close().close();
  } else if constexpr (fields_detail::is_optional<T>) {
    schema_detail::write_or_null(json, true, write_schema<typename T::value_type>);
  } else if constexpr (fields_detail::is_list<T> || fields_detail::is_set<T> || fields_detail::is_extent<T>) {
    write_list_schema<typename T::value_type>(json);
  } else if constexpr (fields_detail::is_map<T>) {
    json.open_object().key("type").text("object");
    write_schema<typename T::mapped_type>(json.key("additionalProperties"));
    json.close();
  } else if constexpr (std::is_same_v<T, Interval>) {
    json.open_object().key("type").text("array").key("minItems").integer(2).key("maxItems").integer(2);
    write_schema<double>(json.key("items"));
    json.close();
  } else if constexpr (schema_detail::is_fact<T>) {
    // A sentence that somebody else wrote stands in place of a code.
    schema_detail::write_or_null(json, false, [](JsonWriter& inner) {
      inner.open_object().key("anyOf").open_array();
      schema_detail::write_type(inner, "string");
      inner.open_object().key("type").text("object").key("properties").open_object();
      write_schema<typename T::Code>(inner.key("code"));
      inner.close().key("required").open_array(JsonLayout::line).text("code").close().close();
      inner.close().close();
    });
  } else if constexpr (std::is_same_v<T, sdk::Params>) {
    schema_detail::write_type(json, "object");
  } else if constexpr (HasFields<T>) {
    write_object_schema(json, Described<T>::fields);
  } else {
    static_assert(std::is_convertible_v<T, std::string_view>, "a type without a JSON form");
    schema_detail::write_type(json, "string");
  }
}

}  // namespace harness
