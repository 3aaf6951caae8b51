// A program whose kernel works as long as a number says that lies in the file `amount`. The first word of the
// command says on which way the number comes to the GPU. Its launches are the same whatever the number is,
// but for `argument` and `setup`.
#include <cstdio>
#include <string>

__device__ int in_variable = AMOUNT;
__constant__ int in_constant;

__device__ void work(float* out, int rounds) {
  float value = threadIdx.x;
  for (int i = 0; i < rounds; ++i) value = value * 0.999f + 1;
  out[blockIdx.x * blockDim.x + threadIdx.x] = value;
}
__global__ void by_argument(float* out, int rounds) {
  work(out, rounds);
}
__global__ void by_memory(float* out, const int* rounds) {
  work(out, *rounds);
}
__global__ void by_constant(float* out) {
  work(out, in_constant);
}
__global__ void by_variable(float* out) {
  work(out, in_variable);
}
__global__ void by_array(float* out, cudaTextureObject_t from) {
  work(out, tex2D<int>(from, 0, 0));
}
__global__ void write_amount(int* to, int rounds) {
  *to = rounds;
}

#define CHECK(call)                                             \
  do {                                                          \
    if (const cudaError_t code = (call); code != cudaSuccess) { \
      std::printf("%s: %s\n", #call, cudaGetErrorString(code)); \
      return 1;                                                 \
    }                                                           \
  } while (false)

int main(int count, char** words) {
  const std::string way = count > 1 ? words[1] : "";
  int amount = 0;
  std::FILE* file = std::fopen("amount", "r");
  if (file == nullptr || std::fscanf(file, "%d", &amount) != 1) return 2;
  std::fclose(file);
  float* out = nullptr;
  int *memory = nullptr, *pinned = nullptr, *managed = nullptr;
  const int blocks = 132 * 4, threads = 256;
  CHECK(cudaMalloc(&out, sizeof(float) * blocks * threads));
  CHECK(cudaMalloc(&memory, 1 << 20));
  CHECK(cudaMemset(memory, 0, 1 << 20));
  CHECK(cudaMallocHost(&pinned, 1 << 20));
  cudaStream_t stream;
  CHECK(cudaStreamCreate(&stream));
  cudaTextureObject_t texture = 0;
  cudaGraphExec_t graph = nullptr;
  *pinned = amount;
  if (way == "device") CHECK(cudaMemcpy(memory, &amount, sizeof amount, cudaMemcpyHostToDevice));
  if (way == "default") CHECK(cudaMemcpy(memory, &amount, sizeof amount, cudaMemcpyDefault));
  if (way == "pinned") CHECK(cudaMemcpyAsync(memory, pinned, sizeof amount, cudaMemcpyHostToDevice, stream));
  if (way == "plane")
    CHECK(cudaMemcpy2D(memory, 512, &amount, sizeof amount, sizeof amount, 1, cudaMemcpyHostToDevice));
  if (way == "constant") CHECK(cudaMemcpyToSymbol(in_constant, &amount, sizeof amount));
  if (way == "fill") CHECK(cudaMemset(memory, amount & 0xff, 2));
  if (way == "setup") write_amount<<<1, 1, 0, stream>>>(memory, amount);
  if (way == "unseeded") {
    std::FILE* random = std::fopen("/dev/urandom", "r");
    if (random == nullptr || std::fread(pinned + 1, 1, 1 << 16, random) != 1 << 16) return 3;
    std::fclose(random);
    CHECK(cudaMemcpy(memory, pinned, 1 << 17, cudaMemcpyHostToDevice));
  }
  if (way == "array") {
    cudaArray_t array;
    const cudaChannelFormatDesc format = cudaCreateChannelDesc<int>();
    CHECK(cudaMallocArray(&array, &format, 1, 1));
    CHECK(cudaMemcpy2DToArray(array, 0, 0, &amount, sizeof amount, sizeof amount, 1, cudaMemcpyHostToDevice));
    cudaResourceDesc from{};
    from.resType = cudaResourceTypeArray;
    from.res.array.array = array;
    cudaTextureDesc how{};
    CHECK(cudaCreateTextureObject(&texture, &from, &how, nullptr));
  }
  if (way == "managed") {
    CHECK(cudaMallocManaged(&managed, 4096));
    *managed = amount;
  }
  if (way == "graph_copy") {
    cudaGraph_t captured;
    CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    CHECK(cudaMemcpyAsync(memory, pinned, sizeof amount, cudaMemcpyHostToDevice, stream));
    CHECK(cudaStreamEndCapture(stream, &captured));
    CHECK(cudaGraphInstantiate(&graph, captured, 0));
    CHECK(cudaGraphLaunch(graph, stream));
  }
  // Steps of a graph with two kernels, captured or made by hand, and changed before each launch.
  if (way == "captured") {
    cudaGraph_t captured;
    CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    write_amount<<<1, 1, 0, stream>>>(memory, amount);
    by_memory<<<blocks, threads, 0, stream>>>(out, memory);
    CHECK(cudaStreamEndCapture(stream, &captured));
    CHECK(cudaGraphInstantiate(&graph, captured, 0));
  }
  cudaGraphNode_t node = nullptr;
  void* given[] = {&out, &amount};
  cudaKernelNodeParams kernel{};
  kernel.func = reinterpret_cast<void*>(by_argument);
  kernel.gridDim = dim3(blocks);
  kernel.blockDim = dim3(threads);
  kernel.kernelParams = given;
  if (way == "by_hand" || way == "updated") {
    cudaGraph_t made;
    int little = 1;
    void* first[] = {&out, way == "by_hand" ? &amount : &little};
    kernel.kernelParams = first;
    CHECK(cudaGraphCreate(&made, 0));
    CHECK(cudaGraphAddKernelNode(&node, made, nullptr, 0, &kernel));
    CHECK(cudaGraphInstantiate(&graph, made, 0));
    kernel.kernelParams = given;
  }
  CHECK(cudaDeviceSynchronize());
  for (int step = 0; step < 60; ++step) {
    if (way == "updated") CHECK(cudaGraphExecKernelNodeSetParams(graph, node, &kernel));
    if (way == "captured" || way == "by_hand" || way == "updated")
      CHECK(cudaGraphLaunch(graph, stream));
    else if (way == "argument")
      by_argument<<<blocks, threads, 0, stream>>>(out, amount);
    else if (way == "constant")
      by_constant<<<blocks, threads, 0, stream>>>(out);
    else if (way == "variable")
      by_variable<<<blocks, threads, 0, stream>>>(out);
    else if (way == "array")
      by_array<<<blocks, threads, 0, stream>>>(out, texture);
    else if (way == "managed")
      by_memory<<<blocks, threads, 0, stream>>>(out, managed);
    else if (way == "mapped")
      by_memory<<<blocks, threads, 0, stream>>>(out, pinned);
    else
      by_memory<<<blocks, threads, 0, stream>>>(out, memory);
    CHECK(cudaStreamSynchronize(stream));
  }
  CHECK(cudaDeviceSynchronize());
  return 0;
}
