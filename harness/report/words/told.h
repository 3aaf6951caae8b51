// Told: the figures of one fact as text, or of several facts with the same code. Where several differ, a
// number is told as a range: "12 to 18". Pure.
#pragma once

#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/model/fact.h"

namespace harness::report {

class Told {
 public:
  explicit Told(const Figures& figures) : all_{&figures} {}
  // At least one; they are not owned.
  explicit Told(std::vector<const Figures*> all) : all_(std::move(all)) {}

  // Words of the first fact: texts, and numbers that the choice of words depends on.
  [[nodiscard]] bool has(std::string_view name) const;
  [[nodiscard]] std::string text(std::string_view name) const { return text_in(*all_.front(), name); }
  [[nodiscard]] double value(std::string_view name) const { return number_in(*all_.front(), name); }

  // Numbers, written by `format`, or by a format string such as "{:.2f}" after multiplying by `factor`.
  using Format = std::function<std::string(double)>;
  std::string number(std::string_view name, const Format& format) const;
  std::string number(std::string_view name, const char* format, double factor = 1) const;
  std::string percent(std::string_view name, const char* format = "{:.2f}") const;
  std::string count(std::string_view name) const { return number(name, "{:.0f}"); }
  // "1 process", "3 processes", "3 to 5 processes".
  std::string counted(std::string_view name, std::string_view one, std::string_view many) const;

  // For each fact the numbers told so far that differ between the facts, in the order in which the first
  // fact holds them: "13.66, 8.431".
  [[nodiscard]] std::vector<std::string> differing() const;

 private:
  std::vector<const Figures*> all_;
  mutable std::map<std::ptrdiff_t, std::vector<std::string>> differing_;  // by the place in the first fact
};

}  // namespace harness::report
