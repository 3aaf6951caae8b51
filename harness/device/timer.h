// Timer: queues work on a device, and times it. Only the timer gives work its stream, so it knows what was
// queued between two samples. One thread of a worker process uses it.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "harness/base/result.h"
#include "harness/base/units.h"
#include "harness/device/scope.h"
#include "harness/model/record.h"
#include "harness/sdk/variant.h"

namespace harness {

struct TimingOptions {
  CacheMode cache = CacheMode::cold;  // the device acts only on `cold`; the caller rotates buffers
  bool gated = true;  // hold the device until the work is queued: no launch latency in the time
  Seconds gate_deadline = 0.25;
  Seconds pause = 0;         // the device idles first; nothing is evicted or queued before a pause
  bool reads_clock = false;  // read the clock right after the call, if the device has one
  bool audited = false;      // is not kept: a script counts only samples
  // Memory of the host, of each page of which the time includes reading a byte, so that nothing is left to be
  // made when it is read. A device with memory of its own reads none.
  std::span<const std::span<const std::byte>> touched = {};
};

// Work between the calls of a batch, to watch one of them: `fills` and `writes` right before it, `copies`
// right after it.
struct WatchedCall {
  struct Fill {
    void* to;
    std::size_t bytes;
    unsigned char byte;
  };
  struct Copy {
    void* to;
    const void* from;
    std::size_t bytes;
  };
  int call = 0;
  std::vector<Fill> fills;
  std::vector<Copy> copies;
  std::vector<Copy> writes = {};  // of tensors that calls change in place
};

struct Timing {
  Seconds elapsed = 0;
  bool gate_forced = false;            // the watchdog opened the gate: `elapsed` may contain launch latency
  std::optional<Seconds> launch = {};  // time of the host to queue the work; absent without a queue
  double clock_ghz = 0;                // clock right after the call; 0 when unknown or not read
  // The time of an audited warm call without a gate, by a clock that it cannot change (base/kernel_clock.h).
  // It ends when all work of this process on the device has ended; a GPU takes off the launch and the
  // waiting. Absent where the device cannot tell.
  std::optional<Seconds> passed = {};
  // bytes_of_pages() of TimingOptions::touched when the time ended; absent where nothing was touched.
  std::optional<std::uint64_t> touched = {};
};

// A number that depends on a byte of each page of memory of the host, and on the last.
std::uint64_t bytes_of_pages(std::span<const std::byte> memory, std::uint64_t before = 0);

// Queues one call on the given stream.
using Work = std::function<void(sdk::Stream)>;
// Queues call number 0, 1, 2, ... on the given stream.
using NumberedWork = std::function<void(sdk::Stream, int)>;

// Calls that were recorded once and are timed together, as often as wanted: a CUDA graph, elsewhere a loop.
// Its timer and the memory that the calls use must outlive it.
class Batch {
 public:
  Batch() = default;
  Batch(const Batch&) = delete;
  Batch& operator=(const Batch&) = delete;
  virtual ~Batch() = default;

  // Makes all calls once and times them together, as Timer::time() times one; `launch` is absent.
  virtual Result<Timing> time(const TimingOptions& options) = 0;

  // The same, and watches a call. The work is not recorded anew, so it cannot tell. The time includes the
  // fills and copies. An Error of kind `usage` where nothing can be put between the calls.
  virtual Result<Timing> watch(const TimingOptions& options, const WatchedCall& watched) = 0;

  // Queues all calls once without timing them.
  virtual void queue(sdk::Stream stream) = 0;
};

// Calls that are queued together, again and again.
struct Round {
  Work work;      // queues all of them
  int calls = 1;  // of it
};

// How far rounds had come at a time by Timer::now().
struct EndedCalls {
  std::int64_t calls = 0;  // that had ended
  Seconds at = 0;
  Seconds idle = 0;  // of the device, between rounds since the first
};

// The streams that the work of a placement uses.
enum class StreamUse {
  given_only,  // only the given stream
  any,         // perhaps the default stream, too
};

class Timer {
 public:
  Timer() = default;
  Timer(const Timer&) = delete;
  Timer& operator=(const Timer&) = delete;
  virtual ~Timer() = default;

  // Runs `work` once and times it alone. A device error is an Error of kind `environment`; the process must
  // not use the device again after it.
  virtual Result<Timing> time(const Work& work, const TimingOptions& options) = 0;

  // Wall time of one call including everything the host waits for; for `first_call`.
  virtual Result<Seconds> time_first_call(const Work& work) = 0;

  // Records `calls` calls of `work`, to be timed together. A GPU captures them into a graph, so `work` is not
  // called later. An Error of kind `usage` when the work waits for the device, allocates, uses another
  // stream, or throws. The device is then usable as before.
  virtual Result<std::unique_ptr<Batch>> record(int calls, NumberedWork work) = 0;

  // Leaves the device idle, so that work which a call has left behind can end.
  virtual void idle(Seconds duration) { (void)duration; }

  // Queues `work` without timing it.
  virtual void queue(const Work& work) { work({}); }

  // Makes one round after the other for about `duration`. Some are queued ahead, so that the device has no
  // pause while the host is busy; a round should take 2 ms or more. The first entry is the begin of the first
  // round; each further one is the end of a round. Empty where a device has no queue.
  virtual Result<std::vector<EndedCalls>> work_through(const Round& round, Seconds duration) {
    (void)round, (void)duration;
    return std::vector<EndedCalls>{};
  }

  // Waits for everything that was queued.
  virtual Status synchronize() = 0;

  // Begins a placement, and ends the one before; allocate its buffers inside. On a GPU each placement has
  // another stream, because a stream has its own offset (measure/sampling.md).
  virtual Result<Scope> begin_placement(StreamUse use) {
    (void)use;
    return Scope();
  }

  // Whether one call of `work` uses only the given stream; false where that is unknown. Calls it once without
  // running what it queues. An Error when the device is lost.
  virtual Result<bool> keeps_to_stream(const Work& work) {
    (void)work;
    return true;
  }

  // Why no sample can be gated in this process (host/attached_tools.h).
  [[nodiscard]] virtual std::optional<Note> gate_obstacle() const { return std::nullopt; }

  // This timer's times of an empty call, measured when first asked. std::nullopt where that is impossible.
  virtual std::optional<Control> control() { return std::nullopt; }

  // Batches time calls shorter than this more accurately (`timing: auto`); 0: none.
  [[nodiscard]] virtual Seconds batch_below() const { return 0; }

  // Keeps the device busy for about `duration`, so that clocks settle.
  virtual Status preheat(Seconds duration) = 0;

  // Works at the highest power for about `duration`, so that a GPU's voltage settles (measure/power.md). A
  // device without such a state does nothing.
  virtual Status full_power(Seconds duration) {
    (void)duration;
    return {};
  }

  // The monotonic clock for budgets, deadlines and phases; a script has its own.
  [[nodiscard]] virtual Seconds now() = 0;

  // The time of day, Unix time in seconds; a script has its own.
  [[nodiscard]] virtual Seconds unix_time() {
    return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
  }
};

}  // namespace harness
