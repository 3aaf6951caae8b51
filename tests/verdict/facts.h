// Matchers for facts whose figures were computed: by code, and by figures within 1 %.
#pragma once

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>

#include "tests/model/fact_matchers.h"

namespace harness {

// Texts and whole numbers must be equal; other numbers may differ by 1 %.
inline bool has_figure(const Figures& figures, const Figure& wanted) {
  return std::any_of(figures.begin(), figures.end(), [&](const Figure& figure) {
    if (figure.name != wanted.name) return false;
    if (!std::holds_alternative<double>(wanted.value)) return figure.value == wanted.value;
    const double number = std::get<double>(wanted.value);
    return std::abs(number_in(figures, figure.name) - number) <= 0.01 * std::abs(number) + 1e-12;
  });
}

template <class Code>
FactMatcher<Code> coded(Code code) {
  return FactIs(code);
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
