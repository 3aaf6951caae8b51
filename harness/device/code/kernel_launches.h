// Kernel launches: what a profiler's records of some calls come to, kernel by kernel. Pure; the profiler's
// own records are read in cuda/.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/result.h"
#include "harness/model/record.h"

namespace harness {

// One execution of a kernel, or of a copy or fill of memory, on the device.
struct KernelLaunch {
  std::string name;  // as the profiler gives it: mangled; "[memset]" and the like for what is no kernel
  std::array<std::int64_t, 3> grid{};
  std::array<std::int64_t, 3> block{};
  int registers = 0;
  std::int64_t static_shared_bytes = 0;
  std::int64_t dynamic_shared_bytes = 0;
  std::int64_t local_bytes = 0;  // a thread
  std::uint64_t started = 0;     // ns, on the profiler's clock
  std::uint64_t ended = 0;       // both 0: no time was taken
};

// From when to when calls were at work, on the same clock. What lies outside, such as the eviction of the
// cache before them, is not theirs.
struct CallWindow {
  std::uint64_t begin = 0;  // ns
  std::uint64_t end = 0;
};

// Hashes of machine code by mangled name.
using CodeHashes = std::map<std::string, std::string, std::less<>>;

// The kernels of one call, in the order of their first launch, with the median time of a launch; `calls` were
// made in each window. An error where that would be a guess: launches without a time, or calls that differ in
// what they launch.
Result<std::vector<KernelUse>> kernel_uses(const std::vector<KernelLaunch>& launches,
                                           const std::vector<CallWindow>& windows, std::size_t calls,
                                           const CodeHashes& code);

// "_Z3addPfPKfi" -> "add(float*, float const*, int)"; a name that is not mangled stays as it is.
std::string demangled(const std::string& name);

}  // namespace harness
