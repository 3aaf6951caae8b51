// attention/naive: three kernels, with the scores written out between them.
#include "kernels/attention/naive_kernels.cuh"
#include "kernels/attention/own_kernel.cuh"

namespace attention {
namespace {

using harness::sdk::Buffers;
using harness::sdk::DeviceTraits;
using harness::sdk::Params;
using harness::sdk::Problem;
using harness::sdk::Stream;
using harness::sdk::Unsupported;

class Naive final : public OwnKernel {
 public:
  Naive(const Params& params, const Problem&, const DeviceTraits&) : OwnKernel(params) {
    constexpr double most_bytes = 16e9;
    if (score_bytes(shape_) > most_bytes)
      throw Unsupported("its scores alone would take " + std::to_string(score_bytes(shape_) / 1e9) +
                        " GB of memory; it is let have 16");
    if (shape_.sequence > std::int64_t{naive_side} * 65535)
      throw Unsupported("s is beyond the height of a grid");
  }

  [[nodiscard]] std::size_t workspace_bytes() const override {
    return static_cast<std::size_t>(score_bytes(shape_));
  }

  void bind(const Buffers& buffers) override {
    OwnKernel::bind(buffers);
    scores_ = static_cast<float*>(buffers.workspace);
  }

  void run(Stream stream) override {
    if (is_f16())
      enqueue<ptx::F16>(queue_of(stream));
    else
      enqueue<ptx::BF16>(queue_of(stream));
    kernels::check(cudaGetLastError(), "launch of the naive kernels");
  }

 private:
  template <class Element>
  void enqueue(cudaStream_t queue) const {
    const unsigned across = blocks_of(shape_.sequence, naive_side);
    const dim3 square(naive_side, naive_side);
    naive_scores<Element><<<dim3(across, across, matrices()), square, 0, queue>>>(problem_, scores_);
    naive_softmax<Element><<<dim3(blocks_of(shape_.sequence, naive_softmax_rows), matrices()),
                             dim3(32, naive_softmax_rows), 0, queue>>>(problem_, scores_);
    naive_output<Element>
        <<<dim3(blocks_of(shape_.dimension, naive_side), across, matrices()), square, 0, queue>>>(problem_,
                                                                                                  scores_);
  }

  float* scores_ = nullptr;
};

}  // namespace
}  // namespace attention

HARNESS_VARIANT(attention, naive, cuda, "three kernels; scores written out between them", attention::Naive)
