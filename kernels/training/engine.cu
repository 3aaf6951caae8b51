#include <cublasLt.h>

#include <array>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "kernels/cublaslt.cuh"
#include "kernels/owned.cuh"
#include "kernels/training/cuda_engine.h"
#include "kernels/training/engine.cuh"

namespace training {
namespace {

using kernels::check;
using kernels::OwnedOfLibrary;

cudaDataType_t library_type(Element element) {
  switch (element) {
    case Element::f32: return CUDA_R_32F;
    case Element::e4m3: return CUDA_R_8F_E4M3;
    case Element::e5m2: return CUDA_R_8F_E5M2;
    case Element::bf16: break;
  }
  return CUDA_R_16BF;
}

// A product with its descriptors and the algorithm that the library likes best.
class LibraryProduct {
 public:
  LibraryProduct(cublasLtHandle_t handle, const Product& of)
      : scaled_(of.a != Element::bf16),
        a_(layout(of.a, of.a_rows(), of.a_columns())),
        b_(layout(of.b, of.b_rows(), of.b_columns())),
        d_(layout(of.d, of.m, of.n)) {
    cublasLtMatmulDesc_t operation = nullptr;
    check(cublasLtMatmulDescCreate(&operation, CUBLAS_COMPUTE_32F, CUDA_R_32F), "cublasLtMatmulDescCreate");
    operation_.reset(operation);
    if (of.a_transposed) set(CUBLASLT_MATMUL_DESC_TRANSA, CUBLAS_OP_T);
    if (of.b_transposed) set(CUBLASLT_MATMUL_DESC_TRANSB, CUBLAS_OP_T);
    if (scaled_) {
      // Fast accumulation in the forward pass alone, whose sums are rounded most anyway.
      set(CUBLASLT_MATMUL_DESC_FAST_ACCUM, std::int8_t{of.b == Element::e4m3});
      // The library chooses by the presence of scales, whose addresses come later.
      set_scales(reinterpret_cast<const float*>(std::uintptr_t{256}),
                 reinterpret_cast<const float*>(std::uintptr_t{256}));
    }
    find_algorithm(handle, of);
  }

  void run(cublasLtHandle_t handle, const void* a, const void* b, const void* c, void* d, float alpha,
           float beta, const float* scale_a, const float* scale_b, void* workspace, cudaStream_t stream) {
    if (scaled_) set_scales(scale_a, scale_b);
    check(cublasLtMatmul(handle, operation_.get(), &alpha, a, a_.get(), b, b_.get(), &beta, c, d_.get(), d,
                         d_.get(), &algorithm_, workspace, kernels::library_workspace_bytes, stream),
          "cublasLtMatmul");
  }

 private:
  using MatrixLayout = OwnedOfLibrary<cublasLtMatrixLayout_t, cublasLtMatrixLayoutDestroy>;

  static MatrixLayout layout(Element element, std::int64_t rows, std::int64_t columns) {
    cublasLtMatrixLayout_t made = nullptr;
    check(cublasLtMatrixLayoutCreate(&made, library_type(element), static_cast<std::uint64_t>(rows),
                                     static_cast<std::uint64_t>(columns), rows),
          "cublasLtMatrixLayoutCreate");
    return MatrixLayout(made);
  }

  template <class Value>
  void set(cublasLtMatmulDescAttributes_t attribute, const Value& value) {
    check(cublasLtMatmulDescSetAttribute(operation_.get(), attribute, &value, sizeof value),
          "cublasLtMatmulDescSetAttribute");
  }
  void set_scales(const float* of_a, const float* of_b) {
    set(CUBLASLT_MATMUL_DESC_A_SCALE_POINTER, of_a);
    set(CUBLASLT_MATMUL_DESC_B_SCALE_POINTER, of_b);
  }

