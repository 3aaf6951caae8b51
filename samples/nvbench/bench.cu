#include <nvbench/nvbench.cuh>
#include <stdexcept>
__global__ void spin(long long clocks) { auto t = clock64(); while (clock64() - t < clocks) {} }
__global__ void copy(float* d, const float* s, long long n) { for (long long i = blockIdx.x * 256ll + threadIdx.x; i < n; i += gridDim.x * 256ll) d[i] = s[i]; }
void copy_bench(nvbench::state& state) {
  auto n = state.get_int64("Elements");
  if (n == 4096) { state.skip("too small for this kernel"); return; }
  float *d, *s; cudaMalloc(&d, n * 4); cudaMalloc(&s, n * 4);
  state.add_element_count(n, "Elements");
  state.add_global_memory_reads<float>(n, "In");
  state.add_global_memory_writes<float>(n);
  state.exec([&](nvbench::launch& l) { copy<<<264, 256, 0, l.get_stream()>>>(d, s, n); });
  cudaFree(d); cudaFree(s);
}
NVBENCH_BENCH(copy_bench).add_int64_power_of_two_axis("Elements", {12, 20, 22}).add_string_axis("Mode", {"a", "b c"});
void noisy(nvbench::state& state) {
  long long k = 0;
  state.exec([&](nvbench::launch& l) { k++; spin<<<1, 1, 0, l.get_stream()>>>(20000 + (k % 7) * 30000); });
}
NVBENCH_BENCH(noisy).set_timeout(0.3);
template <typename T> void typed(nvbench::state& state, nvbench::type_list<T>) {
  auto f = state.get_float64("Fill");
  auto& sum = state.add_summary("user/own");
  sum.set_string("name", "Own"); sum.set_float64("value", f * 2);
  state.exec(nvbench::exec_tag::sync, [&](nvbench::launch& l) { spin<<<1, 1, 0, l.get_stream()>>>(20000 * sizeof(T)); cudaStreamSynchronize(l.get_stream()); });
}
NVBENCH_BENCH_TYPES(typed, NVBENCH_TYPE_AXES(nvbench::type_list<float, double>)).set_type_axes_names({"T"}).add_float64_axis("Fill", {0.1, 1.0}).set_is_cpu_only(false);
void throws(nvbench::state& state) {
  if (state.get_int64("i") == 1) throw std::runtime_error("out of memory in setup");
  state.exec([&](nvbench::launch& l) { spin<<<1, 1, 0, l.get_stream()>>>(50000); });
}
NVBENCH_BENCH(throws).add_int64_axis("i", {0, 1, 2});
void cpu(nvbench::state& state) { state.exec([](nvbench::launch&) { volatile long x = 0; for (int i = 0; i < 10000; i++) x = x + i; }); }
NVBENCH_BENCH(cpu).set_is_cpu_only(true);
NVBENCH_MAIN
