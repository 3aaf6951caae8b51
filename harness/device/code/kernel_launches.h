// Kernel launches: from the launches that a profiler saw in some calls to the kernels of one call. Pure;
// cuda/ reads the profiler's own records.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/result.h"
#include "harness/model/record.h"

namespace harness {

// One execution of a kernel, or of a copy or fill of memory, on the device.
struct KernelLaunch {
  std::string name;  // the profiler's, mangled; "[memset]" and the like for other work than kernels
  std::array<std::int64_t, 3> grid{};
  std::array<std::int64_t, 3> block{};
  int registers = 0;
  std::int64_t static_shared_bytes = 0;
  std::int64_t dynamic_shared_bytes = 0;
  std::int64_t local_bytes = 0;  // a thread
  std::uint64_t started = 0;     // ns, on the profiler's clock
  std::uint64_t ended = 0;       // both 0: no time was taken
};

// The time of the calls, on the same clock. Launches outside of it are not theirs, such as the eviction of
// the cache.
struct CallWindow {
  std::uint64_t begin = 0;  // ns
  std::uint64_t end = 0;
};

// The hash of a kernel's machine code by its mangled name; "" when unknown.
using CodeOf = std::function<std::string(const std::string& kernel)>;

// The kernels of one call, in the order of their first launch, with the median time of a launch. Each window
// has `calls` calls. An error for launches without a time, or calls with different launches.
Result<std::vector<KernelUse>> kernel_uses(const std::vector<KernelLaunch>& launches,
                                           const std::vector<CallWindow>& windows, std::size_t calls,
                                           const CodeOf& code);

// "_Z3addPfPKfi" -> "add(float*, float const*, int)"; a name that is not mangled stays as it is.
std::string demangled(const std::string& name);

}  // namespace harness
