// One report of every kind, beside the plan, run and comparison of fixture.h. `name` is put wherever a name
// from outside can stand.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/report/documents.h"

namespace harness::fixture {

HistoryReport history(const std::string& name = "gelu/n=1");
BisectReport bisection(const std::string& name = "gelu/n=1");
CalibrationReport calibration(const std::string& name = "gelu/n=1");
// `lower_bound`: of the rate of the first row; above 0.01 it fails.
SelftestReport selftest(double lower_bound = 0.017, const std::string& name = "gelu/n=1");
Examination examination(const std::string& name = "python");
RecordList record_list(const std::string& name = "gelu/n=1");
TracedRun traced_run(const std::string& name = "gelu/n=1");
CodeChangeReport code_changes(const std::string& name = "gelu/n=1");
Retelling explanation(const std::optional<std::string>& name = {});

// The names of all reports.
std::vector<std::string> report_names();

// The reports that can be drawn with a name in every place.
std::vector<std::string> hostile_report_names();

// Draws the report of that name. Every name in it is `name`, if one is given. "" where there is nothing to
// draw.
std::string drawn(const std::string& report, Format format, const Style& style = {},
                  const std::optional<std::string>& name = {});

}  // namespace harness::fixture
