#include "harness/device/cuda/ceilings.h"

#include <cublas_v2.h>
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "harness/device/cuda/check.h"
#include "harness/device/cuda/gpu_kernels.h"
#include "harness/device/cuda/timing/cache.h"

namespace harness::cuda {
namespace {

constexpr int sample_count = 10;
constexpr Seconds product_budget = 0.5;  // for all products together
constexpr std::size_t largest_copy = std::size_t{1} << 30;
constexpr std::size_t smallest_copy = std::size_t{1} << 26;
constexpr std::int64_t largest_product = 8192;
constexpr std::int64_t smallest_product = 1024;

cudaStream_t stream_of(sdk::Stream stream) {
  return static_cast<cudaStream_t>(stream.handle);
}

// At most a quarter of the free memory, so that the process does not run out of it.
Result<std::size_t> memory_budget() {
  std::size_t available = 0;
  std::size_t total = 0;
  if (auto status = check(cudaMemGetInfo(&available, &total), "cudaMemGetInfo"); !status)
    return fail(std::move(status.error()));
  return available / 4;
}

// Median time of `work` over `samples` gated samples, after one ungated call and two warm ones.
Result<Seconds> median_time(Timer& timer, const Work& work, int samples = sample_count) {
  if (auto first = timer.time_first_call(work); !first) return fail(std::move(first.error()));
  const TimingOptions options{.cache = CacheMode::hot};
  std::vector<Seconds> times;
  for (int i = -2; i < samples; ++i) {
    auto timing = timer.time(work, options);
    if (!timing) return fail(std::move(timing.error()));
    if (i >= 0) times.push_back(timing->elapsed);
  }
  std::sort(times.begin(), times.end());
  const std::size_t middle = times.size() / 2;
  return times.size() % 2 == 1 ? times[middle] : (times[middle - 1] + times[middle]) / 2;
}

Result<double> copy_bytes_per_second(Timer& timer) {
  auto budget = memory_budget();
  if (!budget) return fail(std::move(budget.error()));
  std::size_t bytes = largest_copy;
  while (bytes > smallest_copy && 2 * bytes > *budget) bytes /= 2;
  auto from = allocate_device_memory(bytes);
  if (!from) return fail(std::move(from.error()));
  auto to = allocate_device_memory(bytes);
  if (!to) return fail(std::move(to.error()));

  timer.queue([&](sdk::Stream stream) { launch_random_f16(stream_of(stream), from->get(), bytes / 2, 1); });
  if (auto status = check_launch("the random fill"); !status) return fail(std::move(status.error()));
  auto by_kernel = median_time(
      timer, [&](sdk::Stream stream) { launch_copy(stream_of(stream), to->get(), from->get(), bytes); });
  if (!by_kernel) return fail(std::move(by_kernel.error()));
  // The timer reads the last error after the call, so it sees a failed copy.
  auto by_engine = median_time(timer, [&](sdk::Stream stream) {
    (void)cudaMemcpyAsync(to->get(), from->get(), bytes, cudaMemcpyDeviceToDevice, stream_of(stream));
  });
  if (!by_engine) return fail(std::move(by_engine.error()));
  return 2.0 * static_cast<double>(bytes) / std::min(*by_kernel, *by_engine);
}

Status check_cublas(cublasStatus_t code, const char* call) {
  if (code == CUBLAS_STATUS_SUCCESS) return {};
  return fail(ErrorKind::environment, fmt::format("{} failed: {} ({})", call, cublasGetStatusName(code),
                                                  cublasGetStatusString(code)));
}

struct DestroyCublas {
  void operator()(cublasContext* handle) const { (void)cublasDestroy(handle); }
};
using Cublas = std::unique_ptr<cublasContext, DestroyCublas>;

Result<Cublas> create_cublas(cudaStream_t stream) {
  cublasHandle_t raw = nullptr;
  if (auto status = check_cublas(cublasCreate(&raw), "cublasCreate"); !status)
    return fail(std::move(status.error()));
  Cublas handle(raw);
  if (auto status = check_cublas(cublasSetStream(raw, stream), "cublasSetStream"); !status)
    return fail(std::move(status.error()));
  return handle;
}

// Square matrices, all of one type, column-major as cuBLAS has them; a, b random.
struct Product {
  cublasHandle_t handle;
  cudaDataType_t type;
  void* a;
  void* b;
  void* c;

