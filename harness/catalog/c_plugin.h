// Wraps a plug-in of the C ABI (sdk/plugin.h) into the SDK's classes, so that everything behind the catalog
// treats its variants like all others.
#pragma once

#include <string>

#include "harness/base/result.h"
#include "harness/sdk/plugin.h"
#include "harness/sdk/registry.h"

namespace harness {

// The exports of a plug-in. They are valid for the rest of the process.
struct PluginExports {
  const harness_plugin_description* description = nullptr;
  decltype(&harness_open) open = nullptr;
  decltype(&harness_tensors) tensors = nullptr;
  decltype(&harness_bind) bind = nullptr;
  decltype(&harness_run) run = nullptr;
  decltype(&harness_close) close = nullptr;
  const void* code = nullptr;                    // as Variant::code
  int joins = 0;                                 // not 0: its variants solve a workload that is there already
  decltype(&harness_prepare) prepare = nullptr;  // may be null
};

// Adds its workload, unless it joins one, and its variants. An error names what the description lacks.
Status add_c_plugin(const PluginExports& exports, sdk::Registry& registry);

// Reads the exports of a loaded library. False: it has none of them. An error names a missing one.
Result<bool> find_exports(void* library, PluginExports& exports);

}  // namespace harness
