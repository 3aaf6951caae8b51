// loops CUBIN [KERNEL...]: launches kernels of loops.cu, all or those named, twice each, and prints their
// second time. A program to run under the library of alignment.cpp, and under Nsight Compute.
#include <cuda.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace {

void check(CUresult code, const char* what) {
  if (code == CUDA_SUCCESS) return;
  const char* text = nullptr;
  if (cuGetErrorString(code, &text) != CUDA_SUCCESS || text == nullptr) text = "unknown error";
  std::fprintf(stderr, "loops: %s: %s\n", what, text);
  std::exit(1);
}

struct Kernel {
  const char* name;
  unsigned grid_x, grid_y, block;
  std::vector<void*> arguments;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fputs("usage: loops CUBIN [KERNEL...]\n", stderr);
    return 2;
  }
  std::ifstream file(argv[1], std::ios::binary);
  const std::string cubin((std::istreambuf_iterator<char>(file)), {});
  check(cuInit(0), "cuInit");
  CUdevice device = 0;
  CUcontext context = nullptr;
  check(cuDeviceGet(&device, 0), "cuDeviceGet");
  check(cuDevicePrimaryCtxRetain(&context, device), "cuDevicePrimaryCtxRetain");
  check(cuCtxSetCurrent(context), "cuCtxSetCurrent");
  CUmodule module = nullptr;
  check(cuModuleLoadData(&module, cubin.data()), "cuModuleLoadData");

  constexpr std::size_t bytes = std::size_t{1} << 28;
  constexpr unsigned ones = 0x3c003c00;  // two halves
  CUdeviceptr x = 0, y = 0, z = 0;
  for (CUdeviceptr* one : {&x, &y, &z}) {
    check(cuMemAlloc(one, bytes), "cuMemAlloc");
    check(cuMemsetD32(*one, ones, bytes / 4), "cuMemsetD32");
  }
  int elements = 1 << 24, extent = 2048, many = 4000;
  constexpr unsigned loop_blocks = 132 * 8;
  // As much work in each.
  std::array<int, 10> turns{600, 150, 75, 60, 50, 38, 30, 20, 15, 12};
  const unsigned blocks = static_cast<unsigned>(elements) / 256, tiles = static_cast<unsigned>(extent) / 64;
  std::vector<Kernel> kernels{{"small_loop", loop_blocks, 1, 256, {&z, &many}},
                              {"product", tiles, tiles, 128, {&x, &y, &z, &extent}},
                              {"gelu", blocks, 1, 256, {&x, &z, &elements}}};
  constexpr std::array names{"loop_3k",  "loop_13k", "loop_26k", "loop_32k",  "loop_39k",
                             "loop_51k", "loop_64k", "loop_96k", "loop_128k", "loop_160k"};
  for (std::size_t i = 0; i < names.size(); ++i)
    kernels.push_back({names[i], loop_blocks, 1, 256, {&z, &turns[i]}});
  CUevent begin = nullptr, end = nullptr;
  check(cuEventCreate(&begin, CU_EVENT_DEFAULT), "cuEventCreate");
  check(cuEventCreate(&end, CU_EVENT_DEFAULT), "cuEventCreate");
  for (Kernel kernel : kernels) {
    bool wanted = argc == 2;
    for (int i = 2; i < argc; ++i) wanted = wanted || std::string(argv[i]) == kernel.name;
    if (!wanted) continue;
    CUfunction function = nullptr;
    check(cuModuleGetFunction(&function, module, kernel.name), kernel.name);
    const auto launch = [&] {
      check(cuLaunchKernel(function, kernel.grid_x, kernel.grid_y, 1, kernel.block, 1, 1, 0, nullptr,
                           kernel.arguments.data(), nullptr),
            kernel.name);
    };
    launch();
    check(cuEventRecord(begin, nullptr), "cuEventRecord");
    launch();
    check(cuEventRecord(end, nullptr), "cuEventRecord");
    check(cuEventSynchronize(end), kernel.name);
    float milliseconds = 0;
    check(cuEventElapsedTime(&milliseconds, begin, end), "cuEventElapsedTime");
    std::printf("%s %.2f us\n", kernel.name, 1e3 * static_cast<double>(milliseconds));
  }
}
