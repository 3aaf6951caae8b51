// A build of y = 2x + 1 for a GPU, in the way that the name of its file tells, as ../builds/plugin.cpp. A
// call takes as long as `loops` tells; `slower_3.so` takes 3 % longer.
#include <cuda_runtime.h>
#include <dlfcn.h>

#include <cstdlib>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>

#include "harness/sdk/registry.h"

namespace {

namespace sdk = harness::sdk;

std::string way() {
  Dl_info here{};
  dladdr(reinterpret_cast<const void*>(&way), &here);
  return std::filesystem::path(here.dli_fname).stem().string();
}

// 1 - (1 - v) is v, but for one rounding. The compiler may not know.
__global__ void line(const float* x, float* y, int n, int loops) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i >= n) return;
  float v = x[i];
  for (int loop = 0; loop < loops; ++loop) v = 1.0F - v;
  y[i] = 2 * v + 1;
}

__global__ void spin(long long cycles) {
  for (const long long begin = clock64(); clock64() - begin < cycles;) {
  }
}

class Line final : public sdk::Workload {
 public:
  [[nodiscard]] std::string_view name() const override { return "gpu_line"; }
  [[nodiscard]] std::string_view summary() const override { return "y = 2x + 1, slowly"; }
  [[nodiscard]] std::vector<sdk::ParamSpec> params() const override {
    return {{"n", sdk::ParamKind::integer, "elements", {}, {}, 1},
            {"loops", sdk::ParamKind::integer, "how slowly", {}, {}, 0}};
  }
  [[nodiscard]] sdk::Problem problem(const sdk::Params& params) const override {
    const std::int64_t n = params.integer("n");
    return sdk::Problem{
        {{"x", sdk::Role::input, sdk::DType::f32, {n}}, {"y", sdk::Role::output, sdk::DType::f32, {n}}},
        sdk::Work{static_cast<double>(2 * n), static_cast<double>(8 * n)},
        sdk::Tolerance{1e-5}};
  }
  void reference(const sdk::Params&, std::span<const sdk::HostTensor> inputs, std::size_t,
                 std::span<const std::int64_t> wanted, std::span<double> expected) const override {
    for (std::size_t i = 0; i < wanted.size(); ++i) expected[i] = 2 * inputs[0].at(wanted[i]) + 1;
  }
};

struct Shared {
  int calls = 0;
  cudaStream_t other = nullptr;
  std::map<const float*, float*> by_address;  // results
};
Shared& shared() {
  static Shared all;
  if (all.other == nullptr) (void)cudaStreamCreateWithFlags(&all.other, cudaStreamNonBlocking);
  return all;
}

class Slowly final : public sdk::Kernel {
 public:
  Slowly(const sdk::Params& params, const sdk::Problem&, const sdk::DeviceTraits&)
      : way_(way()),
        n_(static_cast<int>(params.integer("n"))),
        loops_(static_cast<int>(params.integer("loops"))) {
    constexpr std::string_view slower = "slower_";
    if (way_.starts_with(slower))
      loops_ =
          static_cast<int>(loops_ * (1 + std::strtod(way_.c_str() + slower.size(), nullptr) / 100)) / 2 * 2;
  }
  void bind(const sdk::Buffers& buffers) override {
    x_ = buffers.as<float>(0);
    y_ = buffers.as<float>(1);
    (void)shared();
  }
  void run(sdk::Stream stream) override {
    const auto given = static_cast<cudaStream_t>(stream.handle);
    const int call = shared().calls++;
    if (way_ == "nothing") return;
    if (way_ == "each_second" && call % 2 == 1) return;
    if (way_ == "another_stream") return work(shared().other);
    if (way_ == "later") {
      spin<<<1, 1, 0, shared().other>>>(20'000'000);  // 10 ms
      return work(shared().other);
    }
    if (way_ == "by_address") return work_by_address(given);
    if (way_ == "crashes" && call >= 8) return line<<<1, 1, 0, given>>>(nullptr, nullptr, 1, 0);
    if (way_ == "hangs" && call >= 8) return spin<<<1, 1, 0, given>>>(1LL << 62);
    work(given);
    // While the other build plays, too.
    if (way_ == "disturbs") spin<<<1, 1, 0, shared().other>>>(2'000'000);
  }

 private:
  void work(cudaStream_t stream) const {
    constexpr int threads = 256;
    line<<<(n_ + threads - 1) / threads, threads, 0, stream>>>(x_, y_, n_, loops_);
  }
  void work_by_address(cudaStream_t stream) const {
    float*& kept = shared().by_address[x_];
    const std::size_t bytes = static_cast<std::size_t>(n_) * sizeof(float);
    if (kept == nullptr) {
      work(stream);
      (void)cudaMalloc(&kept, bytes);
      (void)cudaMemcpyAsync(kept, y_, bytes, cudaMemcpyDeviceToDevice, stream);
    }
    (void)cudaMemcpyAsync(y_, kept, bytes, cudaMemcpyDeviceToDevice, stream);
  }

  std::string way_;
  int n_, loops_;
  float* x_ = nullptr;
  float* y_ = nullptr;
};

void register_all(sdk::Registry& registry) {
  registry.add(std::make_unique<Line>());
  registry.add(sdk::Variant{"gpu_line", "slowly", "cuda", "as its file is called",
                            [](const sdk::Params& params, const sdk::Problem& problem,
                               const sdk::DeviceTraits& traits) -> std::unique_ptr<sdk::Kernel> {
                              return std::make_unique<Slowly>(params, problem, traits);
                            }});
}

}  // namespace

HARNESS_MODULE("referee_gpu_plugin", register_all)
