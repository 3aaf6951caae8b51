#include "kernels/backends/cuda_library.h"

#include <algorithm>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "kernels/attention/cudnn_call.h"
#include "kernels/backends/cudnn_convolution.h"
#include "kernels/backends/fp8.h"
#include "kernels/backends/im2col_kernel.cuh"
#include "kernels/backends/plain_norm.cuh"
#include "kernels/backends/slots.h"
#include "kernels/backends/weights.h"
#include "kernels/block/cuda_parts.cuh"
#include "kernels/cublas_handle.cuh"
#include "kernels/owned.cuh"
#include "kernels/quant_gemm/quantised_x.cuh"

namespace backends {

using harness::sdk::DeviceTraits;
using harness::sdk::Stream;
using harness::sdk::Unsupported;

class LibraryNetwork::Operations {
 public:
  Operations(const Shape& shape, const DeviceTraits& traits, Convolutions convolutions, Products products)
      : shape_(shape),
        convolutions_(convolutions),
        products_(products),
        multiprocessors_(traits.multiprocessors),
        rows_(traits) {
    if (products != Products::f16) require_fp8(traits);
    if (shape.dtype != harness::sdk::DType::f16) throw Unsupported("written for dtype = f16");
    if (shape.width % 8 != 0) throw Unsupported("rows and pictures need multiples of 8 elements");
    if (shape.rows() * shape.hidden() * (shape.network == Network::conv ? 9 : 1) >
        std::numeric_limits<std::int32_t>::max())
      throw Unsupported("tensors are too large for 32-bit numbers of elements");
    Value x = slots_.make(shape.elements());
    x_ = x;
    y_ = forward(shape, *this, std::move(x));
    weights_.emplace(packed_.values().size() * sizeof(std::uint16_t));
    weights_->upload(packed_.values().data(), packed_.values().size() * sizeof(std::uint16_t));
    packed_.clear();
    values_.emplace(static_cast<std::size_t>(std::max<std::int64_t>(1, slots_.elements(*y_))) *
                    sizeof(std::uint16_t));
  }
  Operations(const Operations&) = delete;
  Operations& operator=(const Operations&) = delete;

  [[nodiscard]] std::size_t workspace_bytes() const { return workspace_bytes_; }
  void bind(const harness::sdk::Buffers& buffers) {
    bound_.values = slots_.places(buffers.as<std::uint16_t>(x_index), *y_, buffers.as<std::uint16_t>(y_index),
                                  values_->as<std::uint16_t>());
    bound_.weights = weights_->as<std::uint16_t>();
    workspace_ = buffers.workspace;
    for (const Step& step : steps_)
      if (step.bind) step.bind();
  }
  void run(Stream stream) const {
    for (const Step& step : steps_) step.run(stream);
  }

  // The operations, which add steps: see forward().
  using Value = Slots::Value;

  Value product(const Value& x, std::size_t weight, After after, const Value& added) {
    const std::int64_t elements = shape_.rows() * weight_shapes(shape_)[weight].columns;
    // A chained product before the last stores codes, two in a half's place, and all have their relu.
    const bool chained = products_ == Products::fp8_chained;
    const bool to_codes = chained && weight + 1 < static_cast<std::size_t>(shape_.layers);
    Value y = slots_.make(to_codes ? elements / 2 : elements);
    products_ == Products::f16 ? by_halves(*x, *y, weight) : by_fp8(*x, *y, weight, to_codes);
    if (chained) return y;
    if (after == After::relu) return each_element<transformer_block::Step::relu>(y, y, elements);
    if (after == After::add) return each_element<transformer_block::Step::add>(y, added, elements);
    return y;
  }

  Value convolution(const Value& x, std::size_t weight) {
    Value y = slots_.make(shape_.elements());
    const std::int64_t place = packed_.add(weight_values(shape_, weight));
    convolutions_ == Convolutions::cudnn ? by_cudnn(*x, *y, place) : by_im2col(*x, *y, place);
    return each_element<transformer_block::Step::relu>(y, y, shape_.elements());
  }

  Value attention(const Value& x, std::size_t query) {
    const Value q = product(x, query, After::nothing, {}), k = product(x, query + 1, After::nothing, {}),
                v = product(x, query + 2, After::nothing, {});
    Value o = slots_.make(shape_.elements());
    attention::Shape of;
    of.batch = shape_.batch;
    of.heads = shape_.heads;
    of.sequence = shape_.length;
    of.dimension = shape_.head();
    of.beside = 1;
    const auto call = std::make_shared<attention::cudnn::Call>(of);
    workspace_bytes_ = std::max(workspace_bytes_, call->workspace_bytes());
    steps_.push_back(
        {[=, this, q = *q, k = *k, v = *v, o = *o] {
           void* const tensors[] = {bound_.values[q], bound_.values[k], bound_.values[v], bound_.values[o]};
           call->bind({tensors, workspace_});
         },
         [=](Stream stream) { call->run(stream); }});
    return o;
  }

