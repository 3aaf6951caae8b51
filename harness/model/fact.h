// Fact: one finding of the program, as a code with figures. report/words/ puts facts into words. No code
// reads a sentence to learn what happened.
//
//   Fact<NoteCode>{NoteCode::forced_gates, {{"samples", 3}, {"of", 50}}}
//
// Figures carry the units of the rest of the program: seconds, bytes, shares (0.01 is 1 %).
#pragma once

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "harness/schema/enum_names.h"

namespace harness {

struct Figure {
  using Value = std::variant<std::int64_t, double, std::string>;

  Figure() = default;
  template <std::integral T>
  Figure(std::string_view of, T figure) : name(of), value(static_cast<std::int64_t>(figure)) {}
  Figure(std::string_view of, double figure) : name(of), value(figure) {}
  Figure(std::string_view of, std::string figure) : name(of), value(std::move(figure)) {}
  Figure(std::string_view of, const char* figure) : name(of), value(std::string(figure)) {}

  std::string name;  // "samples"
  Value value;

  bool operator==(const Figure&) const = default;
};

using Figures = std::vector<Figure>;

// The value of a figure, or the fallback when there is no such figure or it is of another kind. A whole
// number is also a number.
double number_in(const Figures& figures, std::string_view name, double fallback = 0);
std::int64_t count_in(const Figures& figures, std::string_view name, std::int64_t fallback = 0);
std::string text_in(const Figures& figures, std::string_view name);

template <class Code_>
struct Fact {
  using Code = Code_;

  Code code{};
  Figures figures = {};

  [[nodiscard]] double number(std::string_view name) const { return number_in(figures, name); }
  [[nodiscard]] std::int64_t count(std::string_view name) const { return count_in(figures, name); }
  [[nodiscard]] std::string text(std::string_view name) const { return text_in(figures, name); }

  bool operator==(const Fact&) const = default;
};

// A fact among the figures of another one: its code under `name`, then its own figures.
template <class Code>
void put_fact(Figures& figures, std::string_view name, const Fact<Code>& fact) {
  figures.emplace_back(name, std::string(name_of(fact.code)));
  figures.insert(figures.end(), fact.figures.begin(), fact.figures.end());
}
template <class Code>
std::optional<Fact<Code>> fact_in(const Figures& figures, std::string_view name) {
  const std::optional<Code> code = parse_name<Code>(text_in(figures, name));
  if (!code) return std::nullopt;
  return Fact<Code>{*code, figures};
}

}  // namespace harness
