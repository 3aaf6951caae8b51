// The launches that round X in a timed call. See quantised_x.cuh.
#include "kernels/quant_gemm/quantised_x.cuh"

namespace quant_gemm {

template <class Code>
void QuantisedX<Code>::run(cudaStream_t stream) {
  if (shape_.stored) return;
  const int k = static_cast<int>(shape_.k), m = static_cast<int>(shape_.m);
  const std::int64_t elements = shape_.m * shape_.k;
  switch (sharing_) {
    case Sharing::token:
      quantise_tokens<Code>
          <<<static_cast<unsigned>(m), quantise_threads, 0, stream>>>(x_, codes_, scales_, k);
      break;
    case Sharing::tensor:
      kernels::check(cudaMemsetAsync(largest_, 0, sizeof *largest_, stream), "cudaMemsetAsync");
      find_largest<ptx::F16><<<blocks_, quantise_threads, 0, stream>>>(x_, elements, largest_);
      quantise_tensor<Code>
          <<<blocks_, quantise_threads, 0, stream>>>(x_, codes_, elements, largest_, scales_);
      break;
    case Sharing::group_of_k: {
      constexpr std::int64_t groups_a_block = quantise_threads / 16;
      const dim3 grid(static_cast<unsigned>((shape_.groups_of_k() + groups_a_block - 1) / groups_a_block),
                      static_cast<unsigned>(m));
      quantise_groups<Code><<<grid, quantise_threads, 0, stream>>>(x_, codes_, scales_, m, k);
      break;
    }
  }
  kernels::check(cudaGetLastError(), "launch of a quantising kernel");
}

template class QuantisedX<ptx::I8>;
template class QuantisedX<ptx::E4M3>;

}  // namespace quant_gemm