  void find_algorithm(cublasLtHandle_t handle, const Product& of) {
    cublasLtMatmulPreference_t made = nullptr;
    check(cublasLtMatmulPreferenceCreate(&made), "cublasLtMatmulPreferenceCreate");
    const OwnedOfLibrary<cublasLtMatmulPreference_t, cublasLtMatmulPreferenceDestroy> preference(made);
    const auto prefer = [&](cublasLtMatmulPreferenceAttributes_t attribute, const auto& value) {
      check(cublasLtMatmulPreferenceSetAttribute(made, attribute, &value, sizeof value),
            "cublasLtMatmulPreferenceSetAttribute");
    };
    prefer(CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, kernels::library_workspace_bytes);
    // Matrices lie in larger arrays, at multiples of eight elements.
    for (const auto attribute :
         {CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES,
          CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES})
      prefer(attribute, std::uint32_t{16});
    cublasLtMatmulHeuristicResult_t result = {};
    int found = 0;
    const cublasStatus_t status = cublasLtMatmulAlgoGetHeuristic(
        handle, operation_.get(), a_.get(), b_.get(), d_.get(), d_.get(), made, 1, &result, &found);
    if (status != CUBLAS_STATUS_NOT_SUPPORTED) check(status, "cublasLtMatmulAlgoGetHeuristic");
    if (status != CUBLAS_STATUS_SUCCESS || found == 0)
      throw harness::sdk::Unsupported("cuBLASLt has no algorithm for a product of " + std::to_string(of.m) +
                                      " x " + std::to_string(of.n) + " x " + std::to_string(of.k) +
                                      (scaled_ ? " in FP8" : " in BF16"));
    algorithm_ = result.algo;
  }

  bool scaled_;
  OwnedOfLibrary<cublasLtMatmulDesc_t, cublasLtMatmulDescDestroy> operation_;
  MatrixLayout a_, b_, d_;
  cublasLtMatmulAlgo_t algorithm_ = {};
};

// The caller's stream, and one of its own beside it. Each that multiplies has a workspace for the library.
class CudaDevice {
 public:
  CudaDevice(int multiprocessors, bool has_wgmma) : multiprocessors_(multiprocessors), has_wgmma_(has_wgmma) {
    for (kernels::OwnedEvent& one : done_) one = kernels::make_event();
    cublasLtHandle_t handle = nullptr;
    check(cublasLtCreate(&handle), "cublasLtCreate");
    handle_.reset(handle);
  }

  void set_workspace(void* workspace) {
    main_.workspace = workspace;
    beside_.workspace = static_cast<unsigned char*>(workspace) + kernels::library_workspace_bytes;
  }
  // Begins a pass, which must wait for all its work beside.
  void use(cudaStream_t stream) {
    main_.stream = stream;
    line_ = &main_;
    is_open_ = {};
  }
  [[nodiscard]] int multiprocessors() const { return multiprocessors_; }
  [[nodiscard]] bool has_wgmma() const { return has_wgmma_; }

  int plan(const Product& product) {
    products_.push_back(std::make_unique<LibraryProduct>(handle_.get(), product));
    return static_cast<int>(products_.size()) - 1;
  }
  void multiply(int plan, const void* a, const void* b, const void* c, void* d, float alpha, float beta,
                const float* scale_a, const float* scale_b) {
    products_[static_cast<std::size_t>(plan)]->run(handle_.get(), a, b, c, d, alpha, beta, scale_a, scale_b,
                                                   line_->workspace, line_->stream);
  }
  template <class... Parameters, class... Arguments>
  void launch(void (*kernel)(Parameters...), unsigned x, unsigned y, const Arguments&... arguments) {
    kernel<<<dim3(x, y), threads_a_block, 0, line_->stream>>>(arguments...);
    check(cudaGetLastError(), "launch of a kernel of training");
  }
  template <class... Parameters, class... Arguments>
  void launch_shaped(void (*kernel)(Parameters...), const LaunchShape& shape, const Arguments&... arguments) {
    check(cudaFuncSetAttribute(reinterpret_cast<const void*>(kernel),
                               cudaFuncAttributeMaxDynamicSharedMemorySize,
                               static_cast<int>(shape.shared_bytes)),
          "cudaFuncSetAttribute");
    kernel<<<dim3(shape.x, shape.y), shape.threads, shape.shared_bytes, line_->stream>>>(arguments...);
    check(cudaGetLastError(), "launch of a kernel of attention");
  }
  void zero(void* at, std::size_t bytes) {
    check(cudaMemsetAsync(at, 0, bytes, line_->stream), "cudaMemsetAsync");
  }

