// The memory of this process that it can read, by addresses: stacks, heaps, loaded files. It leaves out what
// a GPU's driver keeps for itself.
#pragma once

#include <string_view>
#include <vector>

#include "harness/device/code/driver_call.h"

namespace harness {

// Empty where /proc/self/maps cannot be read.
std::vector<AddressRange> readable_host_memory();

// The same of the text of such a file: "7f00-7f01 r--p 00000000 08:01 12 /lib/x.so".
std::vector<AddressRange> readable_ranges(std::string_view maps);

}  // namespace harness
