// JSON parts: building blocks of the JSON reports. Numbers that JSON cannot hold (NaN, infinities)
// become null; text that is not UTF-8 is repaired, so that a report can always be written. Pure.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "harness/model/plan.h"
#include "harness/model/results/comparison.h"
#include "harness/model/results/summary.h"

namespace harness::report {

using Json = nlohmann::ordered_json;

Json number(double value);
Json number(const std::optional<double>& value);
Json positive(double value);  // null for 0 and below: "not known"
Json interval_json(const std::optional<Interval>& interval);
Json location_json(const Location& where);  // null when there is none
Json revision_json(const Revision& revision);
Json suite_json(const SuiteIdentity& suite);
Json params_json(const sdk::Params& params);
// The whole reports, `harness-run-report` and `harness-comparison`.
std::string run_report(const Record& record, const std::vector<Summary>& summaries);
std::string comparison_report(const Comparison& comparison);
std::string dump(const Json& json);
// The same JSON without "##[", which a runner of GitHub's takes for a command. In JSON it can only stand
// inside a text.
std::string without_commands(std::string text);

}  // namespace harness::report
