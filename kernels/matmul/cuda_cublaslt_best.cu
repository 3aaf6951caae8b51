// matmul/cublaslt_best: cuBLASLt with the fastest of up to 16 algorithms that its heuristics offer, timed on
// this device before measuring begins: the honest reference for a kernel that was tuned by hand. The choice
// is recorded in the metrics algorithm, algorithm_tile, algorithm_stages and algorithms_tried. A note of the
// record tells where the library offers fewer than 8 for a shape.
#include "kernels/matmul/library_kernel.cuh"

namespace matmul {
namespace {

class CublasLtBest final : public LibraryKernel {
 public:
  CublasLtBest(const harness::sdk::Params& params, const harness::sdk::Problem&,
               const harness::sdk::DeviceTraits&)
      : LibraryKernel(shape_of(params), compute_of(shape_of(params)), kernels::asked_algorithms) {}
};

}  // namespace
}  // namespace matmul

HARNESS_VARIANT(matmul, cublaslt_best, cuda, "cuBLASLt, the fastest of up to 16 algorithms, timed here",
                matmul::CublasLtBest)
