// Mapped objects: the shared objects that the loader has put into this process.
#pragma once

#include <string>
#include <vector>

namespace harness {

// A line each, sorted: "libcublas.so.13 4f1d...", the name of the file without its folder and its build id, as
// the linker wrote it. A file without one has its size and the time of its last change instead. Without the
// program itself and the object that the kernel of the operating system maps.
std::vector<std::string> mapped_objects();

}  // namespace harness
