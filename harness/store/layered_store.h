// LayeredStore: a shared store that is only read, with one of its own before it, which takes all that is
// written. For jobs that may look up baselines but must not add any, such as those of a pull request.
#pragma once

#include <memory>

#include "harness/store/store.h"

namespace harness {

// Both as one store: `own` is the newer, and its records come first. Writing to a record of `shared` is
// ErrorKind::usage.
std::unique_ptr<Store> layered(std::unique_ptr<Store> own, std::unique_ptr<Store> shared);

// `own_url` before `shared_url`, as Store::open() has them; a shared store that is missing counts as empty.
Result<std::unique_ptr<Store>> open_layered(const std::string& own_url, const std::string& shared_url);

// Copies the complete records of `shared` that were read since it was opened into `own`, with their verdicts.
// Then `own` alone leads to the same verdict where a baseline was found. That there are records under another
// name or machine class only `shared` tells. Does nothing to a store of one layer.
Status keep_what_was_read(Store& store);

}  // namespace harness
