// Files of Python as modules of a suite: `modules: [./cases.py]`. Only a worker process that a Python
// interpreter runs can call their cases (python/harness/worker.py). Elsewhere they can be planned: a child
// process says what a file brings, and answers for its tensors.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string_view>

#include "harness/base/result.h"
#include "harness/catalog/c_plugin.h"
#include "harness/sdk/registry.h"

namespace harness {

bool is_python_module(std::string_view path);

// Imports a file and gives what it brings, which stays valid. Returns how many, or -1 with a message.
using LoadPython = int (*)(const char* path, const PluginExports** exports, char* message,
                           std::size_t message_bytes);

// Says that a Python interpreter runs this process. Call it before the first module is loaded.
void run_in_python(LoadPython load);

// Adds what a file brings.
Status add_python_module(const std::filesystem::path& path, sdk::Registry& registry);

}  // namespace harness
