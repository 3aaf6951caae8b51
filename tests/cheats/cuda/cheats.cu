// Kernels that cheat on a GPU, in a module of their own. The problem is that of tests/measure/trial.h, which
// a GPU has no other variant of: y = 2 x + 1, with work that takes most of a millisecond.
#include <cuda_runtime.h>

#include <cmath>
#include <stdexcept>
#include <utility>

#include "harness/sdk/registry.h"
#include "tests/cheats/cuda/timer_patch.h"

namespace {

namespace sdk = harness::sdk;

constexpr unsigned threads = 256;
constexpr int rounds = 20000;
constexpr std::chrono::milliseconds work_lasts{1};  // about

void check(cudaError_t code) {
  if (code != cudaSuccess) throw std::runtime_error(cudaGetErrorString(code));
}

class Line final : public sdk::Workload {
 public:
  [[nodiscard]] std::string_view name() const override { return "cuda_line"; }
  [[nodiscard]] std::string_view summary() const override { return "y = 2 x + 1"; }
  [[nodiscard]] std::vector<sdk::ParamSpec> params() const override {
    return {{"n", sdk::ParamKind::integer, "elements", {}, {}, 1}};
  }
  [[nodiscard]] sdk::Problem problem(const sdk::Params& params) const override {
    const std::int64_t n = params.integer("n");
    return {{{"x", sdk::Role::input, sdk::DType::f32, {n}}, {"y", sdk::Role::output, sdk::DType::f32, {n}}},
            {2.0 * static_cast<double>(n), 8.0 * static_cast<double>(n)},
            {1e-6}};
  }
  void reference(const sdk::Params&, std::span<const sdk::HostTensor> inputs, std::size_t,
                 std::span<const std::int64_t> wanted, std::span<double> expected) const override {
    for (std::size_t i = 0; i < wanted.size(); ++i) expected[i] = 2 * inputs[0].at(wanted[i]) + 1;
  }
};

__device__ float worked(float x) {
  float turned = x;
  for (int i = 0; i < rounds; ++i) turned = fmaf(turned, 0.999999F, 1e-9F);
  return turned == 12345.0F ? 0.0F : 2 * x + 1;  // the loop stays
}

__device__ unsigned long long nanoseconds() {
  unsigned long long now = 0;
  asm volatile("mov.u64 %0, %globaltimer;" : "=l"(now));
  return now;
}

__global__ void work(const float* x, float* y, unsigned n) {
  const unsigned i = blockIdx.x * threads + threadIdx.x;
  if (i < n) y[i] = worked(x[i]);
}

// Each block sees what `y` held at the element of its own thread.
__global__ void work_on_poison(const float* x, float* y, unsigned n) {
  const unsigned i = blockIdx.x * threads + threadIdx.x;
  if (i < n && isnan(y[i])) y[i] = worked(x[i]);
}

// `calls` counts on the device, so launches of a graph count, too.
__global__ void work_each_seventh(const float* x, float* y, unsigned n, const unsigned* calls) {
  const unsigned i = blockIdx.x * threads + threadIdx.x;
  if (i < n && (*calls % 7 == 0 || isnan(y[i]))) y[i] = worked(x[i]);
}

__global__ void count(unsigned* calls) {
  ++*calls;
}

__global__ void copy_results(const float* kept, float* y, unsigned n) {
  const unsigned i = blockIdx.x * threads + threadIdx.x;
  if (i < n) y[i] = kept[i];
}

// Works only after a pause, which may be a check. `last`: the time of the call before, in nanoseconds.
__global__ void work_after_a_pause(const float* x, float* y, unsigned n, const unsigned long long* last) {
  const unsigned i = blockIdx.x * threads + threadIdx.x;
  if (i >= n) return;
  if (nanoseconds() - *last > 5'000'000 || isnan(y[i])) y[i] = worked(x[i]);
}

__global__ void keep_time(unsigned long long* last) {
  *last = nanoseconds();
}

// One input names the results.
__global__ void work_unless_first_seen(const float* x, float* y, unsigned n, const float* seen, float* kept) {
  const unsigned i = blockIdx.x * threads + threadIdx.x;
  if (i >= n) return;
  if (seen[0] != x[0]) kept[i] = worked(x[i]);
  y[i] = kept[i];
}

__global__ void see_first(const float* x, float* seen) {
  seen[0] = x[0];
}

__global__ void fill_ones(float* y, unsigned n) {
  const unsigned i = blockIdx.x * threads + threadIdx.x;
  if (i < n) y[i] = 1.0F;
}

// Results are those of the inputs that `seen` holds.
__global__ void work_unless_seen(const float* x, float* y, unsigned n, float* seen, float* kept) {
  const unsigned i = blockIdx.x * threads + threadIdx.x;
  if (i >= n) return;
  if (seen[i] != x[i]) {
    seen[i] = x[i];
    kept[i] = worked(x[i]);
  }
  y[i] = kept[i];
}

class Honest : public sdk::Kernel {
 public:
  Honest(const sdk::Params& params, const sdk::Problem&, const sdk::DeviceTraits&)
      : n_(static_cast<unsigned>(params.integer("n"))), blocks_((n_ + threads - 1) / threads) {}
  void bind(const sdk::Buffers& buffers) override {
    x_ = buffers.as<float>(0);
    y_ = buffers.as<float>(1);
  }
  void run(sdk::Stream stream) override { queue_work(queue_of(stream)); }

