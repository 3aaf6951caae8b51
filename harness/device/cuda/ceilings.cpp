#include "harness/device/cuda/ceilings.h"

#include <cublasLt.h>
#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "harness/device/cuda/check.h"
#include "harness/device/cuda/gpu_kernels.h"
#include "harness/device/cuda/timing/cache.h"

namespace harness::cuda {
namespace {

constexpr int sample_count = 10;
constexpr Seconds product_budget = 0.5;  // for the products of one type
constexpr std::size_t largest_copy = std::size_t{1} << 30;
constexpr std::size_t smallest_copy = std::size_t{1} << 26;
constexpr std::int64_t largest_product = 8192;
constexpr std::int64_t smallest_product = 1024;
constexpr std::size_t workspace_bytes = std::size_t{32} << 20;  // as NVIDIA recommends on Hopper

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

// An object of the library, which fills in out().
template <class Pointer, cublasStatus_t (*Destroy)(Pointer)>
class Owner {
 public:
  Owner() = default;
  Owner(Owner&& other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
  Owner& operator=(Owner&&) = delete;
  ~Owner() {
    if (object_ != nullptr) (void)Destroy(object_);
  }
  [[nodiscard]] Pointer get() const { return object_; }
  [[nodiscard]] Pointer* out() { return &object_; }

 private:
  Pointer object_ = nullptr;
};

// Products of one type of operands, whose result has a type of its own.
struct ProductType {
  const char* name;  // of its ceiling
  cudaDataType_t operands;
  cudaDataType_t result;
  std::size_t operand_bytes;
  std::size_t result_bytes;
  cublasComputeType_t compute;
  void (*fill)(cudaStream_t, void*, std::size_t, std::uint64_t);
};

struct Matrices {
  const void* a;
  const void* b;
  void* c;
  void* workspace;
};

// C = A^T B of square matrices, column-major, by cuBLASLt's first choice. That order of the operands is the
// only one in which every type is multiplied.
class Product {
 public:
  static Result<Product> create(const ProductType& type, std::int64_t n) {
    Product made;
    made.whole_ = type.compute == CUBLAS_COMPUTE_32I;
    const auto size = static_cast<std::uint64_t>(n);
    const cublasOperation_t transposed = CUBLAS_OP_T;
    const std::int8_t fast = type.operands == CUDA_R_8F_E4M3 ? 1 : 0;
    Owner<cublasLtMatmulPreference_t, cublasLtMatmulPreferenceDestroy> preference;
    cublasLtMatmulHeuristicResult_t choice{};
    int found = 0;
    cublasStatus_t code = CUBLAS_STATUS_SUCCESS;
    const auto then = [&](const auto& call) {
      if (code == CUBLAS_STATUS_SUCCESS) code = call();
    };
    then([&] { return cublasLtCreate(made.library_.out()); });
    then([&] {
      return cublasLtMatmulDescCreate(made.operation_.out(), type.compute,
                                      made.whole_ ? CUDA_R_32I : CUDA_R_32F);
    });
    const auto set = [&](cublasLtMatmulDescAttributes_t attribute, const auto& value) {
      then([&] {
        return cublasLtMatmulDescSetAttribute(made.operation_.get(), attribute, &value, sizeof value);
      });
    };
    set(CUBLASLT_MATMUL_DESC_TRANSA, transposed);
    if (fast != 0) set(CUBLASLT_MATMUL_DESC_FAST_ACCUM, fast);
    then([&] { return cublasLtMatrixLayoutCreate(made.operand_.out(), type.operands, size, size, n); });
    then([&] { return cublasLtMatrixLayoutCreate(made.result_.out(), type.result, size, size, n); });
    then([&] { return cublasLtMatmulPreferenceCreate(preference.out()); });
    then([&] {
      return cublasLtMatmulPreferenceSetAttribute(preference.get(), CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES,
                                                  &workspace_bytes, sizeof workspace_bytes);
    });
    then([&] {
      return cublasLtMatmulAlgoGetHeuristic(made.library_.get(), made.operation_.get(), made.operand_.get(),
                                            made.operand_.get(), made.result_.get(), made.result_.get(),
                                            preference.get(), 1, &choice, &found);
    });
    then([&] { return found == 0 ? CUBLAS_STATUS_NOT_SUPPORTED : choice.state; });
    if (auto status = check_cublas(code, "a product by cuBLASLt"); !status)
      return fail(std::move(status.error()));
    made.algorithm_ = choice.algo;
    return made;
  }

  [[nodiscard]] cublasStatus_t enqueue(cudaStream_t stream, const Matrices& all) const {
    const float ones[] = {1, 0};
    const std::int32_t whole_ones[] = {1, 0};
    const void* const one = whole_ ? static_cast<const void*>(whole_ones) : ones;
    const void* const zero = whole_ ? static_cast<const void*>(whole_ones + 1) : ones + 1;
    return cublasLtMatmul(library_.get(), operation_.get(), one, all.a, operand_.get(), all.b, operand_.get(),
                          zero, all.c, result_.get(), all.c, result_.get(), &algorithm_, all.workspace,
                          workspace_bytes, stream);
  }

