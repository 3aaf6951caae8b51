#include "harness/device/cuda/cuda_device.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "harness/device/conditions.h"
#include "harness/device/control.h"
#include "harness/device/cuda/ceilings.h"
#include "harness/device/cuda/check.h"
#include "harness/device/cuda/fingerprint.h"
#include "harness/device/cuda/gpu_kernels.h"
#include "harness/device/cuda/profiling/names.h"
#include "harness/device/cuda/timing/graph_batch.h"
#include "harness/device/cuda/timing/stream_check.h"
#include "harness/device/host/attached_tools.h"

namespace harness::cuda {
namespace {

// Of an eviction that takes 31 us on an H200: more than one and a half times the L2 is still to be written.
constexpr Seconds just_begun = 8e-6;

constexpr Seconds look_deadline = 0.05;  // of the gate, for calls that are only looked at

class CudaBuffer final : public Buffer {
 public:
  CudaBuffer(DeviceMemory memory, std::size_t bytes) : memory_(std::move(memory)), bytes_(bytes) {}
  [[nodiscard]] void* data() const override { return memory_.get(); }
  [[nodiscard]] std::size_t bytes() const override { return bytes_; }

 private:
  DeviceMemory memory_;
  std::size_t bytes_;
};

const char* advice_for_opening(cudaError_t code) {
  switch (code) {
    case cudaErrorInsufficientDriver:
      return "the installed driver is older than this build's CUDA runtime needs: update the driver";
    case cudaErrorNoDevice: return "check `nvidia-smi` and CUDA_VISIBLE_DEVICES";
    case cudaErrorDevicesUnavailable:
      return "another process may hold the GPU in exclusive mode: check `nvidia-smi`";
    case cudaErrorSystemDriverMismatch:
    case cudaErrorSystemNotReady: return "the driver is not ready: check `nvidia-smi` and the fabric manager";
    case cudaErrorCompatNotSupportedOnDevice:
      return "forward compatibility libraries do not work on this GPU: update the driver";
    default: return "check `nvidia-smi`";
  }
}

// The runtime's own context, for the profiler; null where the driver has no such call. The module links no
// libcuda.
CUcontext context_of(cudaStream_t stream) {
  void* found = nullptr;
  cudaDriverEntryPointQueryResult how = cudaDriverEntryPointSymbolNotFound;
  const cudaError_t code =
      cudaGetDriverEntryPointByVersion("cuStreamGetCtx", &found, 9020, cudaEnableLegacyStream, &how);
  if (code != cudaSuccess) (void)cudaGetLastError();
  CUcontext context = nullptr;
  if (code == cudaSuccess && how == cudaDriverEntryPointSuccess)
    (void)reinterpret_cast<CUresult (*)(CUstream, CUcontext*)>(found)(stream, &context);
  return context;
}

Status size_error(std::string_view what, std::size_t host, std::size_t device) {
  return fail(ErrorKind::internal,
              fmt::format("{} of {} bytes does not fit a device buffer of {} bytes", what, host, device));
}

Status check_machine_code(const cudaDeviceProp& properties) {
  const cudaError_t code = find_machine_code();
  if (code != cudaErrorNoKernelImageForDevice && code != cudaErrorInvalidDeviceFunction)
    return check(code, "looking for machine code", advice_for_opening(code));
  (void)cudaGetLastError();
  return fail(
      ErrorKind::environment,
      fmt::format("this build's CUDA module has no code for {} (compute capability {}.{}); it was "
                  "built for {}",
                  properties.name, properties.major, properties.minor, HARNESS_CUDA_ARCHITECTURES_BUILT),
      fmt::format("configure with -DHARNESS_CUDA_ARCHITECTURES={}{}-real and build again", properties.major,
                  properties.minor));
}

}  // namespace

Result<std::unique_ptr<CudaDevice>> CudaDevice::open(int ordinal) {
  int count = 0;
  const cudaError_t counted = cudaGetDeviceCount(&count);
  if (auto status = check(counted, "cudaGetDeviceCount", advice_for_opening(counted)); !status)
    return fail(std::move(status.error()));
  if (ordinal < 0 || ordinal >= count)
    return fail(ErrorKind::environment,
                fmt::format("there is no GPU {}; this machine shows {}", ordinal,
                            count == 1 ? "cuda:0 alone" : fmt::format("cuda:0 to cuda:{}", count - 1)),
                "CUDA_VISIBLE_DEVICES may hide some; `harness list --devices` shows what there is");
  const cudaError_t chosen = cudaSetDevice(ordinal);
  if (auto status = check(chosen, "cudaSetDevice", advice_for_opening(chosen)); !status)
    return fail(std::move(status.error()));
  cudaDeviceProp properties{};
  if (auto status = check(cudaGetDeviceProperties(&properties, ordinal), "cudaGetDeviceProperties"); !status)
    return fail(std::move(status.error()));
  if (auto status = check_machine_code(properties); !status) return fail(std::move(status.error()));
  std::unique_ptr<CudaDevice> device(new CudaDevice(ordinal, properties));
  if (auto status = device->create_resources(); !status) return fail(std::move(status.error()));
  return device;
}

CudaDevice::CudaDevice(int ordinal, const cudaDeviceProp& properties)
    : ordinal_(ordinal),
      properties_(properties),
      traits_{.kind = "cuda",
              .name = properties.name,
              .compute_major = properties.major,
              .compute_minor = properties.minor,
              .multiprocessors = properties.multiProcessorCount,
              .shared_memory_per_block = properties.sharedMemPerBlockOptin,
              .ordinal = ordinal},
      flusher_(static_cast<std::size_t>(std::max(0, properties.l2CacheSize))),
      memory_(ordinal) {}

Status CudaDevice::create_resources() {
  auto streams = Streams::create(ordinal_);
  if (!streams) return fail(std::move(streams.error()));
  streams_ = std::move(*streams);
  stream_ = streams_->home();
  for (cudaEvent_t* event : {&begin_, &end_})
    if (auto status = check(cudaEventCreate(event), "cudaEventCreate"); !status) return status;
  auto gate = Gate::create(stream_);
  if (!gate) return fail(std::move(gate.error()));
  gate_ = std::move(*gate);
  gate_obstacle_ = gate_obstacle_here();
  auto meter = ClockMeter::create();
  if (!meter) return fail(std::move(meter.error()));
  meter_ = std::move(*meter);
  nvml_ = std::make_unique<Nvml>(uuid_text(properties_.uuid.bytes), pci_bus_of(ordinal_));
  (void)cudaGetLastError();  // a bus that could not be read is no failure of what runs next
  return {};
}

CudaDevice::~CudaDevice() {
  gate_.reset();
  for (cudaEvent_t event : {begin_, end_})
    if (event != nullptr) (void)cudaEventDestroy(event);
}

Machine CudaDevice::fingerprint() {
  const std::string gate = gate_obstacle_.empty() ? std::string(gate_->kind()) : "none: " + gate_obstacle_;
  return read_fingerprint(properties_, ordinal_, {gate, streams_->kind()}, nvml_->facts());
}

Result<std::map<std::string, double>> CudaDevice::measure_ceilings() {
  if (auto status = usable(); !status) return fail(std::move(status.error()));
  return cuda::measure_ceilings(*this);
}

Result<std::unique_ptr<Buffer>> CudaDevice::allocate(std::size_t bytes) {
  if (auto status = usable(); !status) return fail(std::move(status.error()));
  auto memory = allocate_device_memory(bytes);
  if (!memory) return fail(std::move(memory.error()));
  return std::make_unique<CudaBuffer>(std::move(*memory), bytes);
}

Status CudaDevice::upload(Buffer& to, std::span<const std::byte> from) {
  if (from.size() > to.bytes()) return size_error("an upload", from.size(), to.bytes());
  if (auto status = usable(); !status || from.empty()) return status;
  if (auto status = staging_.upload(to.data(), from, queue()); !status) return status;
  return synchronize();
}

Status CudaDevice::download(std::span<std::byte> to, const Buffer& from) {
  if (to.size() > from.bytes()) return size_error("a download", to.size(), from.bytes());
  if (auto status = usable(); !status || to.empty()) return status;
  if (auto status = check(cudaMemcpyAsync(to.data(), from.data(), to.size(), cudaMemcpyDeviceToHost, queue()),
                          "cudaMemcpyAsync to the host");
      !status)
    return status;
  return synchronize();
}

Status CudaDevice::copy(Buffer& to, const Buffer& from) {
  if (from.bytes() != to.bytes())
    return fail(ErrorKind::internal,
                fmt::format("a copy of {} bytes to a device buffer of {} bytes", from.bytes(), to.bytes()));
  if (auto status = usable(); !status || to.bytes() == 0) return status;
  if (auto status =
          check(cudaMemcpyAsync(to.data(), from.data(), to.bytes(), cudaMemcpyDeviceToDevice, queue()),
                "cudaMemcpyAsync within the device");
      !status)
    return status;
  return synchronize();
}

Status CudaDevice::fill(Buffer& buffer, unsigned char value) {
  if (auto status = usable(); !status || buffer.bytes() == 0) return status;
  if (auto status =
          check(cudaMemsetAsync(buffer.data(), value, buffer.bytes(), queue()), "cudaMemsetAsync (fill)");
      !status)
    return status;
  return synchronize();
}

Status CudaDevice::synchronize() {
  if (auto status = usable(); !status) return status;
  // A launch that was refused outside a timed sample would otherwise be blamed on the next one.
  const cudaError_t earlier = cudaGetLastError();
  const cudaError_t finished = cudaStreamSynchronize(stream_);
  // What was queued on the default stream, as bind() may do, streams of green contexts do not wait for.
  const cudaError_t by_default = cudaStreamSynchronize(cudaStreamLegacy);
  if (auto status = check(earlier, "an earlier CUDA call or launch"); !status) return status;
  if (auto status = check(finished, "cudaStreamSynchronize"); !status) return status;
  return check(by_default, "cudaStreamSynchronize of the default stream");
}

// Whatever is no placement, a case's first call and the looks at it, happens on the stream that waits for the
// default stream: work that was queued there by mistake is found when its result is.
void CudaDevice::enter(const Place& place) {
  if (place.placement < 0) go_home();
  ranges_.enter(place);
  profiling_.turn("");
  profiling_.enter(place);
}

void CudaDevice::go_home() {
  if (stream_ == streams_->home()) return;
  (void)synchronize();  // an error stays, and meets whoever asks next
  stream_ = streams_->home();
  evicting_ = false;
}

Result<bool> CudaDevice::keeps_to_stream(const std::function<void()>& work) {
  go_home();
  if (auto status = synchronize(); !status) return fail(std::move(status.error()));
  if (!gate_obstacle_.empty()) return false;
  return cuda::keeps_to_stream(streams_->home(), work);
}

// Under a tool that looks at every launch, those by chance would only be in the way.
Status CudaDevice::begin_placement(bool alone) {
  if (auto status = synchronize(); !status) return status;
  const bool watched = !gate_obstacle_.empty();
  const Result<cudaStream_t> next = streams_->next(alone && !watched, !watched);
  if (!next) return fail(next.error());
  stream_ = *next;
  evicting_ = false;
  flusher_.look_for_persisting();
  return synchronize();
}

TracedWork CudaDevice::traced(const std::function<void()>& work, CacheMode cache) {
  return {
      .call = work,
      .before_call = [this, cache] { return cache == CacheMode::cold ? flusher_.flush(queue()) : Status{}; },
      .synchronize = [this] { return synchronize(); }};
}

// Calls that follow each other at once are held back by the gate until the last of them is queued, but not by
// one that is a kernel, which would be looked at as well. Such are calls that a graph can hold, so none of
// them waits; more than the driver's queue holds open the gate at its deadline, and are looked at all the
// same.
Result<std::vector<KernelUse>> CudaDevice::kernels(const std::function<void()>& work, const Looking& how) {
  if (auto status = usable(); !status) return fail(std::move(status.error()));
  if (how.calls == 1) return profiling_.kernels(traced(work, how.cache));
  TracedWork rounds = traced(
      [this, &work, &how] {
        const bool gated =
            gate_obstacle_.empty() && !gate_->is_a_kernel() && gate_->close(queue(), look_deadline);
        const HeldGate held(gated ? gate_.get() : nullptr);
        for (int i = 0; i < how.calls; ++i) work();
      },
      how.cache);
  rounds.calls = static_cast<std::size_t>(how.calls);
  return profiling_.kernels(rounds);
}

Result<std::vector<CounterValue>> CudaDevice::counters(const std::function<void()>& work, CacheMode cache,
                                                       const std::vector<std::string>& names) {
  if (auto status = usable(); !status) return fail(std::move(status.error()));
  return profiling_.counters(traced(work, cache), context_of(stream_), ordinal_, names);
}

Result<Timing> CudaDevice::time(const std::function<void()>& work, const TimingOptions& options) {
  if (auto status = usable(); !status) return fail(std::move(status.error()));
  profiling_.end_watch();
  const bool cold = options.cache == CacheMode::cold;
  if (cold) {
    if (auto status = make_cold(); !status) return fail(std::move(status.error()));
  } else {
    evicting_ = false;
  }
  const bool gated = options.gated && gate_obstacle_.empty();
  if (gated)
    if (auto status = gate_->close(stream_, options.gate_deadline); !status)
      return fail(std::move(status.error()));
  HeldGate held(gated ? gate_.get() : nullptr);
  cudaError_t launched = cudaEventRecord(begin_, stream_);
  Seconds launch = 0;
  if (launched == cudaSuccess) {
    const Seconds before = now();
    work();
    launch = now() - before;
    launched = cudaGetLastError();
  }
  // Recorded even when the work could not be queued: what was queued is then waited for below.
  const cudaError_t recorded = cudaEventRecord(end_, stream_);
  const bool forced = held.open();
  const cudaError_t queued = launched != cudaSuccess ? launched : recorded;
  // Without a gate the host's launch is timed, too, and has to find the device as busy with a flush as ever.
  const Status ahead = cold && gated && queued == cudaSuccess ? evict_ahead() : Status{};
  Result<Timing> timing = finish_sample(forced, queued);
  if (timing && !ahead) return fail(ahead.error());
  if (timing) timing->launch = launch;
  return timing;
}

// The eviction for the sample that is likely to follow, queued while this one runs: the device goes on to it
// at once, and what the host does between two samples happens meanwhile. Whatever else is queued before the
// next sample spoils it (queue()); one that nobody needs takes the device some 30 us.
Status CudaDevice::evict_ahead() {
  Status queued = flusher_.evict(stream_);
  evicting_ = static_cast<bool>(queued);
  return queued;
}

Status CudaDevice::make_cold() {
  if (!std::exchange(evicting_, false)) return flusher_.flush(stream_);
  if (!flusher_.reset_persisting()) return {};
  // The eviction takes these lines along where it has only just begun; else there is another.
  const bool under_way = cudaStreamQuery(stream_) == cudaErrorNotReady;
  if (under_way) (void)cudaGetLastError();  // "not ready" would be blamed on the work
  const bool early = host_now() - finished_ < just_begun;
  return under_way && early ? Status{} : flusher_.evict(stream_);
}

Result<Timing> CudaDevice::finish_sample(bool forced, cudaError_t launched) {
  const cudaError_t finished = cudaEventSynchronize(end_);
  finished_ = host_now();
  if (auto status = check(launched, "queueing the timed work",
                          "a kernel was launched with a configuration that this device refuses");
      !status)
    return fail(std::move(status.error()));
  if (auto status = check(finished, "the timed work (cudaEventSynchronize)"); !status)
    return fail(std::move(status.error()));
  float milliseconds = 0;
  if (auto status = check(cudaEventElapsedTime(&milliseconds, begin_, end_), "cudaEventElapsedTime"); !status)
    return fail(std::move(status.error()));
  return Timing{.elapsed = static_cast<double>(milliseconds) * 1e-3, .gate_forced = forced};
}

Result<std::unique_ptr<Batch>> CudaDevice::record(int calls, std::function<void(int)> work) {
  if (auto status = synchronize(); !status) return fail(std::move(status.error()));
  return record_graph(*this, queue(), calls, work);
}

std::optional<Control> CudaDevice::control() {
  if (!control_) control_ = measure_control(*this, [this] { launch_nothing(stream_); });
  return *control_;
}

Result<Seconds> CudaDevice::time_first_call(const std::function<void()>& work) {
  if (auto status = synchronize(); !status) return fail(std::move(status.error()));
  const Seconds begin = now();
  work();
  const cudaError_t launched = cudaGetLastError();
  const cudaError_t finished = cudaStreamSynchronize(stream_);
  const Seconds elapsed = now() - begin;
  profiling_.end_watch();
  if (auto status = check(launched, "queueing the first call",
                          "a kernel was launched with a configuration that this device refuses");
      !status)
    return fail(std::move(status.error()));
  if (auto status = check(finished, "the first call (cudaStreamSynchronize)"); !status)
    return fail(std::move(status.error()));
  return elapsed;
}

Status CudaDevice::preheat(Seconds duration) {
  if (auto status = usable(); !status) return status;
  return preheat_device(queue(), traits_.multiprocessors, flusher_, duration);
}

void CudaDevice::begin_conditions() {
  conditions_before_ = nvml_->conditions();
}

std::optional<Conditions> CudaDevice::conditions() {
  const std::optional<Conditions> after = nvml_->conditions();
  if (!after || !conditions_before_) return after;
  return combined(*conditions_before_, *after);
}

double CudaDevice::clock_ghz() {
  return meter_->ghz(queue());
}

}  // namespace harness::cuda
