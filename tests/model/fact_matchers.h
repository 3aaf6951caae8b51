// Facts in tests: EXPECT_THAT(result.notes, ElementsAre(FactIs(NoteCode::forced_gates, {{"samples", 4}})))
#pragma once

#include <gmock/gmock.h>

#include <cmath>
#include <optional>
#include <ostream>
#include <utility>

#include "harness/model/fact.h"
#include "harness/schema/enum_names.h"
#include "harness/schema/rare.h"

namespace harness {

template <class Code>
std::ostream& operator<<(std::ostream& out, const Fact<Code>& fact) {
  out << name_of(fact.code);
  for (const Figure& figure : fact.figures) {
    out << ' ' << figure.name << '=';
    std::visit([&](const auto& value) { out << value; }, figure.value);
  }
  return out;
}

template <class Code>
std::ostream& operator<<(std::ostream& out, const std::optional<Fact<Code>>& fact) {
  return fact ? out << *fact : out << "no fact";
}

template <class Code>
std::ostream& operator<<(std::ostream& out, const Rare<Fact<Code>>& fact) {
  return fact ? out << *fact : out << "no fact";
}

inline bool same_value(const Figure& wanted, const Figures& figures) {
  if (const auto* text = std::get_if<std::string>(&wanted.value))
    return text_in(figures, wanted.name) == *text;
  const double value = number_in({wanted}, wanted.name), found = number_in(figures, wanted.name, NAN);
  return std::abs(found - value) <= 1e-9 * std::abs(value);
}

// A fact with this code that has at least these figures.
template <class Code>
struct FactMatcher {
  using is_gtest_matcher = void;

  // NOLINTBEGIN(readability-identifier-naming): GoogleMock's names
  bool MatchAndExplain(const Fact<Code>& fact, std::ostream*) const {
    if (fact.code != code) return false;
    for (const Figure& wanted : figures)
      if (!same_value(wanted, fact.figures)) return false;
    return true;
  }
  bool MatchAndExplain(const std::optional<Fact<Code>>& fact, std::ostream* out) const {
    return fact && MatchAndExplain(*fact, out);
  }
  void DescribeTo(std::ostream* out) const { *out << "is " << Fact<Code>{code, figures}; }
  void DescribeNegationTo(std::ostream* out) const { *out << "is not " << Fact<Code>{code, figures}; }
  // NOLINTEND(readability-identifier-naming)

  Code code;
  Figures figures;
};

// A fact told in a sentence that holds this text.
MATCHER_P(Says, text, "") {
  return arg.text("text").find(text) != std::string::npos;
}

template <class Code>  // NOLINTNEXTLINE(readability-identifier-naming): as gmock names matchers
FactMatcher<Code> FactIs(Code code, Figures figures = {}) {
  return {code, std::move(figures)};
}

}  // namespace harness
