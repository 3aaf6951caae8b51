// Matchers for facts, by code and figures.
#pragma once

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <ostream>

#include "harness/model/fact.h"
#include "harness/schema/enum_names.h"

namespace harness {

// For messages of failed tests.
inline void PrintTo(const Figure& figure, std::ostream* out) {
  *out << figure.name << "=";
  std::visit([&](const auto& value) { *out << value; }, figure.value);
}

template <NamedEnum Code>
void PrintTo(const Fact<Code>& fact, std::ostream* out) {
  *out << name_of(fact.code);
  for (const Figure& figure : fact.figures) {
    *out << " ";
    PrintTo(figure, out);
  }
}

// Texts and whole numbers must be equal; other numbers may differ by 1 %.
inline bool has_figure(const Figures& figures, const Figure& wanted) {
  return std::any_of(figures.begin(), figures.end(), [&](const Figure& figure) {
    if (figure.name != wanted.name) return false;
    if (!std::holds_alternative<double>(wanted.value)) return figure.value == wanted.value;
    const double number = std::get<double>(wanted.value);
    return std::abs(number_in(figures, figure.name) - number) <= 0.01 * std::abs(number) + 1e-12;
  });
}

MATCHER_P(coded, code, std::string(negation ? "is not " : "is ") + std::string(name_of(code))) {
  return arg.code == code;
}

// A fact with this code and at least these figures.
template <class Code>
auto fact(Code code, Figures figures) {
  return testing::Truly([code, figures = std::move(figures)](const Fact<Code>& one) {
    return one.code == code && std::all_of(figures.begin(), figures.end(), [&](const Figure& figure) {
             return has_figure(one.figures, figure);
           });
  });
}

}  // namespace harness