  Value normalise(const Value& x) {
    rows_.require_possible<PlainNorm>({shape_.dtype, shape_.rows(), shape_.width});
    Value y = slots_.make(shape_.elements());
    steps_.push_back({nullptr, [=, this, x = *x, y = *y](Stream stream) {
                        operators::RowArguments rows;
                        rows.x = bound_.values[x];
                        rows.y = bound_.values[y];
                        rows.rows = shape_.rows();
                        rows.x_stride = rows.columns = shape_.width;
                        rows_.run<PlainNorm, operators::every_stage>(rows, shape_.dtype, stream);
                      }});
    return y;
  }

 private:
  struct Step {
    std::function<void()> bind;
    std::function<void(Stream)> run;
  };

  template <transformer_block::Step step>
  Value each_element(const Value& x, const Value& second, std::int64_t elements) {
    if (elements % 8 != 0) throw Unsupported("a tensor needs a multiple of 8 elements");
    Value y = slots_.make(elements);
    steps_.push_back({nullptr, [=, this, x = *x, second = *second, y = *y](Stream stream) {
                        transformer_block::launch_step<step>({}, bound_.values[x], bound_.values[second],
                                                             bound_.values[y], elements, stream);
                      }});
    return y;
  }

  void require_fp8(const DeviceTraits& traits) const {
    if (traits.compute_major * 10 + traits.compute_minor < 89)
      throw Unsupported("FP8 needs compute capability 8.9 or newer; this device has " +
                        std::to_string(traits.compute_major) + "." + std::to_string(traits.compute_minor));
    if (shape_.width % 16 != 0) throw Unsupported("cuBLASLt's products of FP8 need multiples of 16 elements");
  }

  [[nodiscard]] kernels::ProductShape product_shape(harness::sdk::DType dtype, std::size_t weight) const {
    const WeightShape of = weight_shapes(shape_)[weight];
    return {dtype, shape_.rows(), of.columns, of.rows};
  }

  void by_halves(std::size_t x, std::size_t y, std::size_t weight) {
    const auto product =
        std::make_shared<kernels::CublasLtProduct>(product_shape(shape_.dtype, weight), CUBLAS_COMPUTE_32F);
    product->find_algorithms(1, "");
    workspace_bytes_ = std::max(workspace_bytes_, kernels::library_workspace_bytes);
    const std::int64_t place = packed_.add(weight_values(shape_, weight));
    steps_.push_back(
        {[=, this] { product->bind(bound_.values[x], bound_.weights + place, bound_.values[y], workspace_); },
         [=](Stream stream) { product->run(static_cast<cudaStream_t>(stream.handle)); }});
  }

  // The scale of a weight is a factor; that of x is found in the call, behind the library's workspace.
  void by_fp8(std::size_t x, std::size_t y, std::size_t weight, bool to_codes) {
    using harness::sdk::DType;
    const bool chained = products_ == Products::fp8_chained, rounds = !chained || weight == 0;
    const kernels::ProductShape of = product_shape(DType::e4m3, weight);
    if (rounds)
      rounded_ = std::make_shared<quant_gemm::QuantisedX<ptx::E4M3>>(
          quant_gemm::Shape{quant_gemm::Weights::e4m3, false, of.m, of.n, of.k}, quant_gemm::Sharing::tensor,
          multiprocessors_);
    const auto product = std::make_shared<kernels::CublasLtProduct>(
        of,
        kernels::LibraryTypes{DType::e4m3, to_codes ? DType::e4m3 : DType::f16, CUBLAS_COMPUTE_32F, true});
    product->set(CUBLASLT_MATMUL_DESC_FAST_ACCUM, std::int8_t{1});
    if (chained) product->set(CUBLASLT_MATMUL_DESC_EPILOGUE, CUBLASLT_EPILOGUE_RELU);
    // The library chooses by the presence of a scale, whose address comes later.
    if (!to_codes)
      product->set(CUBLASLT_MATMUL_DESC_B_SCALE_POINTER, reinterpret_cast<const void*>(std::uintptr_t{256}));
    product->find_algorithms(1, "in FP8");
    workspace_bytes_ =
        std::max(workspace_bytes_, kernels::library_workspace_bytes + rounded_->workspace_bytes());
    const Fp8Weight packed = fp8_weight(shape_, weight);
    const std::int64_t place = packed_.add(packed.codes);
    product->scale(chained ? scales_.factor(packed, !to_codes) : packed.scale);
    steps_.push_back({[=, this, rounded = rounded_] {
                        if (rounds)
                          rounded->bind(bound_.values[x], static_cast<unsigned char*>(workspace_) +
                                                              kernels::library_workspace_bytes);
                        if (!to_codes)
                          product->set(CUBLASLT_MATMUL_DESC_B_SCALE_POINTER,
                                       static_cast<const void*>(rounded->scales()));
                        product->bind(rounds ? static_cast<const void*>(rounded->codes()) : bound_.values[x],
                                      bound_.weights + place, bound_.values[y], workspace_);
                      },
                      [=, rounded = rounded_](Stream stream) {
                        auto* const queue = static_cast<cudaStream_t>(stream.handle);
                        if (rounds) rounded->run(queue);
                        product->run(queue);
                      }});
  }

