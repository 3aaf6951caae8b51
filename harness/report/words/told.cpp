#include "harness/report/words/told.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "harness/report/numbers.h"

namespace harness::report {

bool Told::has(std::string_view name) const {
  return std::any_of(all_.front()->begin(), all_.front()->end(),
                     [&](const Figure& figure) { return figure.name == name; });
}

std::string Told::number(std::string_view name, const Format& format) const {
  const auto less = [&](const Figures* one, const Figures* other) {
    return number_in(*one, name) < number_in(*other, name);
  };
  const auto [least, most] = std::minmax_element(all_.begin(), all_.end(), less);
  const std::string low = format(number_in(**least, name)), high = format(number_in(**most, name));
  if (low == high) return low;
  const auto place = std::find_if(all_.front()->begin(), all_.front()->end(),
                                  [&](const Figure& figure) { return figure.name == name; });
  std::vector<std::string>& told = differing_[place - all_.front()->begin()];
  told.clear();
  for (const Figures* figures : all_) told.push_back(format(number_in(*figures, name)));
  return fmt::format("{} to {}", low, high);
}

std::string Told::number(std::string_view name, const char* format, double factor) const {
  return number(name, [&](double value) {
    return std::isfinite(value) ? fmt::format(fmt::runtime(format), value * factor) : std::string(unknown);
  });
}

std::string Told::percent(std::string_view name, const char* format) const {
  return number(name, format, 100) + " %";
}

std::string Told::counted(std::string_view name, std::string_view one, std::string_view many) const {
  const std::string text = count(name);
  return fmt::format("{} {}", text, text == "1" ? one : many);
}

std::vector<std::string> Told::differing() const {
  std::vector<std::string> lines(all_.size());
  for (const auto& [place, texts] : differing_)
    for (std::size_t i = 0; i < texts.size(); ++i) lines[i] += (lines[i].empty() ? "" : ", ") + texts[i];
  return lines;
}

}  // namespace harness::report
