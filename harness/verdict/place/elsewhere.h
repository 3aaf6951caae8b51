// Elsewhere: the series that a record's processes measured with the code at other places. All else of a
// comparison sees a record without them. Pure.
#pragma once

#include <algorithm>
#include <iterator>
#include <optional>
#include <string_view>
#include <unordered_map>

#include "harness/model/code/shifted_process.h"

namespace harness {

// Keeps a reference to the record.
class Elsewhere {
 public:
  explicit Elsewhere(const Record& whole) {
    for (const CaseRecord& one : whole.cases)
      if (has_shifted(one)) cases_.emplace(one.id, &one);
  }

  // The series of the same case and metric, with these processes alone.
  [[nodiscard]] Series of(const CaseRecord& record, const Series& series) const {
    Series found{series.metric, series.unit, series.direction, {}};
    const auto whole = cases_.find(record.id);
    if (whole == cases_.end()) return found;
    for (const Series& one : whole->second->series)
      if (one.metric == series.metric)
        std::copy_if(one.processes.begin(), one.processes.end(), std::back_inserter(found.processes),
                     [](const ProcessSamples& process) { return is_shifted(process.process); });
    return found;
  }

 private:
  std::unordered_map<std::string_view, const CaseRecord*> cases_;  // by id
};

// A copy without them, of a record that has some.
inline std::optional<Record> where_it_lies(const Record& whole) {
  return has_shifted(whole) ? std::optional(without_shifted(whole)) : std::nullopt;
}

}  // namespace harness