  template <class Work>
  void beside(int name, const Work& work) {
    kernels::follow(beside_.stream, forked_, main_.stream);
    line_ = &beside_;
    work();
    line_ = &main_;
    const auto place = static_cast<std::size_t>(name);
    kernels::record(done_[place], beside_.stream);
    is_open_[place] = true;
  }
  void wait(int name) {
    const auto place = static_cast<std::size_t>(name);
    if (std::exchange(is_open_[place], false)) kernels::hold(main_.stream, done_[place]);
  }
  void join() {
    for (int name = 0; name < LinearNames::besides; ++name) wait(name);
  }

 private:
  struct Line {
    cudaStream_t stream = nullptr;
    void* workspace = nullptr;
  };

  int multiprocessors_;
  bool has_wgmma_;
  OwnedOfLibrary<cublasLtHandle_t, cublasLtDestroy> handle_;
  std::vector<std::unique_ptr<LibraryProduct>> products_;
  kernels::OwnedStream owned_ = kernels::make_stream();
  kernels::OwnedEvent forked_ = kernels::make_event();
  std::array<kernels::OwnedEvent, LinearNames::besides> done_;
  std::array<bool, LinearNames::besides> is_open_{};  // the main line has not waited for it
  Line main_;
  Line beside_{owned_.get()};
  Line* line_ = &main_;
};

class EngineOnCuda final : public CudaEngine {
 public:
  EngineOnCuda(const EngineOptions& options, const harness::sdk::DeviceTraits& traits)
      : device_(traits.multiprocessors, traits.compute_major == 9 && traits.compute_minor == 0),
        engine_(options, device_) {}

  [[nodiscard]] std::size_t workspace_bytes() const override { return library_bytes() + engine_.bytes(); }
  void bind(void* workspace) override {
    device_.set_workspace(workspace);
    engine_.bind(static_cast<unsigned char*>(workspace) + library_bytes());
  }
  void step(harness::sdk::Stream stream, const StepTensors& on, bool fresh) override {
    device_.use(static_cast<cudaStream_t>(stream.handle));
    engine_.step(on, fresh);
  }
  void evaluate(harness::sdk::Stream stream, const StepTensors& on, const HeadsObserver& before) override {
    device_.use(static_cast<cudaStream_t>(stream.handle));
    engine_.evaluate(on, before);
  }

 private:
  [[nodiscard]] std::size_t library_bytes() const {
    return kernels::library_workspace_bytes * (engine_.multiplies_beside() ? 2 : 1);
  }

  CudaDevice device_;
  Engine<CudaDevice> engine_;
};

}  // namespace

std::unique_ptr<CudaEngine> make_cuda_engine(const EngineOptions& options,
                                             const harness::sdk::DeviceTraits& traits) {
  const ModelShape& shape = options.shape;
  const bool fp8 = options.precision != Precision::bf16;
  if (fp8 && traits.compute_major * 10 + traits.compute_minor < 89)
    throw harness::sdk::Unsupported("FP8 needs compute capability 8.9 or newer");
  if (shape.d % 16 != 0 || shape.sequence % 16 != 0 || shape.vocabulary % 16 != 0 ||
      shape.head_size() % 8 != 0)
    throw harness::sdk::Unsupported("d, s and vocabulary must be multiples of 16, and d / heads of 8");
  if (shape.d > widest) throw harness::sdk::Unsupported("d must be at most " + std::to_string(widest));
  if (shape.head_size() > widest_head)
    throw harness::sdk::Unsupported("d / heads must be at most " + std::to_string(widest_head));
  if (options.batch * shape.heads > 65535)
    throw harness::sdk::Unsupported("more than 65,535 heads of a batch");
  return std::make_unique<EngineOnCuda>(options, traits);
}

}  // namespace training
