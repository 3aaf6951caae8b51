// The deep dive: one page of all suites, which their claims open.
#pragma once

#include <string>
#include <vector>

#include "harness/base/result.h"
#include "harness/cli/output/suite_outputs.h"
#include "harness/store/selected.h"
#include "harness/store/store.h"

namespace harness {

// The newest complete record of every suite that the store holds; whole ones before partial ones.
Result<std::vector<Selected>> newest_of_suites(Store& store, const std::string& suite);

// The claims of `suite_files`, checked with these records. No files: those that the records name, where these
// are here.
Checked<MakeReport> claims_of(const std::vector<Selected>& records, std::vector<std::string> suite_files);

}  // namespace harness
