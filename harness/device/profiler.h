// Profiler: reads the kernels of a call in separate passes, and names ranges on a timeline. A device without
// a profiler uses this class as it is. One thread of a worker process uses it.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/result.h"
#include "harness/device/scope.h"
#include "harness/device/timer.h"
#include "harness/model/counter.h"
#include "harness/model/record.h"

namespace harness {

// The case that is measured, and where.
struct Place {
  std::string_view case_id;
  int process = 0;
  int placement = 0;  // -1 while nothing is sampled: warming up, verifying, profiling
};

// A piece of the device's memory.
struct MemoryRange {
  const void* data = nullptr;
  std::size_t bytes = 0;
};

// A case whose launches are to be read.
struct CaseCalls {
  Work call;                         // queues one call
  std::vector<MemoryRange> buffers;  // the harness' own that it works on: tensors, then workspace
  const void* code = nullptr;        // a function of the variant, on the host
};

// The kernels of a call and its identity, as a look at it saw them.
struct Launches {
  std::vector<KernelUse> kernels = {};    // of one call
  std::optional<Identity> identity = {};  // absent where the device has no such thing
};

// How the calls of a profiled round follow each other.
struct CallPattern {
  CacheMode cache = CacheMode::hot;  // before the first of them
  int calls = 1;                     // at once, as in a batch
};

class Profiler {
 public:
  Profiler() = default;
  Profiler(const Profiler&) = delete;
  Profiler& operator=(const Profiler&) = delete;
  virtual ~Profiler() = default;

  // Names the place of everything that follows. The scripted device finds its script by it.
  virtual void enter(const Place& place) { (void)place; }

  // Names the build of the next calls, "baseline" or "current", where two take turns. enter() forgets it.
  virtual void turn(std::string_view side) { (void)side; }

  // Names what happens while the scope lives. Ranges nest; enter() ends those inside the place before.
  virtual Scope range(std::string_view name) {
    (void)name;
    return Scope();
  }

  // While the scope lives, code of the case runs: it constructs a kernel, binds it, or makes the first call.
  // The identity covers its launches and the memory that it leaves.
  virtual Scope follow() { return Scope(); }

  // Reads what a call does, by a few untimed calls. The case was followed since enter(), and its buffers have
  // not moved since. An Error when the device was lost; a profiler that cannot read it returns a gap.
  virtual Result<Launches> launches(const CaseCalls& calls) {
    (void)calls;
    return Launches{};
  }

  // The kernels that one call of `work` launches. Runs it at least once; empty where there is no profiler.
  virtual Result<std::vector<KernelUse>> kernels(const Work& work, const CallPattern& pattern) {
    (void)work;
    (void)pattern;
    return std::vector<KernelUse>{};
  }

  // Hardware counters of one call of `work`, which may be replayed. One value a name, in the order of
  // `names`; a counter that cannot be read has a fact instead. An Error when the device was lost.
  virtual Result<std::vector<CounterValue>> counters(const Work& work, CacheMode cache,
                                                     const std::vector<std::string>& names) {
    (void)work;
    (void)cache;
    std::vector<CounterValue> values;
    for (const std::string& name : names)
      values.push_back({name, std::nullopt, {}, CounterFact{CounterCode::no_counters}});
    return values;
  }
};

}  // namespace harness
