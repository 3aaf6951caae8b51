// The sentences of a document beside its tables, for the JSON of its report: none of a terminal's is left
// out.
#pragma once

#include <string>

#include "harness/model/document.h"

namespace harness::report {

// The JSON of a report with a last member `text`: headline, facts, lines, next steps, and the meaning of the
// exit status.
std::string with_text(std::string json, const Document& document);

}  // namespace harness::report