  void by_cudnn(std::size_t x, std::size_t y, std::int64_t weight) {
    const auto call = std::make_shared<ConvolutionCall>(shape_);
    workspace_bytes_ = std::max(workspace_bytes_, call->workspace_bytes());
    steps_.push_back(
        {[=, this] { call->bind(bound_.values[x], bound_.weights + weight, bound_.values[y], workspace_); },
         [=](Stream stream) { call->run(stream); }});
  }

  // Y (channels x points) = W (channels x 9 channels) near, for each picture. cuBLAS thinks in columns: it
  // computes Y^T = near^T W^T.
  void by_im2col(std::size_t x, std::size_t y, std::int64_t weight) {
    constexpr std::int64_t most_blocks = 65535;  // of a grid, across and in depth
    if (9 * shape_.width > most_blocks || shape_.batch > most_blocks)
      throw harness::sdk::Unsupported("im2col takes at most 7281 channels and a batch of 65535");
    const Value near = slots_.make(9 * shape_.elements());
    if (!blas_) blas_ = std::make_shared<kernels::CublasHandle>();
    workspace_bytes_ = std::max(workspace_bytes_, kernels::library_workspace_bytes);
    const Pictures pictures = {static_cast<int>(shape_.batch), static_cast<int>(shape_.width),
                               static_cast<int>(shape_.size)};
    const auto points = static_cast<int>(shape_.points()), channels = pictures.channels;
    const dim3 grid(static_cast<unsigned>((points + im2col_threads - 1) / im2col_threads),
                    static_cast<unsigned>(9 * channels), static_cast<unsigned>(pictures.batch));
    steps_.push_back(
        {[this] { blas_->bind(workspace_); },
         [=, this, near = *near](Stream stream) {
           auto* const queue = static_cast<cudaStream_t>(stream.handle);
           im2col_kernel<<<grid, im2col_threads, 0, queue>>>(pictures, bound_.values[x], bound_.values[near]);
           kernels::check(cudaGetLastError(), "launch of im2col_kernel");
           constexpr float one = 1.0F, zero = 0.0F;
           const std::int64_t matrix = std::int64_t{points} * channels;
           kernels::check(
               cublasGemmStridedBatchedEx(blas_->on(queue), CUBLAS_OP_N, CUBLAS_OP_N, points, channels,
                                          9 * channels, &one, bound_.values[near], CUDA_R_16F, points,
                                          9 * matrix, bound_.weights + weight, CUDA_R_16F, 9 * channels, 0,
                                          &zero, bound_.values[y], CUDA_R_16F, points, matrix, pictures.batch,
                                          CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT),
               "cublasGemmStridedBatchedEx");
         }});
  }

  Shape shape_;
  Convolutions convolutions_;
  Products products_;
  int multiprocessors_;
  operators::CudaRows rows_;
  Slots slots_;
  PackedWeights packed_;
  std::vector<Step> steps_;
  std::shared_ptr<quant_gemm::QuantisedX<ptx::E4M3>> rounded_;  // the x of the product that is added
  ChainedScales scales_;
  std::shared_ptr<kernels::CublasHandle> blas_;
  std::optional<kernels::DeviceMemory> weights_;
  std::optional<kernels::DeviceMemory> values_;
  std::size_t workspace_bytes_ = 0;
  Bound bound_;
  void* workspace_ = nullptr;
  Value x_;  // which keeps its slot
  Value y_;
};

LibraryNetwork::LibraryNetwork(const Shape& shape, const DeviceTraits& traits, Convolutions convolutions,
                               Products products, harness::sdk::Tolerance of_workload)
    : operations_(std::make_unique<Operations>(shape, traits, convolutions, products)) {
  if (products != Products::f16) tolerance_ = fp8_tolerance(shape, of_workload);
}

LibraryNetwork::~LibraryNetwork() = default;

std::size_t LibraryNetwork::workspace_bytes() const {
  return operations_->workspace_bytes();
}
std::optional<harness::sdk::DType> LibraryNetwork::multiplies() const {
  if (!tolerance_) return std::nullopt;
  return harness::sdk::DType::e4m3;
}
void LibraryNetwork::bind(const harness::sdk::Buffers& buffers) {
  operations_->bind(buffers);
}
void LibraryNetwork::run(Stream stream) {
  operations_->run(stream);
}

}  // namespace backends