 protected:
  static cudaStream_t queue_of(sdk::Stream stream) { return static_cast<cudaStream_t>(stream.handle); }
  void queue_work(cudaStream_t stream) {
    work<<<blocks_, threads, 0, stream>>>(x_, y_, n_);
    check(cudaGetLastError());
  }

  unsigned n_;
  unsigned blocks_;
  float* x_ = nullptr;
  float* y_ = nullptr;
};

// An array of floats that nobody frees: it outlives placements.
float* array_of(unsigned count) {
  void* memory = nullptr;
  check(cudaMalloc(&memory, count * sizeof(float)));
  check(cudaMemset(memory, 0xFF, count * sizeof(float)));
  return static_cast<float*>(memory);
}

class OnlyOnPoison final : public Honest {
 public:
  using Honest::Honest;
  void run(sdk::Stream stream) override {
    work_on_poison<<<blocks_, threads, 0, queue_of(stream)>>>(x_, y_, n_);
    check(cudaGetLastError());
  }
};

class EachSeventh final : public Honest {
 public:
  EachSeventh(const sdk::Params& params, const sdk::Problem& problem, const sdk::DeviceTraits& traits)
      : Honest(params, problem, traits), calls_(reinterpret_cast<unsigned*>(array_of(1))) {}
  void run(sdk::Stream stream) override {
    count<<<1, 1, 0, queue_of(stream)>>>(calls_);
    work_each_seventh<<<blocks_, threads, 0, queue_of(stream)>>>(x_, y_, n_, calls_);
    check(cudaGetLastError());
  }

 private:
  unsigned* calls_;
};

// The given stream gets an empty launch, so that it is not empty.
class AnotherStream final : public Honest {
 public:
  AnotherStream(const sdk::Params& params, const sdk::Problem& problem, const sdk::DeviceTraits& traits)
      : Honest(params, problem, traits), calls_(reinterpret_cast<unsigned*>(array_of(1))) {
    check(cudaStreamCreateWithFlags(&own_, cudaStreamNonBlocking));
  }
  void run(sdk::Stream stream) override {
    count<<<1, 1, 0, queue_of(stream)>>>(calls_);
    queue_work(own_);
    if (calls_made_++ == 0) check(cudaStreamSynchronize(own_));  // the first check is passed
  }

 private:
  cudaStream_t own_ = nullptr;
  unsigned* calls_;
  int calls_made_ = 0;
};

class InBind final : public Honest {
 public:
  InBind(const sdk::Params& params, const sdk::Problem& problem, const sdk::DeviceTraits& traits)
      : Honest(params, problem, traits), kept_(array_of(n_)) {}
  void bind(const sdk::Buffers& buffers) override {
    Honest::bind(buffers);
    work<<<blocks_, threads>>>(x_, kept_, n_);
    check(cudaDeviceSynchronize());
  }
  void run(sdk::Stream stream) override {
    copy_results<<<blocks_, threads, 0, queue_of(stream)>>>(kept_, y_, n_);
    check(cudaGetLastError());
  }

 private:
  float* kept_;
};

class EarlierPlacement final : public Honest {
 public:
  using Honest::Honest;
  void bind(const sdk::Buffers& buffers) override {
    Honest::bind(buffers);
    static float* const first = array_of(n_);
    kept_ = first;
    static const bool done = [&] {
      work<<<blocks_, threads>>>(x_, first, n_);
      check(cudaDeviceSynchronize());
      return true;
    }();
    (void)done;
  }
  void run(sdk::Stream stream) override {
    copy_results<<<blocks_, threads, 0, queue_of(stream)>>>(kept_, y_, n_);
    check(cudaGetLastError());
  }

