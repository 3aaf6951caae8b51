// Kernels with all that a cubin says about the offsets of instructions: jump tables, calls, barriers, votes.
#include <cstdio>

__device__ __noinline__ float called(float value) {
  return sinf(value) * value;
}

extern "C" __global__ void jumps(float* x, int turns) {
  float value = x[threadIdx.x];
  for (int i = 0; i < turns; ++i) switch (static_cast<int>(x[i])) {
      case 0: value = called(value); break;
      case 1: value *= value; break;
      case 2: value /= 3; break;
      case 3: value = expf(value); break;
      case 4: value = sqrtf(value); break;
      case 5: value -= 1; break;
      case 6: value = 1 / value; break;
      case 7: value = logf(value); break;
      default: value = 0; break;
    }
  x[threadIdx.x] = value;
}

extern "C" __global__ void barriers(float* x) {
  __shared__ alignas(8) unsigned long long barrier;
  const unsigned address = static_cast<unsigned>(__cvta_generic_to_shared(&barrier));
  if (threadIdx.x == 0) asm volatile("mbarrier.init.shared.b64 [%0], 32;" ::"r"(address));
  __syncthreads();
  asm volatile("{.reg .b64 state; mbarrier.arrive.shared.b64 state, [%0];}" ::"r"(address));
  asm volatile(
      "{.reg .pred done;\nagain: mbarrier.try_wait.parity.shared.b64 done, [%0], 0;\n@!done bra again;}" ::
          "r"(address)
      : "memory");
  x[threadIdx.x] = __shfl_xor_sync(~0U, x[threadIdx.x], 1);
  atomicAdd(x, 3.0F);
}

extern "C" __global__ void __cluster_dims__(2, 1, 1) prints(float* x) {
  if (x[threadIdx.x] > 1) printf("%f\n", static_cast<double>(x[2]));
  x[blockIdx.x] = static_cast<float>(__activemask());
}
