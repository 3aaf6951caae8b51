// Saves what was measured where the store cannot keep it: it is full, read-only, or was deleted meanwhile.
#pragma once

#include "harness/base/result.h"
#include "harness/model/record.h"

namespace harness {

// Writes the record, as far as it was measured, to a file in the current folder. Where that cannot be
// written, the folder for temporary files is taken. Returns `error`, which then names the file. Without
// results nothing is written.
Error rescued(const Record& record, Error error);

}  // namespace harness
