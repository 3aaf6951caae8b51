#include "harness/model/fact.h"

namespace harness {
namespace {

const Figure::Value* find(const Figures& figures, std::string_view name) {
  for (const Figure& figure : figures)
    if (figure.name == name) return &figure.value;
  return nullptr;
}

}  // namespace

double number_in(const Figures& figures, std::string_view name, double fallback) {
  const Figure::Value* value = find(figures, name);
  if (value == nullptr) return fallback;
  if (const auto* real = std::get_if<double>(value)) return *real;
  if (const auto* whole = std::get_if<std::int64_t>(value)) return static_cast<double>(*whole);
  return fallback;
}

std::int64_t count_in(const Figures& figures, std::string_view name, std::int64_t fallback) {
  const Figure::Value* value = find(figures, name);
  const auto* whole = value == nullptr ? nullptr : std::get_if<std::int64_t>(value);
  return whole == nullptr ? fallback : *whole;
}

std::string text_in(const Figures& figures, std::string_view name) {
  const Figure::Value* value = find(figures, name);
  const auto* text = value == nullptr ? nullptr : std::get_if<std::string>(value);
  return text == nullptr ? std::string() : *text;
}

}  // namespace harness
