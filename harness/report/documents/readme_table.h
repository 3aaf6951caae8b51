// Readme table: one figure of every case of a record as a Markdown table, a row a shape and a column a
// variant, small enough for a README; and putting it there between two marks. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/result.h"
#include "harness/model/record.h"
#include "harness/model/summary.h"

namespace harness::report {

// What a table shows of each case.
enum class Shown { time, speedup, flops, bytes, items, share };

// By the names that the command line has; nullopt for others.
std::optional<Shown> parse_shown(std::string_view name);
std::vector<std::string> shown_names();

// The cases whose ids match any of `filters` (all when there is none), of the metric that their device
// times. A line below says where and when it was measured. An error when no case is left, or none has the
// figure.
Result<std::string> readme_table(const Record& record, const std::vector<Summary>& summaries,
                                 const std::vector<std::string>& filters, Shown shown);

// `text` with `table` between the lines `<!-- measured: NAME -->` and `<!-- end of NAME -->`, each of which
// must be there once, in this order.
Result<std::string> put_between_marks(std::string_view text, std::string_view name, std::string_view table);

}  // namespace harness::report
