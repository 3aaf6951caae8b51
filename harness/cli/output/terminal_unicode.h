// What standard output can show, and which formats a command has.
#pragma once

#include <string>
#include <vector>

#include "harness/cli/output/emit.h"

namespace harness {

// Whether the locale of the environment (LC_ALL, LC_CTYPE, LANG, in this order) is one of UTF-8.
bool terminal_has_unicode();

// An error when --format or --report names a format that `what` does not have.
Status check_formats(const OutputArguments& arguments, const std::string& what);

}  // namespace harness
