// Answers of the user about files of other tools, where they do not show it.
#pragma once

#include "harness/store/adapters/import_formats.h"

namespace CLI {
class App;
}  // namespace CLI

namespace harness {

// --case, --unit, --session, --same, --success-exit
void add_import_options(CLI::App& command, ImportOptions& options);

}  // namespace harness
