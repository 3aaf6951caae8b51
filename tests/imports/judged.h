// Files of another tool, imported as both sides of a comparison and judged.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "harness/store/adapters/import_formats.h"
#include "harness/verdict/compare.h"

namespace harness {

using Files = std::vector<std::string>;  // the texts

// Relative steps of five processes, that sum to nought: sd about 0.16 %.
inline constexpr double steps[5] = {0.998, 0.999, 1, 1.001, 1.002};

// Five files, by a function of the factor of their times.
template <class Make>
Files five(double factor, Make make) {
  Files files;
  for (const double step : steps) files.push_back(make(factor * step));
  return files;
}

inline Checked<Record> record_of(const Files& files, const std::string& side,
                                 const ImportOptions& options = {}) {
  Import import(options);
  int number = 0;
  for (const std::string& text : files)
    if (auto added = import.add(text, side + std::to_string(++number)); !added)
      return tl::unexpected(added.error());
  return std::move(import).take();
}

inline std::vector<std::string> ids_of(const Record& record) {
  std::vector<std::string> ids;
  for (const CaseRecord& one : record.cases) ids.push_back(one.id);
  return ids;
}

struct Judged {
  std::string verdict;  // "refused" where a file was; "told" where nothing changed, but the user is told more
  std::string message;  // of the first error
  Comparison comparison;

  [[nodiscard]] std::string of(const std::string& case_id, const std::string& metric = "") const {
    for (const ComparisonRow& row : comparison.rows)
      if (row.case_id == case_id && (metric.empty() || row.metric == metric))
        return std::string(name_of(row.verdict)) + (row.informative ? " (informs)" : "");
    return "no row";
  }
};

inline Judged judge(const Files& baseline, const Files& current, const ImportOptions& options = {}) {
  Judged judged;
  const Checked<Record> before = record_of(baseline, "b", options), after = record_of(current, "c", options);
  if (!before || !after) {
    const std::vector<Error>& errors = before ? after.error() : before.error();
    judged.verdict = "refused";
    judged.message = errors.front().text();
    return judged;
  }
  judged.comparison = compare(*before, *after, Policy{});
  judged.verdict = std::string(name_of(judged.comparison.verdict));
  const bool told = !judged.comparison.differences.empty() || !judged.comparison.remarks.empty();
  if (told && judged.verdict == "unchanged") judged.verdict = "told";
  return judged;
}

}  // namespace harness
