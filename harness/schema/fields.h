// One list of fields for each struct that is written to files. The record, the worker protocol, the plan
// file, the JSON reports, the schema of suites and suites/settings.md all come from these lists.
//
//   template <>
//   struct Described<Verification> {
//     static constexpr auto fields = list_fields<Verification>(
//         JsonLayout::line,
//         field("before", &Verification::before).required(),
//         field("elements", &Verification::elements));
//   };
//
// To add a field to a format: add the member to the struct and one line to its list. A test counts the
// members of each struct and fails when one is not in the list. json_fields.h writes and reads the fields;
// field_texts.h lists them with their documentation. A list for a report, which is only written, may also
// have derived values and groups:
//
//   derived("exceeds", [](const ErrorRate& rate) { return rate.exceeds(); })
//   group("device", list_fields<Trend>(JsonLayout::line, field("uuid", &Trend::device_uuid)))
#pragma once

#include <concepts>
#include <cstdint>
#include <limits>
#include <string_view>
#include <tuple>

#include "harness/schema/json_writer.h"

namespace harness {

class JsonNode;

enum class Presence {
  always,             // written in any case
  unless_default,     // left out while it has its default value
  null_when_default,  // written as null while it has its default value
};

enum class Unit { none, seconds, microseconds, share, bytes };

// The JSON form that follows from the member's type. json_fields.h has other shapes.
struct Plain;

template <class Struct_, class Member_, class Shape_ = Plain>
struct Field {
  using Struct = Struct_;
  using Member = Member_;
  using Shape = Shape_;

  std::string_view name;
  Member Struct::*member;

  // Writing and reading.
  Presence presence = Presence::always;
  bool is_required = false;                       // a text without it is refused
  bool (*present_when)(const Struct&) = nullptr;  // in place of a comparison with the default
  void (*check)(const JsonNode&,
                const Member&) = nullptr;  // reports what is wrong with a value that was read
  std::int64_t least = 0;                  // of a whole number

  // Documentation, and what a suite may say.
  std::string_view doc = {};
  std::string_view key = {};  // in a suite, where it is not the name: "samples.max"
  Unit unit = Unit::none;
  double lowest = 0;  // in a suite
  double highest = std::numeric_limits<double>::infinity();
  bool above_lowest = false;                                     // `lowest` itself is refused
  bool below_highest = false;                                    // `highest` itself is refused
  double plain_below = std::numeric_limits<double>::infinity();  // of a share written without its %
  int fewest = 0;                                                // elements of a list
  int most = 0;
  std::string_view sample = {};  // a value for error messages, where the default is none
  bool own_unit = false;         // of a share: a number with the unit of a metric is possible, too

  [[nodiscard]] constexpr Field required() const { return with(&Field::is_required, true); }
  [[nodiscard]] constexpr Field unless_default() const {
    return with(&Field::presence, Presence::unless_default);
  }
  [[nodiscard]] constexpr Field null_when_default() const {
    return with(&Field::presence, Presence::null_when_default);
  }
  [[nodiscard]] constexpr Field when(bool (*condition)(const Struct&)) const {
    return with(&Field::present_when, condition);
  }
  [[nodiscard]] constexpr Field checked(void (*function)(const JsonNode&, const Member&)) const {
    return with(&Field::check, function);
  }
  [[nodiscard]] constexpr Field at_least(std::int64_t value) const { return with(&Field::least, value); }
  [[nodiscard]] constexpr Field says(std::string_view text) const { return with(&Field::doc, text); }
  [[nodiscard]] constexpr Field called(std::string_view path) const { return with(&Field::key, path); }
  [[nodiscard]] constexpr Field in(Unit value) const { return with(&Field::unit, value); }
  [[nodiscard]] constexpr Field within(double from, double to) const {
    return with(&Field::lowest, from).with(&Field::highest, to);
  }
  [[nodiscard]] constexpr Field above(double value) const {
    return with(&Field::lowest, value).with(&Field::above_lowest, true);
  }
  [[nodiscard]] constexpr Field below(double value) const {
    return with(&Field::highest, value).with(&Field::below_highest, true);
  }
  [[nodiscard]] constexpr Field up_to(double value) const { return with(&Field::highest, value); }
  // 5 instead of 5% is more likely than a share of 5: a plain number is accepted only below this.
  [[nodiscard]] constexpr Field plain_only_below(double value) const {
    return with(&Field::plain_below, value);
  }
  [[nodiscard]] constexpr Field elements(int from, int to) const {
    return with(&Field::fewest, from).with(&Field::most, to);
  }
  [[nodiscard]] constexpr Field or_in_own_unit() const { return with(&Field::own_unit, true); }
  [[nodiscard]] constexpr Field such_as(std::string_view text) const { return with(&Field::sample, text); }
  template <class Other>
  [[nodiscard]] constexpr Field<Struct, Member, Other> as() const {
    return {name,   member,  presence,     is_required,   present_when, check,  least, doc,    key,     unit,
            lowest, highest, above_lowest, below_highest, plain_below,  fewest, most,  sample, own_unit};
  }

