// Reading records of a store that may not be there yet, and the policy that they are judged by.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "harness/cli/options/policy_options.h"
#include "harness/cli/options/store_options.h"
#include "harness/store/select.h"

namespace harness {

// The store for reading. A missing default store counts as empty, because both sides of a comparison may be
// files. Any other missing store is an error.
Result<std::unique_ptr<Store>> open_for_reading(const StoreOption& option);

// An error that begins with `option` when `name` can mean no side, so that a slip is not blamed on the other
// side. Call it before looking for either side.
Status check_side(const StoreOption& from, const std::string& option, const std::string& name);

// The records that `name` (revision, record or file) stands for, one a suite, read only.
Result<std::vector<Selected>> read_records(const SelectionOptions& from, const std::string& name);

// The policy in force for `current`: the command line's, the tree's waivers (beside the record's suite unless
// a file is named), and the spreads of the store's calibrations. decide_waivers() follows, once the baseline
// is known. All commands that compare two records use it, or add with_learned() where waivers are read before
// measuring.
Checked<Policy> policy_in_force(Store& store, const PolicyOptions& options, const Record& current);

// The same selection, which judges records that were never judged by `policy` before they serve as a
// baseline.
SelectOptions judged_by(const Policy& policy, SelectOptions select);

// Keeps in the store how the record was judged. Keeps verdicts of cases only for a baseline of its own
// history, because a named file or record may be anything.
Status keep_verdict(Store& store, const std::string& id, const Comparison& comparison);

}  // namespace harness
