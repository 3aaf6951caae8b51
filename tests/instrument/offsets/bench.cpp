#include "tests/instrument/offsets/bench.h"

#include "harness/device/cuda/gpu_kernels.h"
#include "tests/instrument/offsets/driver.h"
#include "tests/instrument/offsets/kernels.h"

namespace harness::offsets {
namespace {

constexpr Seconds gate_deadline = 2;

int attribute(cudaDeviceAttr which) {
  int device = 0;
  int value = 0;
  require(cudaGetDevice(&device), "cudaGetDevice");
  require(cudaDeviceGetAttribute(&value, which, device), "cudaDeviceGetAttribute");
  return value;
}

double nanoseconds_between(const Event& begin, const Event& end) {
  float milliseconds = 0;
  require(cudaEventSynchronize(end.get()), "cudaEventSynchronize");
  require(cudaEventElapsedTime(&milliseconds, begin.get(), end.get()), "cudaEventElapsedTime");
  return static_cast<double>(milliseconds) * 1e6;
}

}  // namespace

Stream new_stream() {
  cudaStream_t stream = nullptr;
  require(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "cudaStreamCreateWithFlags");
  return {stream, [](cudaStream_t old) { (void)cudaStreamDestroy(old); }};
}

Event new_event() {
  cudaEvent_t event = nullptr;
  require(cudaEventCreate(&event), "cudaEventCreate");
  return {event, [](cudaEvent_t old) { (void)cudaEventDestroy(old); }};
}

Buffer new_buffer(std::size_t bytes) {
  return value_of(cuda::allocate_device_memory(bytes));
}

Subject new_subject() {
  Subject subject;
  subject.stream = new_stream();
  subject.bench = std::make_shared<Bench>(subject.stream.get());
  subject.begin = new_event();
  subject.end = new_event();
  subject.input = new_buffer(gelu_bytes);
  subject.output = new_buffer(gelu_bytes);
  cuda::launch_random_f16(subject.stream.get(), subject.input.get(), gelu_elements, 1);
  require(cudaGetLastError(), "launching the filling kernel");
  subject.nothing = [](const Subject& on) { launch_nothing(on.stream.get()); };
  subject.gelu = [](const Subject& on) { launch_gelu(on.stream.get(), on.input.get(), on.output.get()); };
  return subject;
}

void launch_once(const Subject& subject) {
  subject.nothing(subject);
  require(cudaGetLastError(), "launching the empty kernel");
  subject.gelu(subject);
  require(cudaGetLastError(), "launching the GELU");
  require(cudaStreamSynchronize(subject.stream.get()), "cudaStreamSynchronize");
}

Bench::Bench(cudaStream_t stream)
    : flusher_(static_cast<std::size_t>(attribute(cudaDevAttrL2CacheSize))),
      gate_(value_of(cuda::Gate::create(stream))),
      meter_(value_of(cuda::ClockMeter::create())),
      multiprocessors_(attribute(cudaDevAttrMultiProcessorCount)) {}

double Bench::sample(const Subject& subject, const Subject::Launch& launch, NextFlush next) {
  const cudaStream_t stream = subject.stream.get();
  cuda::HeldGate held = value_of(gate_->close(stream, gate_deadline));
  require(cudaEventRecord(subject.begin.get(), stream), "cudaEventRecord");
  launch(subject);
  require(cudaGetLastError(), "launching a kernel");
  require(cudaEventRecord(subject.end.get(), stream), "cudaEventRecord");
  if (held.open()) throw Failure("a launch blocked the host behind the closed gate");
  if (next == NextFlush::evicted_ahead) require(flusher_.evict(stream));
  if (next == NextFlush::all_ahead) require(flusher_.flush(stream));
  const double nanoseconds = nanoseconds_between(subject.begin, subject.end);
  if (next == NextFlush::once_read) require(flusher_.flush(stream));
  if (next == NextFlush::evicted_ahead) flusher_.reset_persisting();
  return nanoseconds;
}

std::vector<double> Bench::time(const Subject& subject, const Subject::Launch& launch, int samples,
                                int left_out, NextFlush next) {
  std::vector<double> times;
  require(flusher_.flush(subject.stream.get()));
  for (int i = 0; i < left_out + samples; ++i) {
    const double nanoseconds = sample(subject, launch, next);
    if (i >= left_out) times.push_back(nanoseconds);
  }
  require(cudaStreamSynchronize(subject.stream.get()), "cudaStreamSynchronize");
  return times;
}

Seconds Bench::flush_time(const Subject& subject) {
  constexpr int flushes = 10;
  require(cudaEventRecord(subject.begin.get(), subject.stream.get()), "cudaEventRecord");
  for (int i = 0; i < flushes; ++i) require(flusher_.flush(subject.stream.get()));
  require(cudaEventRecord(subject.end.get(), subject.stream.get()), "cudaEventRecord");
  return nanoseconds_between(subject.begin, subject.end) * 1e-9 / flushes;
}

void Bench::keep_busy(cudaStream_t stream, Seconds duration) {
  require(cuda::preheat_device(stream, multiprocessors_, flusher_, duration));
}

double Bench::clock_ghz(cudaStream_t stream) {
  return meter_->ghz(stream);
}

}  // namespace harness::offsets
