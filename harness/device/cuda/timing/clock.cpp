#include "harness/device/cuda/timing/clock.h"

#include <atomic>
#include <chrono>
#include <thread>
#include <utility>

#include "harness/device/cuda/check.h"

namespace harness::cuda {
namespace {

constexpr unsigned long long reading_nanoseconds = 200'000;
constexpr unsigned long long short_nanoseconds = 8'000;
constexpr Seconds result_deadline = 0.002;

// A host that sleeps wakes some 60 us late.
constexpr Seconds spun = 150e-6;

// Pieces of work that are waited for together, 0.7 ms each: a burst is long against the gap of some
// microseconds that waiting leaves.
constexpr int pieces_in_burst = 6;
constexpr Seconds burst = 0.004;

Status busy_burst(cudaStream_t stream, int multiprocessors, CacheFlusher& memory, int pieces, float* sink) {
  for (int i = 0; i < pieces; ++i) {
    launch_busy(stream, multiprocessors, sink);
    if (auto status = check_launch("the preheating kernel"); !status) return status;
    if (auto status = memory.flush(stream); !status) return status;
  }
  return check(cudaStreamSynchronize(stream), "cudaStreamSynchronize (preheat)");
}

Status full_power_burst(cudaStream_t stream, int multiprocessors, float* sink) {
  for (int i = 0; i < pieces_in_burst; ++i) {
    launch_full_power(stream, multiprocessors, sink);
    if (auto status = check_launch("the kernel of full power"); !status) return status;
  }
  return check(cudaStreamSynchronize(stream), "cudaStreamSynchronize (full power)");
}

// `work`: takes the time that is left and memory for a result that nobody reads, and returns a Status.
template <class Work>
Status repeat_for(Seconds duration, const Work& work) {
  if (!(duration > 0)) return {};
  auto sink = allocate_device_memory(sizeof(float));
  if (!sink) return fail(std::move(sink.error()));
  const Seconds end = host_now() + duration;
  for (Seconds left = duration; left > 0; left = end - host_now())
    if (auto status = work(left, static_cast<float*>(sink->get())); !status) return status;
  return usable();
}

}  // namespace

Seconds host_now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

void wait_on_host(Seconds duration) {
  const Seconds end = host_now() + duration;
  if (duration > 2 * spun) std::this_thread::sleep_for(std::chrono::duration<double>(duration - spun));
  while (host_now() < end) {
  }
}

Result<std::unique_ptr<ClockMeter>> ClockMeter::create() {
  void* host = nullptr;
  if (auto status = check(cudaHostAlloc(&host, sizeof(ClockReading), cudaHostAllocMapped),
                          "cudaHostAlloc of the clock's result");
      !status)
    return fail(std::move(status.error()));
  std::unique_ptr<ClockMeter> meter(new ClockMeter);
  meter->reading_.reset(new (host) ClockReading);
  void* device = nullptr;
  if (auto status = check(cudaHostGetDevicePointer(&device, host, 0), "cudaHostGetDevicePointer"); !status)
    return fail(std::move(status.error()));
  meter->device_reading_ = static_cast<ClockReading*>(device);
  return meter;
}

bool ClockMeter::queue(cudaStream_t stream, unsigned long long nanoseconds) {
  *reading_ = ClockReading{};
  launch_clock(stream, nanoseconds, device_reading_);
  return check_launch("the clock kernel").has_value();
}

void ClockMeter::begin(cudaStream_t stream) {
  begun_ = queue(stream, short_nanoseconds);
}

double ClockMeter::result() {
  if (!std::exchange(begun_, false)) return 0;
  const Seconds deadline = host_now() + result_deadline;
  const std::atomic_ref<unsigned long long> written(reading_->nanoseconds);  // after the cycles
  while (written.load(std::memory_order_acquire) == 0)
    if (host_now() > deadline) return 0;
  return static_cast<double>(reading_->cycles) / static_cast<double>(reading_->nanoseconds);
}

double ClockMeter::ghz(cudaStream_t stream) {
  if (!queue(stream, reading_nanoseconds)) return 0;
  if (!check(cudaStreamSynchronize(stream), "cudaStreamSynchronize (clock)")) return 0;
  if (reading_->nanoseconds < reading_nanoseconds) return 0;
  return static_cast<double>(reading_->cycles) / static_cast<double>(reading_->nanoseconds);
}

Status preheat_device(cudaStream_t stream, int multiprocessors, CacheFlusher& memory, Seconds duration) {
  return repeat_for(duration, [&](Seconds left, float* sink) {
    const int pieces = left < burst ? 1 : pieces_in_burst;  // not much longer than asked for
    return busy_burst(stream, multiprocessors, memory, pieces, sink);
  });
}

Status work_at_full_power(cudaStream_t stream, int multiprocessors, Seconds duration) {
  return repeat_for(duration,
                    [&](Seconds, float* sink) { return full_power_burst(stream, multiprocessors, sink); });
}

}  // namespace harness::cuda