  [[nodiscard]] cublasStatus_t enqueue(std::int64_t n) const {
    const float one = 1;
    const float zero = 0;
    const auto size = static_cast<int>(n);
    return cublasGemmEx(handle, CUBLAS_OP_T, CUBLAS_OP_N, size, size, size, &one, a, type, size, b, type,
                        size, &zero, c, type, size, CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT);
  }
};

Result<Seconds> product_time(Timer& timer, const Product& product, std::int64_t n, int samples) {
  cublasStatus_t outcome = CUBLAS_STATUS_SUCCESS;
  auto time = median_time(
      timer,
      [&](sdk::Stream) {  // the handle has the same stream
        const cublasStatus_t code = product.enqueue(n);
        if (code != CUBLAS_STATUS_SUCCESS) outcome = code;
      },
      samples);
  if (auto status = check_cublas(outcome, "cublasGemmEx"); !status) return fail(std::move(status.error()));
  return time;
}

Result<double> product_flops_per_second(Timer& timer, bool has_bf16) {
  auto budget = memory_budget();
  if (!budget) return fail(std::move(budget.error()));
  constexpr std::size_t element = 2;
  std::int64_t n = largest_product;
  while (n > smallest_product && 3 * element * static_cast<std::size_t>(n * n) > *budget) n /= 2;
  const auto elements = static_cast<std::size_t>(n * n);
  auto matrices = allocate_device_memory(3 * element * elements);
  if (!matrices) return fail(std::move(matrices.error()));

  cudaStream_t stream = nullptr;
  timer.queue([&](sdk::Stream given) { stream = stream_of(given); });
  auto handle = create_cublas(stream);
  if (!handle) return fail(std::move(handle.error()));
  char* const base = static_cast<char*>(matrices->get());
  const Product product{handle->get(), has_bf16 ? CUDA_R_16BF : CUDA_R_16F, base, base + element * elements,
                        base + 2 * element * elements};
  for (void* input : {product.a, product.b}) {
    const std::uint64_t seed = input == product.a ? 1 : 2;
    (has_bf16 ? launch_random_bf16 : launch_random_f16)(stream, input, elements, seed);
    if (auto status = check_launch("the random fill"); !status) return fail(std::move(status.error()));
  }
  // Time grows with the cube of the size, so a small product tells which size fits the budget.
  auto small = product_time(timer, product, smallest_product, 1);
  if (!small) return fail(std::move(small.error()));
  const auto expected = [&](std::int64_t size) {
    const double scale = static_cast<double>(size) / static_cast<double>(smallest_product);
    return *small * scale * scale * scale * (sample_count + 3);
  };
  while (n > smallest_product && expected(n) > product_budget) n /= 2;
  auto time = product_time(timer, product, n, sample_count);
  if (!time) return fail(std::move(time.error()));
  const auto size = static_cast<double>(n);
  return 2.0 * size * size * size / *time;
}

}  // namespace

Result<std::map<std::string, double>> measure_ceilings(Timer& timer, bool has_bf16) {
  auto copied = copy_bytes_per_second(timer);
  if (!copied) return fail(std::move(copied.error()));
  auto multiplied = product_flops_per_second(timer, has_bf16);
  if (!multiplied) return fail(std::move(multiplied.error()));
  return std::map<std::string, double>{{"copy_bytes_per_s", *copied}, {"gemm_flops_per_s", *multiplied}};
}

}  // namespace harness::cuda
