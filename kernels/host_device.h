// KERNELS_BOTH: a function for CPU and GPU variants alike, in a header that any compiler reads.
#pragma once

#ifdef __CUDACC__
#define KERNELS_BOTH __host__ __device__ __forceinline__
#else
#define KERNELS_BOTH inline
#endif
