// The suites that a change deletes.
#pragma once

#include <string>

#include "harness/store/selected.h"

namespace harness {

// The suite files beside that of `current` which the merge base with the revision `baseline` has, and the
// tree has not: "suites/a.yaml, suites/b.yaml". A suite that only got another file name is none of them. ""
// where `baseline` is no revision.
std::string deleted_suites(const std::string& baseline, const Selected& current);

}  // namespace harness
