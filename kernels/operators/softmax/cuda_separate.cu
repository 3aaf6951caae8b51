#include "kernels/operators/cuda_rows.cuh"

HARNESS_VARIANT(softmax, separate, cuda, "a kernel each for maxima, sums and the result",
                operators::CudaSeparate<operators::Softmax>)
