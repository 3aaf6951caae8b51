// A plugin for the GPU tests: the workload `probe` (y = x) with variants to time and variants that are
// broken on purpose, one way each.
#include <cuda_runtime.h>

#include <algorithm>
#include <memory>
#include <stdexcept>

#include "harness/sdk/registry.h"

namespace {

using namespace harness::sdk;

class Probe final : public Workload {
 public:
  [[nodiscard]] std::string_view name() const override { return "probe"; }
  [[nodiscard]] std::string_view summary() const override { return "y = x"; }
  [[nodiscard]] std::vector<ParamSpec> params() const override {
    return {{"n", ParamKind::integer, "elements", {}, {}, 1}};
  }
  [[nodiscard]] Problem problem(const Params& params) const override {
    const std::vector<std::int64_t> shape{params.integer("n")};
    return Problem{{{"x", Role::input, DType::f32, shape}, {"y", Role::output, DType::f32, shape}},
                   Work{0, 8.0 * static_cast<double>(shape[0])},
                   Tolerance{0}};
  }
  void reference(const Params&, std::span<const HostTensor> inputs, std::size_t,
                 std::span<const std::int64_t> wanted, std::span<double> expected) const override {
    for (std::size_t i = 0; i < wanted.size(); ++i) expected[i] = inputs[0].at(wanted[i]);
  }
};

__global__ void nothing() {}

__global__ void copy(const float* x, float* y, long long count, float last_offset) {
  const long long stride = static_cast<long long>(gridDim.x) * blockDim.x;
  for (long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x; i < count; i += stride)
    y[i] = x[i] + (i == count - 1 ? last_offset : 0.0F);
}

// Launched by one variant each and by nothing before it, so that their code is loaded at the first call.
__global__ void rare_copy(const float* x, float* y, long long count) {
  for (long long i = threadIdx.x; i < count; i += blockDim.x) y[i] = x[i];
}
__global__ void rarer_copy(const float* x, float* y, long long count) {
  for (long long i = blockDim.x - 1 - threadIdx.x; i < count; i += blockDim.x) y[i] = x[i];
}

__global__ void write_nowhere(float* y) {
  y[1LL << 44] = 1.0F;
}

enum class Way {
  empty,
  twenty,
  ten_thousand,
  copy,
  persists,
  captured,
  waits,
  allocates,
  lazy,
  lazy_too,
  elsewhere,
  forks,
  forks_and_works,
  by_default,
  partly_by_default,
  off_at_the_end,
  throws,
  refused,
  illegal,
  unsupported
};

template <Way way>
class Variation final : public Kernel {
 public:
  Variation(const Params& params, const Problem&, const DeviceTraits&) : count_(params.integer("n")) {
    if (way == Way::unsupported) throw Unsupported("this variant supports nothing");
    if (way == Way::elsewhere) own_stream();
    if (way == Way::forks || way == Way::forks_and_works)
      for (cudaEvent_t* const one : {&forked_, &joined_})
        cudaEventCreateWithFlags(one, cudaEventDisableTiming);
    if (way == Way::persists) cudaDeviceSetLimit(cudaLimitPersistingL2CacheSize, most_persisting());
  }
  ~Variation() override {
    for (cudaEvent_t const one : {forked_, joined_})
      if (one != nullptr) cudaEventDestroy(one);
    if (way != Way::persists) return;
    cudaDeviceSetLimit(cudaLimitPersistingL2CacheSize, 0);
    cudaCtxResetPersistingL2Cache();
  }
  void bind(const Buffers& buffers) override {
    x_ = buffers.as<const float>(0);
    y_ = buffers.as<float>(1);
    if (way == Way::captured) capture();
  }
  void run(Stream stream) override {
    auto* const queue = static_cast<cudaStream_t>(stream.handle);
    switch (way) {
      case Way::empty: nothing<<<1, 1, 0, queue>>>(); break;
      case Way::twenty:
        for (int i = 0; i < 20; ++i) nothing<<<1, 1, 0, queue>>>();
        break;
      case Way::ten_thousand:
        for (int i = 0; i < 10'000; ++i) nothing<<<1, 1, 0, queue>>>();
        copy_all(queue, 0);
        break;
      case Way::copy: copy_all(queue, 0); break;
      case Way::persists:
        keep_input(queue, cudaAccessPropertyPersisting);
        copy_all(queue, 0);
        keep_input(queue, cudaAccessPropertyNormal);
        break;
      case Way::captured:
        if (cudaGraphLaunch(graph_.get(), queue) != cudaSuccess) throw std::runtime_error("cudaGraphLaunch");
        break;
      case Way::allocates: {
        void* scratch = nullptr;
        cudaMalloc(&scratch, 1 << 20);
        copy_all(queue, 0);
        cudaFree(scratch);
        break;
      }
      case Way::lazy: rare_copy<<<1, 256, 0, queue>>>(x_, y_, count_); break;
      case Way::lazy_too: rarer_copy<<<1, 256, 0, queue>>>(x_, y_, count_); break;
      case Way::elsewhere: copy_all(own_stream(), 0); break;
      case Way::forks:
      case Way::forks_and_works: copy_beside(queue); break;
      case Way::by_default: copy_all(cudaStreamLegacy, 0); break;
      case Way::partly_by_default:
        copy<<<1024, 256, 0, queue>>>(x_, y_, count_ / 4, 0);
        copy<<<1024, 256>>>(x_ + count_ / 4, y_ + count_ / 4, count_ - count_ / 4, 0);
        break;
      case Way::waits:
        copy_all(queue, 0);
        cudaStreamSynchronize(queue);
        break;
      case Way::off_at_the_end: copy_all(queue, 1); break;
      case Way::throws: throw std::runtime_error("thrown by run()");
      case Way::refused: copy<<<1, 4096, 0, queue>>>(x_, y_, count_, 0); break;
      case Way::illegal: write_nowhere<<<1, 1, 0, queue>>>(y_); break;
      case Way::unsupported: break;
    }
  }

 private:
  void copy_all(cudaStream_t queue, float last_offset) const {
    copy<<<1056, 512, 0, queue>>>(x_, y_, count_, last_offset);
  }

  // The copy runs on another stream, behind an empty kernel of this one.
  void copy_beside(cudaStream_t queue) const {
    nothing<<<1, 1, 0, queue>>>();
    cudaEventRecord(forked_, queue);
    cudaStreamWaitEvent(own_stream(), forked_);
    copy_all(own_stream(), 0);
    cudaEventRecord(joined_, own_stream());
    if (way == Way::forks_and_works) nothing<<<1, 1, 0, queue>>>();
    cudaStreamWaitEvent(queue, joined_);
  }

  // Throws where anything disturbs the capture.
  void capture() {
    cudaStream_t stream = nullptr;
    cudaGraph_t graph = nullptr;
    cudaGraphExec_t ready = nullptr;
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal);
    copy_all(stream, 0);
    const cudaError_t ended = cudaStreamEndCapture(stream, &graph);
    if (ended == cudaSuccess) cudaGraphInstantiate(&ready, graph, 0);
    graph_.reset(ready);
    if (graph != nullptr) cudaGraphDestroy(graph);
    cudaStreamDestroy(stream);
    if (ended != cudaSuccess || ready == nullptr) throw std::runtime_error(cudaGetErrorName(ended));
  }

