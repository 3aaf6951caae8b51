// Rounded JSON: a document on one line with its figures rounded, without ever holding it as a tree. Pure.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

namespace harness::report {

// `text` must be JSON. Numbers with a fraction or an exponent are rounded to `digits` significant ones.
// `row_end`, where it is given, returns what each object of the root's array "cases" gets behind its last
// member, such as R"("confidence":0.99)", by the object's place.
std::string rounded_json(std::string_view text, int digits,
                         const std::function<std::string(std::size_t row)>& row_end = {});

}  // namespace harness::report
