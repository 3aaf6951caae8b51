// Puts a table into a README, between two marks. Pure.
#pragma once

#include <string>
#include <string_view>

#include "harness/base/result.h"

namespace harness::report {

// `text` with `table` between the lines `<!-- measured: NAME -->` and `<!-- end of NAME -->`. Each line must
// be there once, in this order.
Result<std::string> put_between_marks(std::string_view text, std::string_view name, std::string_view table);

}  // namespace harness::report