  // As much of the input as the device lets persist, for the launches that follow on this stream.
  void keep_input(cudaStream_t queue, cudaAccessProperty property) const {
    cudaStreamAttrValue window{};
    window.accessPolicyWindow.base_ptr = const_cast<float*>(x_);
    window.accessPolicyWindow.num_bytes =
        std::min(static_cast<std::size_t>(count_) * sizeof(float), most_persisting());
    window.accessPolicyWindow.hitRatio = 1.0F;
    window.accessPolicyWindow.hitProp = property;
    window.accessPolicyWindow.missProp = cudaAccessPropertyStreaming;
    cudaStreamSetAttribute(queue, cudaStreamAttributeAccessPolicyWindow, &window);
  }

  static std::size_t most_persisting() {
    int device = 0;
    int most = 0;
    cudaGetDevice(&device);
    cudaDeviceGetAttribute(&most, cudaDevAttrMaxPersistingL2CacheSize, device);
    return static_cast<std::size_t>(std::max(0, most));
  }

  static cudaStream_t own_stream() {
    static cudaStream_t stream = [] {
      cudaStream_t made = nullptr;
      cudaStreamCreateWithFlags(&made, cudaStreamNonBlocking);
      return made;
    }();
    return stream;
  }

  long long count_;
  const float* x_ = nullptr;
  float* y_ = nullptr;
  cudaEvent_t forked_ = nullptr, joined_ = nullptr;
  std::unique_ptr<CUgraphExec_st, cudaError_t (*)(cudaGraphExec_t)> graph_{nullptr, cudaGraphExecDestroy};
};

}  // namespace