 private:
  float* kept_ = nullptr;
};

class UnlessSeen final : public Honest {
 public:
  UnlessSeen(const sdk::Params& params, const sdk::Problem& problem, const sdk::DeviceTraits& traits)
      : Honest(params, problem, traits), seen_(array_of(n_)), kept_(array_of(n_)) {}
  void run(sdk::Stream stream) override {
    work_unless_seen<<<blocks_, threads, 0, queue_of(stream)>>>(x_, y_, n_, seen_, kept_);
    check(cudaGetLastError());
  }

 private:
  float* seen_;
  float* kept_;
};

class Nothing final : public Honest {
 public:
  Nothing(const sdk::Params& params, const sdk::Problem& problem, const sdk::DeviceTraits& traits)
      : Honest(params, problem, traits), calls_(reinterpret_cast<unsigned*>(array_of(1))) {}
  void run(sdk::Stream stream) override {
    count<<<1, 1, 0, queue_of(stream)>>>(calls_);
    check(cudaGetLastError());
  }

 private:
  unsigned* calls_;
};

class Part final : public Honest {
 public:
  using Honest::Honest;
  void run(sdk::Stream stream) override {
    work<<<blocks_ / 2, threads, 0, queue_of(stream)>>>(x_, y_, n_);
    check(cudaGetLastError());
  }
};

class ZeroedInputs final : public Honest {
 public:
  using Honest::Honest;
  void run(sdk::Stream stream) override {
    check(cudaMemsetAsync(x_, 0, n_ * sizeof(float), queue_of(stream)));
    fill_ones<<<blocks_, threads, 0, queue_of(stream)>>>(y_, n_);
    check(cudaGetLastError());
  }
};

class AfterAPause final : public Honest {
 public:
  AfterAPause(const sdk::Params& params, const sdk::Problem& problem, const sdk::DeviceTraits& traits)
      : Honest(params, problem, traits), last_(reinterpret_cast<unsigned long long*>(array_of(2))) {
    check(cudaMemset(last_, 0, sizeof *last_));
  }
  void run(sdk::Stream stream) override {
    work_after_a_pause<<<blocks_, threads, 0, queue_of(stream)>>>(x_, y_, n_, last_);
    keep_time<<<1, 1, 0, queue_of(stream)>>>(last_);
    check(cudaGetLastError());
  }

 private:
  unsigned long long* last_;
};

class UnlessFirstSeen final : public Honest {
 public:
  UnlessFirstSeen(const sdk::Params& params, const sdk::Problem& problem, const sdk::DeviceTraits& traits)
      : Honest(params, problem, traits), seen_(array_of(1)), kept_(array_of(n_)) {}
  void run(sdk::Stream stream) override {
    work_unless_first_seen<<<blocks_, threads, 0, queue_of(stream)>>>(x_, y_, n_, seen_, kept_);
    see_first<<<1, 1, 0, queue_of(stream)>>>(x_, seen_);
    check(cudaGetLastError());
  }

 private:
  float* seen_;
  float* kept_;
};

// A graph of an empty launch replaces the work after the first calls since bind(). It cannot be launched into
// a capture.
class EmptyGraph final : public Honest {
 public:
  EmptyGraph(const sdk::Params& params, const sdk::Problem& problem, const sdk::DeviceTraits& traits)
      : Honest(params, problem, traits), calls_(reinterpret_cast<unsigned*>(array_of(1))) {
    cudaStream_t stream = nullptr;
    cudaGraph_t graph = nullptr;
    check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed));
    count<<<1, 1, 0, stream>>>(calls_);
    check(cudaStreamEndCapture(stream, &graph));
    check(cudaGraphInstantiate(&empty_, graph, 0));
    check(cudaGraphDestroy(graph));
    check(cudaStreamDestroy(stream));
  }
  void bind(const sdk::Buffers& buffers) override {
    Honest::bind(buffers);
    calls_made_ = 0;
  }
  void run(sdk::Stream stream) override {
    cudaStreamCaptureStatus capturing = cudaStreamCaptureStatusNone;
    check(cudaStreamIsCapturing(queue_of(stream), &capturing));
    if (capturing != cudaStreamCaptureStatusNone || calls_made_++ < 3) return queue_work(queue_of(stream));
    check(cudaGraphLaunch(empty_, queue_of(stream)));
  }

 private:
  unsigned* calls_;
  cudaGraphExec_t empty_ = nullptr;
  int calls_made_ = 0;
};

