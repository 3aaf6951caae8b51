// matmul/cublaslt_default: cuBLASLt with the first algorithm of its heuristics within 32 MiB of workspace:
// what a user gets who asks the library.
#include "kernels/matmul/library_kernel.cuh"

namespace matmul {
namespace {

class CublasLtDefault final : public LibraryKernel {
 public:
  CublasLtDefault(const harness::sdk::Params& params, const harness::sdk::Problem&,
                  const harness::sdk::DeviceTraits&)
      : LibraryKernel(shape_of(params), compute_of(shape_of(params)), 1) {}
};

}  // namespace
}  // namespace matmul

HARNESS_VARIANT(matmul, cublaslt_default, cuda, "cuBLASLt, the first choice of its heuristics",
                matmul::CublasLtDefault)
