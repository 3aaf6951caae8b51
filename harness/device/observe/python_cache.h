// Python's caches of compiled modules, `__pycache__/NAME.cpython-311.pyc`. Python takes one only where its
// source is there with the time and size that the cache names. Such a cache counts as its source: these times
// differ between two checkouts of the same files.
#pragma once

#include <string>

namespace harness {

// The source of a cache that Python would take. "": it is no cache, or it is out of date.
std::string source_of_python_cache(const std::string& path);

}  // namespace harness