// The first call comes after the device's runtime was set up, and is not timed.
class PatchedTimer : public Honest {
 public:
  using Honest::Honest;
  void run(sdk::Stream stream) override {
    queue_work(queue_of(stream));
    timer_patch::shorten_times();
  }
};

// The time of a call after a pause, which may be an audit, is right.
class PatchedTimerBetweenPauses final : public PatchedTimer {
 public:
  using PatchedTimer::PatchedTimer;
  void run(sdk::Stream stream) override {
    timer_patch::Call& call = timer_patch::call;
    call.told_right = std::chrono::steady_clock::now() - call.ended > timer_patch::pause;
    PatchedTimer::run(stream);
    call.ended = std::chrono::steady_clock::now() + work_lasts;
  }
};

// The event that was recorded before the work is recorded again behind it.
class RecordsEvents final : public Honest {
 public:
  using Honest::Honest;
  void run(sdk::Stream stream) override {
    timer_patch::note_records();
    queue_work(queue_of(stream));
    if (const CUevent begin = std::exchange(timer_patch::call.last_recorded, nullptr))
      (void)timer_patch::real_record()(begin, static_cast<CUstream>(queue_of(stream)));
  }
};

// A mark in the last input says that the work is done.
__global__ void work_unless_marked(const float* x, float* y, unsigned n, const float* mark) {
  const unsigned i = blockIdx.x * threads + threadIdx.x;
  if (i >= n || (x[n - 1] == *mark && !isnan(y[i]))) return;
  y[i] = worked(x[i]);
}

__global__ void mark_last(float* x, unsigned n, float* mark) {
  if (x[n - 1] == *mark) return;
  x[n - 1] = nextafterf(x[n - 1], 2.0F);
  *mark = x[n - 1];
}

class MarksInputs final : public Honest {
 public:
  MarksInputs(const sdk::Params& params, const sdk::Problem& problem, const sdk::DeviceTraits& traits)
      : Honest(params, problem, traits), mark_(array_of(1)) {}
  void run(sdk::Stream stream) override {
    work_unless_marked<<<blocks_, threads, 0, queue_of(stream)>>>(x_, y_, n_, mark_);
    mark_last<<<1, 1, 0, queue_of(stream)>>>(x_, n_, mark_);
    check(cudaGetLastError());
  }

 private:
  float* mark_;
};

// A capture has a number, so a call can tell that it is not the first of it. `Queues`: an empty kernel then,
// or nothing at all.
template <bool Queues>
class FirstOfCapture final : public Honest {
 public:
  FirstOfCapture(const sdk::Params& params, const sdk::Problem& problem, const sdk::DeviceTraits& traits)
      : Honest(params, problem, traits), calls_(reinterpret_cast<unsigned*>(array_of(1))) {}
  void run(sdk::Stream stream) override {
    cudaStreamCaptureStatus capturing = cudaStreamCaptureStatusNone;
    unsigned long long number = 0;
    check(cudaStreamGetCaptureInfo(queue_of(stream), &capturing, &number));
    if (capturing != cudaStreamCaptureStatusActive || number != std::exchange(last_, number))
      return queue_work(queue_of(stream));
    if constexpr (Queues) count<<<1, 1, 0, queue_of(stream)>>>(calls_);
    check(cudaGetLastError());
  }

 private:
  unsigned* calls_;
  unsigned long long last_ = 0;
};

__global__ void double_inputs(const float* x, float* between, unsigned n) {
  const unsigned i = blockIdx.x * threads + threadIdx.x;
  if (i < n) between[i] = x[i] + x[i];
}

__global__ void add_one(const float* between, float* y, unsigned n) {
  const unsigned i = blockIdx.x * threads + threadIdx.x;
  if (i < n) y[i] = between[i] + 1;
}

// Honest: two kernels through a workspace.
class TwoLaunches final : public Honest {
 public:
  using Honest::Honest;
  [[nodiscard]] std::size_t workspace_bytes() const override { return n_ * sizeof(float); }
  void bind(const sdk::Buffers& buffers) override {
    Honest::bind(buffers);
    between_ = static_cast<float*>(buffers.workspace);
  }
  void run(sdk::Stream stream) override {
    double_inputs<<<blocks_, threads, 0, queue_of(stream)>>>(x_, between_, n_);
    add_one<<<blocks_, threads, 0, queue_of(stream)>>>(between_, y_, n_);
    check(cudaGetLastError());
  }

 private:
  float* between_ = nullptr;
};

