"""FFTs of CuPy, and a kernel that it compiles."""
import cupy
from cupy.cuda import nvtx

cupy.random.seed(1)
x = cupy.random.standard_normal((256, 4096)).astype(cupy.complex64)
scale = cupy.RawKernel(r'extern "C" __global__ void scale(float2* x, int n) { int i = blockIdx.x * 256 + threadIdx.x; '
                       r'if (i < n) x[i].x *= 0.5f; }', "scale")
for _ in range(40):
    nvtx.RangePush("step")
    y = cupy.fft.ifft(cupy.fft.fft(x))
    scale((y.size // 256,), (256,), (y, y.size))
    nvtx.RangePop()
cupy.cuda.Device().synchronize()
