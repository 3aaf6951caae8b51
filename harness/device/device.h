// Device: the only seam between the harness and hardware. One implementation a kind: cpu.h, cuda/
// (in the CUDA module), scripted.h (replays durations, for tests). Used from one thread of a worker
// process; the parent process never opens a CUDA device.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "harness/base/result.h"
#include "harness/base/units.h"
#include "harness/device/batch.h"
#include "harness/model/counter.h"
#include "harness/model/record.h"
#include "harness/sdk/variant.h"

namespace harness {

// Device memory, freed by the destructor. Addresses are at least 256-byte aligned.
class Buffer {
 public:
  Buffer() = default;
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  virtual ~Buffer() = default;
  [[nodiscard]] virtual void* data() const = 0;
  [[nodiscard]] virtual std::size_t bytes() const = 0;
};

struct TimingOptions {
  CacheMode cache = CacheMode::cold;  // only `cold` asks something of the device; who calls rotates
  bool gated = true;                  // hold the device until the work is queued, so launch latency stays out
  Seconds gate_deadline = 0.25;
};

struct Timing {
  Seconds elapsed = 0;
  bool gate_forced = false;            // the watchdog opened the gate: launch latency may be in `elapsed`
  std::optional<Seconds> launch = {};  // of the host, in queueing the work; absent where there is no queue
};

// How calls are looked at: in rounds of `calls` that follow each other at once, as in a batch, each round
// with the cache as `cache` says.
struct Looking {
  CacheMode cache = CacheMode::hot;
  int calls = 1;
};

// Which case is being measured; lets the scripted device find its script and NVTX name its range.
struct Place {
  std::string_view case_id;
  int process = 0;
  int placement = 0;  // -1 while warming up and verifying
};

class Device {
 public:
  Device() = default;
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;
  virtual ~Device() = default;

  [[nodiscard]] virtual const sdk::DeviceTraits& traits() const = 0;
  [[nodiscard]] virtual Machine fingerprint() = 0;  // without ceilings
  // Large copy (bytes/s, read + written) and large matrix product (FLOP/s) on this device:
  // keys "copy_bytes_per_s", "gemm_flops_per_s". Takes up to about a second.
  virtual Result<std::map<std::string, double>> measure_ceilings() = 0;
  [[nodiscard]] virtual std::string_view time_metric() const = 0;  // "gpu_time", "wall_time"

  virtual Result<std::unique_ptr<Buffer>> allocate(std::size_t bytes) = 0;
  virtual Status upload(Buffer& to, std::span<const std::byte> from) = 0;
  virtual Status download(std::span<std::byte> to, const Buffer& from) = 0;
  virtual Status fill(Buffer& buffer, unsigned char value) = 0;  // poison
  virtual Status copy(Buffer& to, const Buffer& from) = 0;       // of the same size

  [[nodiscard]] virtual sdk::Stream stream() = 0;
  virtual Status synchronize() = 0;
  virtual void enter(const Place& place) { (void)place; }

  // Whether one call of `work` queues work on stream() and none on the default stream; false also where that
  // cannot be told. Found out by calling it once, without running what it queues, between placements. An
  // Error where the device is lost.
  virtual Result<bool> keeps_to_stream(const std::function<void()>& work) {
    (void)work;
    return true;
  }

  // Draws anew what a device can draw anew beside its buffers, as one that is used all along biases all that
  // a process measures: on a GPU the stream that work is queued on, since two of them launch the same kernel
  // up to 0.1 us apart. `alone`: what is going to be timed uses the given stream alone; otherwise it gets one
  // that waits for the default stream. Waits for what is queued. Called before the buffers of a placement are
  // allocated; enter() with a placement below 0 goes back to the stream for what is no placement.
  virtual Status begin_placement(bool alone) {
    (void)alone;
    return {};
  }

  // Whose work the next calls are, where two builds are measured in turns within one place: "baseline" or
  // "current". enter() forgets it. For the scripted device.
  virtual void turn(std::string_view side) { (void)side; }

  // Runs `work` once on stream() and times it alone. A device error is an Error of kind
  // `environment`, after which the process must not use the device again.
  virtual Result<Timing> time(const std::function<void()>& work, const TimingOptions& options) = 0;

  // Records work(0), work(1), ... work(calls - 1), to be timed together: on a GPU captured into a graph,
  // where `work` is called now and never again; else called each time. An Error of kind `usage` when the
  // work cannot be captured (it waits for the device, allocates, uses another stream, or throws): the device
  // is as good as before.
  virtual Result<std::unique_ptr<Batch>> record(int calls, std::function<void(int)> work);

  // What this device's instrument reads of a call that does nothing; measured by the first to ask.
  // std::nullopt where nobody can tell.
  virtual std::optional<Control> control() { return std::nullopt; }

  // Why nothing can be gated in this process (tools.h), or "".
  [[nodiscard]] virtual std::string gate_obstacle() const { return {}; }

  // Bytes of the cache that `cold` evicts, 0 when unknown.
  [[nodiscard]] virtual std::size_t cache_bytes() const { return 0; }

  // Wall time of one call including everything the host waits for; for `first_call`.
  virtual Result<Seconds> time_first_call(const std::function<void()>& work) = 0;

  // Keeps the device busy for about `duration`, so that clocks settle.
  virtual Status preheat(Seconds duration) = 0;

  // Device clock in GHz measured by a short kernel, 0 when the device has no such measure.
  virtual double clock_ghz() = 0;

  // How many bytes of the device's memory were in use at most since begin_memory(), beyond what was in use
  // then: buffers, what the work took itself, code that was loaded for it. Neither is called while timing.
  // std::nullopt from a device that cannot tell its memory from the harness's own.
  virtual void begin_memory() {}
  virtual std::optional<std::size_t> peak_memory() { return std::nullopt; }

  // A monotonic clock that budgets, deadlines and phases are read from; the scripted device's own.
  [[nodiscard]] virtual Seconds now() = 0;

  // The time of day, Unix time in seconds; the scripted device's own.
  [[nodiscard]] virtual Seconds unix_time() {
    return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
  }

  // What the device was like from begin_conditions() to conditions(): read at both ends, outside of
  // what is timed, and combined (conditions.h). std::nullopt from a device that tells nothing.
  virtual void begin_conditions() {}
  virtual std::optional<Conditions> conditions() { return std::nullopt; }

  // Which kernels one call of `work` launches, in a pass of its own that is never timed: looking slows
  // the work down. Runs it at least once, or not at all and gives none where nobody can look.
  virtual Result<std::vector<KernelUse>> kernels(const std::function<void()>& work, const Looking& how) {
    (void)work;
    (void)how;
    return std::vector<KernelUse>{};
  }

  // Hardware counters of one call of `work`, in a pass of its own too, which may replay the call several
  // times. One value a name, in the order asked for: what cannot be read has its reason instead of a value.
  // An Error where the device was lost.
  virtual Result<std::vector<CounterValue>> counters(const std::function<void()>& work, CacheMode cache,
                                                     const std::vector<std::string>& names) {
    (void)work;
    (void)cache;
    std::vector<CounterValue> values;
    for (const std::string& name : names)
      values.push_back({name, std::nullopt, {}, "this device has no hardware counters"});
    return values;
  }

  // Names what happens until close_range() on a profiler's timeline; ranges nest. enter() names the case
  // and the placement by itself.
  virtual void open_range(std::string_view name) { (void)name; }
  virtual void close_range() {}

  // A profiler looks at this process from outside: the device attaches none of its own.
  virtual void leave_to_profiler() {}
};

}  // namespace harness
