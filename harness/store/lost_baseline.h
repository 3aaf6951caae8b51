// Whether a change has lost its baseline.
#pragma once

#include <string>

#include "harness/store/selected.h"
#include "harness/store/store.h"

namespace harness {

// Whether the history behind `name` has a record of any suite and machine class. Ask it where there is no
// baseline: a change that renames its suite, or is measured on another machine, is not the first.
bool is_measured_otherwise(Store& store, const std::string& name, const Selected& current,
                           const SelectOptions& options);

// Whether the store has a complete record of the suite and device of `current` at another commit, on whatever
// branch. Then a change without a measured ancestor is not the first, either.
bool is_measured_on_another_branch(Store& store, const Selected& current);

}  // namespace harness