HARNESS_WORKLOAD(probe, Probe)
HARNESS_VARIANT(probe, empty, cuda, "one empty kernel", Variation<Way::empty>)
HARNESS_VARIANT(probe, twenty, cuda, "twenty empty kernels", Variation<Way::twenty>)
HARNESS_VARIANT(probe, copy, cuda, "a copy", Variation<Way::copy>)
HARNESS_VARIANT(probe, ten_thousand, cuda, "ten thousand empty kernels", Variation<Way::ten_thousand>)
HARNESS_VARIANT(probe, persists, cuda, "a copy whose input stays in L2", Variation<Way::persists>)
HARNESS_VARIANT(probe, captured, cuda, "a copy in a graph that bind() captures", Variation<Way::captured>)
HARNESS_VARIANT(probe, allocates, cuda, "allocates and frees", Variation<Way::allocates>)
HARNESS_VARIANT(probe, lazy, cuda, "a kernel that nothing else launches", Variation<Way::lazy>)
HARNESS_VARIANT(probe, lazy_too, cuda, "another such kernel", Variation<Way::lazy_too>)
HARNESS_VARIANT(probe, elsewhere, cuda, "queues on a stream of its own", Variation<Way::elsewhere>)
HARNESS_VARIANT(probe, forks, cuda, "copies on another stream", Variation<Way::forks>)
HARNESS_VARIANT(probe, forks_and_works, cuda, "the same, and goes on on its own",
                Variation<Way::forks_and_works>)
HARNESS_VARIANT(probe, by_default, cuda, "queues on the default stream", Variation<Way::by_default>)
HARNESS_VARIANT(probe, partly_by_default, cuda, "three quarters of it there",
                Variation<Way::partly_by_default>)
HARNESS_VARIANT(probe, waits, cuda, "waits for the device and does not say so", Variation<Way::waits>)
HARNESS_VARIANT(probe, off_at_the_end, cuda, "the last element is wrong", Variation<Way::off_at_the_end>)
HARNESS_VARIANT(probe, throws, cuda, "run() throws", Variation<Way::throws>)
HARNESS_VARIANT(probe, refused, cuda, "a launch no device accepts", Variation<Way::refused>)
HARNESS_VARIANT(probe, illegal, cuda, "writes where no memory is", Variation<Way::illegal>)
HARNESS_VARIANT(probe, unsupported, cuda, "supports nothing", Variation<Way::unsupported>)

static void register_all(Registry& registry) {
  register_workload_probe(registry);
  register_variant_probe_empty(registry);
  register_variant_probe_twenty(registry);
  register_variant_probe_copy(registry);
  register_variant_probe_ten_thousand(registry);
  register_variant_probe_persists(registry);
  register_variant_probe_captured(registry);
  register_variant_probe_allocates(registry);
  register_variant_probe_lazy(registry);
  register_variant_probe_lazy_too(registry);
  register_variant_probe_elsewhere(registry);
  register_variant_probe_forks(registry);
  register_variant_probe_forks_and_works(registry);
  register_variant_probe_by_default(registry);
  register_variant_probe_partly_by_default(registry);
  register_variant_probe_waits(registry);
  register_variant_probe_off_at_the_end(registry);
  register_variant_probe_throws(registry);
  register_variant_probe_refused(registry);
  register_variant_probe_illegal(registry);
  register_variant_probe_unsupported(registry);
}

HARNESS_MODULE("gpu tests", register_all)
