// A line of CSV.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace harness {

// Its fields, in quotation marks or bare; false where a quotation mark is open.
bool split_csv(std::string_view line, std::vector<std::string>& fields);

}  // namespace harness
