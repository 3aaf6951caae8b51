// Written: a struct of which a suite or the command line names some fields, each with its place. Keys that
// are not named stay as a weaker place set them.
#pragma once

#include <map>
#include <string_view>
#include <type_traits>
#include <utility>

#include "harness/base/result.h"
#include "harness/schema/fields.h"

namespace harness {

template <class Struct>
class Written {
 public:
  template <class Member>
  void set(Member Struct::*member, std::type_identity_t<Member> value, const Location& where = {}) {
    values_.*member = std::move(value);
    places_[name_of_field(member)] = where;
  }

  // The place of the value; null when the field is not named.
  template <class Member>
  [[nodiscard]] const Location* place_of(Member Struct::*member) const {
    const auto found = places_.find(name_of_field(member));
    return found == places_.end() ? nullptr : &found->second;
  }

  // Fields that are not named have their defaults.
  [[nodiscard]] const Struct& values() const { return values_; }

  void apply_to(Struct& target) const {
    for_each_field<Struct>([&](const auto& field) {
      if (places_.contains(field.name)) target.*field.member = values_.*field.member;
    });
  }

 private:
  template <class Member>
  static std::string_view name_of_field(Member Struct::*member) {
    std::string_view name;
    for_each_field<Struct>([&](const auto& field) {
      if constexpr (std::is_same_v<decltype(field.member), Member Struct::*>)
        if (field.member == member) name = field.name;
    });
    return name;
  }

  Struct values_;
  std::map<std::string_view, Location> places_;  // by the field's name
};

}  // namespace harness