 private:
  Owner<cublasLtHandle_t, cublasLtDestroy> library_;
  Owner<cublasLtMatmulDesc_t, cublasLtMatmulDescDestroy> operation_;
  Owner<cublasLtMatrixLayout_t, cublasLtMatrixLayoutDestroy> operand_;
  Owner<cublasLtMatrixLayout_t, cublasLtMatrixLayoutDestroy> result_;
  cublasLtMatmulAlgo_t algorithm_{};
  bool whole_ = false;
};

Result<Seconds> product_time(Timer& timer, const ProductType& type, const Matrices& matrices, std::int64_t n,
                             int samples) {
  auto product = Product::create(type, n);
  if (!product) return fail(std::move(product.error()));
  cublasStatus_t outcome = CUBLAS_STATUS_SUCCESS;
  auto time = median_time(
      timer,
      [&](sdk::Stream stream) {
        const cublasStatus_t code = product->enqueue(stream_of(stream), matrices);
        if (code != CUBLAS_STATUS_SUCCESS) outcome = code;
      },
      samples);
  if (auto status = check_cublas(outcome, "cublasLtMatmul"); !status) return fail(std::move(status.error()));
  return time;
}

Result<double> product_flops_per_second(Timer& timer, const ProductType& type) {
  auto budget = memory_budget();
  if (!budget) return fail(std::move(budget.error()));
  const std::size_t element = 2 * type.operand_bytes + type.result_bytes;
  std::int64_t n = largest_product;
  while (n > smallest_product && element * static_cast<std::size_t>(n * n) > *budget) n /= 2;
  const auto elements = static_cast<std::size_t>(n * n);
  auto allocated = allocate_device_memory(element * elements + workspace_bytes);
  if (!allocated) return fail(std::move(allocated.error()));

  char* const base = static_cast<char*>(allocated->get());
  char* const second = base + type.operand_bytes * elements;
  char* const product = second + type.operand_bytes * elements;
  const Matrices matrices{base, second, product, product + type.result_bytes * elements};
  timer.queue([&](sdk::Stream stream) { type.fill(stream_of(stream), base, 2 * elements, 1); });
  if (auto status = check_launch("the random fill"); !status) return fail(std::move(status.error()));
  // Time grows with the cube of the size, so a small product tells which size fits the budget.
  auto small = product_time(timer, type, matrices, smallest_product, 1);
  if (!small) return fail(std::move(small.error()));
  const auto expected = [&](std::int64_t size) {
    const double scale = static_cast<double>(size) / static_cast<double>(smallest_product);
    return *small * scale * scale * scale * (sample_count + 3);
  };
  while (n > smallest_product && expected(n) > product_budget) n /= 2;
  auto time = product_time(timer, type, matrices, n, sample_count);
  if (!time) return fail(std::move(time.error()));
  const auto size = static_cast<double>(n);
  return 2.0 * size * size * size / *time;
}

// The types whose rates are measured on a GPU of this compute capability. The units for E4M3 are as fast as
// those for int8, and cuBLASLt comes closer to them.
std::vector<ProductType> product_types(int major, int minor) {
  const cudaDataType_t half = major >= 8 ? CUDA_R_16BF : CUDA_R_16F;
  std::vector<ProductType> types{{"gemm_flops_per_s", half, half, 2, 2, CUBLAS_COMPUTE_32F,
                                  major >= 8 ? launch_random_bf16 : launch_random_f16}};
  constexpr const char* small = "gemm_8bit_flops_per_s";
  if (major >= 9 || (major == 8 && minor >= 9))
    types.push_back({small, CUDA_R_8F_E4M3, half, 1, 2, CUBLAS_COMPUTE_32F, launch_random_bytes});
  else if (major == 8)
    types.push_back({small, CUDA_R_8I, CUDA_R_32I, 1, 4, CUBLAS_COMPUTE_32I, launch_random_bytes});
  return types;
}

}  // namespace

Result<double> measure_link(Timer& timer, Peers& peers) {
  if (peers.none()) return 0.0;
  const std::size_t bytes = largest_copy;
  std::vector<DeviceMemory> from, to;
  for (int gpu = 0; gpu < peers.gpus(); ++gpu) {
    const auto current = peers.on(gpu);
    if (!current) return fail(current.error());
    for (std::vector<DeviceMemory>* all : {&from, &to}) {
      auto memory = allocate_device_memory(bytes);
      if (!memory) return fail(std::move(memory.error()));
      all->push_back(std::move(*memory));
    }
  }
  auto time = median_time(timer, [&](sdk::Stream stream) {
    for (int gpu = 0; gpu < peers.gpus(); ++gpu) {
      const int next = (gpu + 1) % peers.gpus();
      (void)cudaMemcpyPeerAsync(to[static_cast<std::size_t>(next)].get(), peers.ordinal(next),
                                from[static_cast<std::size_t>(gpu)].get(), peers.ordinal(gpu), bytes,
                                static_cast<cudaStream_t>(stream.on(gpu)));
    }
  });
  if (!time) return fail(std::move(time.error()));
  return static_cast<double>(bytes) / *time;
}

Result<std::map<std::string, double>> measure_ceilings(Timer& timer, int major, int minor) {
  auto copied = copy_bytes_per_second(timer);
  if (!copied) return fail(std::move(copied.error()));
  std::map<std::string, double> ceilings{{"copy_bytes_per_s", *copied}};
  for (const ProductType& type : product_types(major, minor)) {
    auto multiplied = product_flops_per_second(timer, type);
    if (multiplied)
      ceilings.emplace(type.name, *multiplied);
    else if (type.operand_bytes > 1)
      return fail(std::move(multiplied.error()));  // small types are left out where the library cannot
  }
  return ceilings;
}

}  // namespace harness::cuda