 private:
  template <class Value>
  [[nodiscard]] constexpr Field with(Value Field::*part, Value value) const {
    Field changed = *this;
    changed.*part = value;
    return changed;
  }
};

template <class Struct, class Member>
constexpr Field<Struct, Member> field(std::string_view name, Member Struct::*member) {
  return {name, member};
}

// A value that is written but no member, such as the words of a fact: made from the struct by `make`.
template <class Make>
struct Derived {
  std::string_view name;
  Make make;
  Presence presence = Presence::always;  // against the default of the value's type

  [[nodiscard]] constexpr Derived unless_default() const { return {name, make, Presence::unless_default}; }
  [[nodiscard]] constexpr Derived null_when_default() const {
    return {name, make, Presence::null_when_default};
  }
};

template <class Make>
constexpr Derived<Make> derived(std::string_view name, Make make) {
  return {name, make};
}

// Members of the struct that are written together as an object of their own.
template <class List>
struct Group {
  std::string_view name;
  List list;
};

template <class List>
constexpr Group<List> group(std::string_view name, List list) {
  return {name, list};
}

template <class Struct_, class... Fields>
struct FieldList {
  using Struct = Struct_;
  static constexpr std::size_t size = sizeof...(Fields);

  JsonLayout layout;
  std::tuple<Fields...> entries;
};

template <class Struct, class... Fields>
constexpr FieldList<Struct, Fields...> list_fields(JsonLayout layout, Fields... fields) {
  return {layout, std::tuple(fields...)};
}

// The first list with the fields of the second after its own.
template <class Struct, class... First, class... Second>
constexpr FieldList<Struct, First..., Second...> operator+(const FieldList<Struct, First...>& first,
                                                           const FieldList<Struct, Second...>& second) {
  return {first.layout, std::tuple_cat(first.entries, second.entries)};
}

// Specialised beside each struct, with its list as `fields`.
template <class Struct>
struct Described;

template <class T>
concept HasFields = requires {
  Described<T>::fields;
};

// Calls `visit(field)` for each field, in order.
template <class List, class Visit>
constexpr void for_each_field(const List& list, Visit visit) {
  std::apply([&](const auto&... one) { (visit(one), ...); }, list.entries);
}
template <HasFields Struct, class Visit>
constexpr void for_each_field(Visit visit) {
  for_each_field(Described<Struct>::fields, visit);
}

// The value of a field in a struct that nobody filled.
template <class Field>
const typename Field::Member& default_of(const Field& field) {
  static const typename Field::Struct untouched{};
  return untouched.*field.member;
}

// Whether a struct has the default in a field. The default of a list and of an optional is to be empty. A
// value that cannot be compared is no default.
template <class Field>
bool has_default(const Field& field, const typename Field::Struct& value) {
  const auto& member = value.*field.member;
  if constexpr (requires(typename Field::Member list) { list.emplace_back(); })
    return member.empty();
  else if constexpr (requires { member.has_value(); })
    return !member.has_value();
  else if constexpr (std::equality_comparable<typename Field::Member>)
    return member == default_of(field);
  else
    return false;
}

}  // namespace harness
