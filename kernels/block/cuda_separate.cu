// block/separate: a call of a library or a kernel for each operation, as eager PyTorch without fused
// attention has it. Scores are written to memory.
#include <cmath>
#include <vector>

#include "kernels/block/cuda_parts.cuh"
#include "kernels/cublas_handle.cuh"

namespace transformer_block {
namespace {

using harness::sdk::Buffers;
using harness::sdk::DeviceTraits;
using harness::sdk::Params;
using harness::sdk::Problem;
using harness::sdk::Stream;

class Separate final : public harness::sdk::Kernel {
 public:
  Separate(const Params& params, const Problem&, const DeviceTraits& traits)
      : shape_(require_launchable(shape_of(params))),
        norms_(shape_, traits),
        softmax_(traits),
        products_(shape_) {
    softmax_.require_possible<operators::Softmax>(score_rows());
    products_.find_algorithms();
  }

  [[nodiscard]] std::size_t workspace_bytes() const override {
    Carver counter(nullptr);
    places_in(counter);
    return counter.used();
  }
  std::string choose(const Buffers& buffers) override {
    bind(buffers);
    return products_.choose();
  }
  bool take_choice(const std::string& choice) override { return products_.take_choice(choice); }

  void bind(const Buffers& buffers) override {
    tensors_.assign(buffers.tensors.begin(), buffers.tensors.end());
    Carver carver(buffers.workspace);
    const Places at = at_ = places_in(carver);
    void* const workspace = at.library;
    blas_.bind(workspace);
    products_[qkv_product].bind(at.of.normed, tensors_[qkv_weight], at.of.hidden, workspace);
    products_[out_product].bind(at.of.normed, tensors_[out_weight], at.of.hidden, workspace);
    products_[up_product].bind(at.of.normed, tensors_[up_weight], at.of.hidden, workspace);
    products_[down_product].bind(at.of.hidden, tensors_[down_weight], at.changed, workspace);
  }

  void run(Stream stream) override {
    auto* const queue = static_cast<cudaStream_t>(stream.handle);
    const Intermediate& of = at_.of;
    const std::int64_t d = shape_.width;
    norms_.run(tensors_[x_index], tensors_[norm1_weight], tensors_[norm1_bias], of.normed, stream);
    products_[qkv_product].run(queue);
    launch_step<Step::bias_and_split>(shape_, of.hidden, tensors_[qkv_bias], of.qkv, 3 * d, stream);
    attend(stream);
    launch_step<Step::merge>(shape_, of.heads, nullptr, of.normed, d, stream);
    products_[out_product].run(queue);
    launch_step<Step::bias>(shape_, of.hidden, tensors_[out_bias], at_.changed, d, stream);
    launch_step<Step::add>(shape_, at_.changed, tensors_[x_index], of.middle, d, stream);
    norms_.run(of.middle, tensors_[norm2_weight], tensors_[norm2_bias], of.normed, stream);
    products_[up_product].run(queue);
    launch_step<Step::bias>(shape_, of.hidden, tensors_[up_bias], at_.changed, 4 * d, stream);
    launch_step<Step::gelu>(shape_, at_.changed, nullptr, of.hidden, 4 * d, stream);
    products_[down_product].run(queue);
    launch_step<Step::bias>(shape_, at_.changed, tensors_[down_bias], of.normed, d, stream);
    launch_step<Step::add>(shape_, of.normed, of.middle, tensors_[y_index], d, stream);
  }

 private:
  struct Places {
    Intermediate of;
    void* library = nullptr;
    std::uint16_t* changed = nullptr;  // (t, 4d): of.hidden after the next operation
    std::uint16_t* scores = nullptr;   // (b, h, s, s)
    std::uint16_t* weights = nullptr;  // likewise
  };
  Places places_in(Carver& carver) const {
    Places at;
    at.of = Intermediate(shape_, carver);
    at.library = carver.take<char>(static_cast<std::int64_t>(kernels::library_workspace_bytes));
    at.changed = carver.take<std::uint16_t>(4 * shape_.elements());
    at.scores = carver.take<std::uint16_t>(score_rows().rows * shape_.sequence);
    at.weights = carver.take<std::uint16_t>(score_rows().rows * shape_.sequence);
    return at;
  }
  [[nodiscard]] operators::Rows score_rows() const {
    return {shape_.dtype, shape_.matrices() * shape_.sequence, shape_.sequence};
  }

  // heads = softmax(Q K^T / sqrt(head)) V. cuBLAS thinks in columns: S^T = K Q^T and O^T = V^T P^T.
  void attend(Stream stream) {
    auto* const queue = static_cast<cudaStream_t>(stream.handle);
    const Intermediate& of = at_.of;
    const auto s = static_cast<int>(shape_.sequence), head = static_cast<int>(shape_.head());
    const std::int64_t matrix = shape_.sequence * shape_.head(), square = shape_.sequence * shape_.sequence;
    const auto count = static_cast<int>(shape_.matrices());
    const std::uint16_t* const keys = of.qkv + shape_.elements();
    const float scale = 1.0F / std::sqrt(static_cast<float>(head)), one = 1.0F, zero = 0.0F;
    kernels::check(cublasGemmStridedBatchedEx(blas_.on(queue), CUBLAS_OP_T, CUBLAS_OP_N, s, s, head, &scale,
                                              keys, CUDA_R_16F, head, matrix, of.qkv, CUDA_R_16F, head,
                                              matrix, &zero, at_.scores, CUDA_R_16F, s, square, count,
                                              CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT),
                   "cublasGemmStridedBatchedEx");
    operators::RowArguments rows;
    rows.x = at_.scores;
    rows.y = at_.weights;
    rows.rows = score_rows().rows;
    rows.x_stride = rows.columns = shape_.sequence;
    softmax_.run<operators::Softmax, operators::every_stage>(rows, shape_.dtype, stream);
    kernels::check(cublasGemmStridedBatchedEx(blas_.on(queue), CUBLAS_OP_N, CUBLAS_OP_N, head, s, s, &one,
                                              keys + shape_.elements(), CUDA_R_16F, head, matrix, at_.weights,
                                              CUDA_R_16F, s, square, &zero, of.heads, CUDA_R_16F, head,
                                              matrix, count, CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT),
                   "cublasGemmStridedBatchedEx");
  }

  Shape shape_;
  Norms norms_;
  operators::CudaRows softmax_;
  LibraryProducts products_;
  kernels::CublasHandle blas_;
  std::vector<void*> tensors_;
  Places at_;
};

}  // namespace
}  // namespace transformer_block

HARNESS_VARIANT(block, separate, cuda, "a library call or a kernel an operation; scores in memory",
                transformer_block::Separate)
