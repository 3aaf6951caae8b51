// Terminal lists: the facts of a header, and reasons with the cases that they apply to. Pure.
#pragma once

#include <span>
#include <string>
#include <utility>

#include "harness/report/documents/identity.h"
#include "harness/report/grid.h"
#include "harness/report/report.h"

namespace harness::report {

// "  revision  3f2c1d9", names aligned, values wrapped.
std::string fact_lines(std::span<const std::pair<std::string, std::string>> facts, const Style& style);

// A reason, then its cases as patterns with counts, or each with its figures where they differ: for reasons
// that many cases share.
std::string abridged_reason(const ReasonGroup& group, const Style& style);

// Every case by name, then the reason: for what must not be overlooked.
std::string full_reason(const ReasonGroup& group, const Style& style);

// Paints each line by itself, so that a pager or a log shows them right.
std::string painted_lines(const std::string& lines, Paint how, const Style& style);

}  // namespace harness::report