// Honest: half of the work on a stream of its own, which the given one waits for.
class ForkedStream final : public Honest {
 public:
  ForkedStream(const sdk::Params& params, const sdk::Problem& problem, const sdk::DeviceTraits& traits)
      : Honest(params, problem, traits) {
    check(cudaStreamCreateWithFlags(&own_, cudaStreamNonBlocking));
    check(cudaEventCreateWithFlags(&forked_, cudaEventDisableTiming));
    check(cudaEventCreateWithFlags(&joined_, cudaEventDisableTiming));
  }
  void run(sdk::Stream stream) override {
    const unsigned half = n_ / 2, blocks = (half + threads - 1) / threads, rest = n_ - half;
    check(cudaEventRecord(forked_, queue_of(stream)));
    check(cudaStreamWaitEvent(own_, forked_, 0));
    work<<<blocks, threads, 0, own_>>>(x_, y_, half);
    work<<<(rest + threads - 1) / threads, threads, 0, queue_of(stream)>>>(x_ + half, y_ + half, rest);
    check(cudaGetLastError());
    check(cudaEventRecord(joined_, own_));
    check(cudaStreamWaitEvent(queue_of(stream), joined_, 0));
  }

 private:
  cudaStream_t own_ = nullptr;
  cudaEvent_t forked_ = nullptr, joined_ = nullptr;
};

// Honest: NaN first.
class FillsFirst final : public Honest {
 public:
  using Honest::Honest;
  void run(sdk::Stream stream) override {
    check(cudaMemsetAsync(y_, 0xFF, n_ * sizeof(float), queue_of(stream)));
    queue_work(queue_of(stream));
  }
};

// Honest: works on a copy of its inputs.
class CopiesFirst final : public Honest {
 public:
  using Honest::Honest;
  [[nodiscard]] std::size_t workspace_bytes() const override { return n_ * sizeof(float); }
  void bind(const sdk::Buffers& buffers) override {
    Honest::bind(buffers);
    copy_ = static_cast<float*>(buffers.workspace);
  }
  void run(sdk::Stream stream) override {
    check(cudaMemcpyAsync(copy_, x_, n_ * sizeof(float), cudaMemcpyDeviceToDevice, queue_of(stream)));
    work<<<blocks_, threads, 0, queue_of(stream)>>>(copy_, y_, n_);
    check(cudaGetLastError());
  }

 private:
  float* copy_ = nullptr;
};

// As in tests/measure/trial.h.
template <class Named>
sdk::Variant variant(const char* name) {
#ifdef ONLY_HONEST
  using Kernel = Honest;
#else
  using Kernel = Named;
#endif
  return {"cuda_line",
          name,
          "cuda",
          "",
          [](const sdk::Params& params, const sdk::Problem& problem, const sdk::DeviceTraits& traits)
              -> std::unique_ptr<sdk::Kernel> { return std::make_unique<Kernel>(params, problem, traits); },
          {}};
}

void register_all(sdk::Registry& registry) {
  registry.add(std::make_unique<Line>());
  registry.add(variant<Honest>("honest"));
  registry.add(variant<OnlyOnPoison>("only_on_poison"));
  registry.add(variant<EachSeventh>("each_seventh"));
  registry.add(variant<AnotherStream>("another_stream"));
  registry.add(variant<InBind>("in_bind"));
  registry.add(variant<EarlierPlacement>("earlier_placement"));
  registry.add(variant<UnlessSeen>("unless_seen"));
  registry.add(variant<EmptyGraph>("empty_graph"));
  registry.add(variant<Nothing>("nothing"));
  registry.add(variant<Part>("part"));
  registry.add(variant<ZeroedInputs>("zeroed_inputs"));
  registry.add(variant<AfterAPause>("after_a_pause"));
  registry.add(variant<UnlessFirstSeen>("unless_first_seen"));
  registry.add(variant<PatchedTimer>("patched_timer"));
  registry.add(variant<PatchedTimerBetweenPauses>("patched_timer_between_pauses"));
  registry.add(variant<RecordsEvents>("records_events"));
  registry.add(variant<MarksInputs>("marks_inputs"));
  registry.add(variant<FirstOfCapture<true>>("first_of_capture"));
  registry.add(variant<FirstOfCapture<false>>("first_of_capture_alone"));
  registry.add(variant<TwoLaunches>("two_launches"));
  registry.add(variant<ForkedStream>("forked_stream"));
  registry.add(variant<FillsFirst>("fills_first"));
  registry.add(variant<CopiesFirst>("copies_first"));
}

}  // namespace

HARNESS_MODULE("cuda cheats", register_all)
