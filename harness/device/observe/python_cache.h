// Python's caches of compiled modules, `__pycache__/NAME.cpython-311.pyc`. Python takes one only where its
// source is there with the time and size that the cache names, so it counts as this source: a start that
// finds a cache, and one that has to compile, do the same.
#pragma once

#include <string>

namespace harness {

inline constexpr const char* python_caches = "__pycache__";

// Whether a path is that of a cache, or of a folder of them.
bool is_python_cache(const std::string& path);

// The source of a cache. "": it is no cache, or Python takes it without looking at a source.
std::string source_of_python_cache(const std::string& path);

}  // namespace harness
