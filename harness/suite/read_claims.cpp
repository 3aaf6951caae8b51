#include "harness/suite/read_claims.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdlib>
#include <utility>

#include "harness/base/filter.h"
#include "harness/base/text.h"

namespace harness {
namespace {

// "1.5x" of a speedup, "-47%" of a change, "0.01" of a value.
std::optional<double> number_of(std::string text, ClaimFigure figure) {
  double scale = 1;
  const auto takes = [&](char unit) { return text.size() > 1 && text.back() == unit; };
  if (figure == ClaimFigure::speedup && takes('x')) text.pop_back();
  if (figure == ClaimFigure::change) {
    if (!takes('%')) return std::nullopt;
    text.pop_back();
    scale = 100;
  }
  text = std::string(trim(text));
  char* end = nullptr;
  const double number = std::strtod(text.c_str(), &end);
  if (text.empty() || *end != '\0' || !std::isfinite(number)) return std::nullopt;
  return number / scale;
}

// ">= 1.5", "<= 2", "1.5 to 2".
std::optional<ClaimRange> range_of(const std::string& text, ClaimFigure figure) {
  const auto number = [&](std::size_t begin, std::size_t count = std::string::npos) {
    return number_of(std::string(trim(std::string_view(text).substr(begin, count))), figure);
  };
  ClaimRange range;
  if (const std::size_t to = text.find(" to "); to != std::string::npos) {
    range = {number(0, to), number(to + 4)};
    if (!range.least || !range.most || *range.least > *range.most) return std::nullopt;
    return range;
  }
  if (text.starts_with(">=")) range.least = number(2);
  if (text.starts_with("<=")) range.most = number(2);
  if (!range.least && !range.most) return std::nullopt;
  return range;
}

const char* examples_of(ClaimFigure figure) {
  switch (figure) {
    case ClaimFigure::speedup: return "`\">= 1.5\"`, `\"<= 1.1\"` or `\"1.5 to 2\"`";
    case ClaimFigure::change: return "`\"<= -47%\"`, `\">= 10%\"` or `\"-5% to 5%\"`";
    case ClaimFigure::difference:
      return "`\"<= -1\"`, `\">= 0.5\"` or `\"-0.5 to 0.5\"`, in the unit of the metric";
    case ClaimFigure::value: return "`\"<= 0.01\"`, `\">= 0.9\"` or `\"1 to 2\"`, in the unit of the metric";
  }
  return "";
}

class ClaimReader {
 public:
  ClaimReader(const std::string& file, ErrorList& errors) : file_(file), errors_(errors) {}

  std::optional<Claim> read(const YamlValue& value) {
    Claim claim;
    claim.where = at(value);
    for (const auto& [name, member] :
         {std::pair("says", &Claim::says), std::pair("source", &Claim::source), std::pair("of", &Claim::of),
          std::pair("against", &Claim::against), std::pair("metric", &Claim::metric)})
      if (const YamlValue* found = value.find(name)) claim.*member = found->text;
    if (const YamlValue* over = value.find("over"))
      claim.over = parse_name<ClaimScope>(over->text).value_or(ClaimScope::geometric_mean);
    if (const YamlValue* gate = value.find("gate")) claim.gate = gate->boolean;
    for (const char* filter : {"of", "against"})
      if (const YamlValue* found = value.find(filter))
        if (const Status readable = check_filter(found->text); !readable)
          errors_.add(at(*found), readable.error().message, readable.error().advice);
    if (!read_range(value, claim)) return std::nullopt;
    if (claim.figure != ClaimFigure::value && claim.against.empty()) {
      errors_.add(claim.where,
                  fmt::format("`{}` compares two cases, and `against` is missing", name_of(claim.figure)),
                  "name the cases that it is against, such as `against: linear_gelu/cublas_unfused/*`");
      return std::nullopt;
    }
    return claim;
  }

 private:
  [[nodiscard]] Location at(const YamlValue& value) const {
    return {file_, value.place.line, value.place.column};
  }

  bool read_range(const YamlValue& value, Claim& claim) {
    const YamlValue* range = nullptr;
    for (const auto& [figure, name] : enum_names<ClaimFigure>) {
      const YamlValue* found = value.find(name);
      if (found == nullptr) continue;
      if (range != nullptr) {
        errors_.add(at(*found), fmt::format("a claim has one range, and this one has `{}`, too", name),
                    "write two claims");
        return false;
      }
      range = found;
      claim.figure = figure;
    }
    if (range == nullptr) {
      errors_.add(claim.where, "the claim has no range",
                  "add one of `speedup`, `change`, `difference` and `value`, such as `speedup: \">= 1.5\"`");
      return false;
    }
    const auto read = range_of(range->text, claim.figure);
    if (!read) {
      errors_.add(at(*range),
                  fmt::format("`{}`: {} is not a range", name_of(claim.figure), in_ticks(range->text)),
                  fmt::format("write {}", examples_of(claim.figure)));
      return false;
    }
    claim.range = *read;
    return true;
  }

  const std::string& file_;
  ErrorList& errors_;
};

}  // namespace

std::vector<Claim> read_claims(const YamlValue& list, const std::string& file, ErrorList& errors) {
  ClaimReader reader(file, errors);
  std::vector<Claim> claims;
  for (const YamlValue* entry : list.items)
    if (!entry->rejected)
      if (auto claim = reader.read(*entry)) claims.push_back(std::move(*claim));
  return claims;
}

}  // namespace harness
