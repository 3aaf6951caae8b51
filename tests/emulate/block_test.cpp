// Errors that the emulator must notice: each test runs a small kernel that is right, or wrong in one way.
#include "tests/emulate/block.h"

#include <gmock/gmock.h>

#include "kernels/ptx/hopper.cuh"

namespace {

using emulate::Buffer;
using emulate::Failure;
using emulate::Landing;
using emulate::launch;
using emulate::Options;
using emulate::Order;
using testing::AllOf;
using testing::HasSubstr;
using testing::ThrowsMessage;

constexpr Options orders[] = {{Landing::early, Order::forward, 1},
                              {Landing::late, Order::backward, 1},
                              {Landing::late, Order::shuffled, 7},
                              {Landing::early, Order::first_warps, 1},
                              {Landing::late, Order::last_warps, 1}};

__global__ void number(int* out) {
  const unsigned block = blockIdx.z * gridDim.y * gridDim.x + blockIdx.y * gridDim.x + blockIdx.x;
  const unsigned inside = threadIdx.z * blockDim.y * blockDim.x + threadIdx.y * blockDim.x + threadIdx.x;
  out[block * 24 + inside] = static_cast<int>(block * 24 + inside);
}

TEST(Launch, RunsEveryThreadOfEveryBlockOnce) {
  for (const Options& options : orders) {
    const Buffer<int> out("out", std::size_t{24} * 12);
    launch(options, {2, 3, 2}, {4, 3, 2}, 0, number, out.data());
    for (std::size_t i = 0; i < out.size(); ++i) ASSERT_EQ(out[i], static_cast<int>(i));
  }
}

template <bool WithBarrier>
__global__ void reverse(const int* in, int* out) {
  using Copy = int[64];
  KERNEL_SHARED(Copy, copy);
  copy[threadIdx.x] = in[threadIdx.x];
  if constexpr (WithBarrier) __syncthreads();
  out[threadIdx.x] = copy[63 - threadIdx.x];
}

bool reverses(const Options& options, void (*kernel)(const int*, int*)) {
  const Buffer<int> in("in", 64);
  const Buffer<int> out("out", 64);
  for (int i = 0; i < 64; ++i) in[static_cast<std::size_t>(i)] = i;
  launch(options, {2}, {64}, 0, kernel, in.data(), out.data());
  for (int i = 0; i < 64; ++i)
    if (out[static_cast<std::size_t>(i)] != 63 - i) return false;
  return true;
}

TEST(Barrier, MakesSharedMemoryVisible) {
  for (const Options& options : orders) EXPECT_TRUE(reverses(options, reverse<true>));
}
TEST(Barrier, ThatIsMissingShowsInEveryOrder) {
  for (const Options& options : orders) EXPECT_FALSE(reverses(options, reverse<false>));
}

// How far warp `ahead` gets while the other stands at its first shuffle.
__global__ void races(int ahead, int* most) {
  KERNEL_SHARED(int, steps);
  if (threadIdx.x == 0) steps = 0;
  __syncthreads();
  const bool leads = static_cast<int>(threadIdx.x) / 32 == ahead;
  for (int step = 0; step < 10; ++step) {
    __syncwarp();
    if (leads && threadIdx.x % 32 == 0) steps = step + 1;
    if (!leads && threadIdx.x % 32 == 0 && step == 0) *most = steps;
  }
}
TEST(Order, OfTheUnfairKindLetsWarpsRunAhead) {
  const Buffer<int> most("most", 1);
  launch({Landing::early, Order::first_warps, 1}, {1}, {64}, 0, races, 0, most.data());
  EXPECT_EQ(most[0], 10);
  launch({Landing::early, Order::last_warps, 1}, {1}, {64}, 0, races, 1, most.data());
  EXPECT_EQ(most[0], 10);
  launch({Landing::early, Order::forward, 1}, {1}, {64}, 0, races, 0, most.data());
  EXPECT_LE(most[0], 2);
}

__global__ void half_waits() {
  if (threadIdx.x < 32) __syncthreads();
}
TEST(Barrier, ThatSomeThreadsNeverReachIsADeadlockAndSaysWho) {
  EXPECT_THAT([] { launch({}, {1}, {96}, 0, half_waits); },
              ThrowsMessage<Failure>(AllOf(HasSubstr("32 threads wait at __syncthreads (0 to 31)"),
                                           HasSubstr("64 have ended"))));
}

__global__ void writes(float* out, int index) {
  if (threadIdx.x == 3) out[index] = 1;
}
TEST(Memory, WritesPastEitherEndOfABufferAreNoticed) {
#if defined(__SANITIZE_ADDRESS__)
  GTEST_SKIP() << "AddressSanitizer stops the test at the write itself";
#endif
  const Buffer<float> out("out", 5);
  launch({}, {1}, {32}, 0, writes, out.data(), 4);
  EXPECT_THAT([&] { launch({}, {1}, {32}, 0, writes, out.data(), 5); },
              ThrowsMessage<Failure>(HasSubstr("`out` (20 bytes) was written at byte 20")));
  const Buffer<float> other("other", 5);
  EXPECT_THAT([&] { launch({}, {1}, {32}, 0, writes, other.data(), -1); },
              ThrowsMessage<Failure>(HasSubstr("`other` was written 4 bytes before its start")));
}

__global__ void writes_shared(int index) {
  KERNEL_DYNAMIC_SHARED(memory, 16);
  memory[index] = 1;
}
TEST(Memory, WritesPastSharedMemoryAreNoticed) {
#if defined(__SANITIZE_ADDRESS__)
  GTEST_SKIP() << "AddressSanitizer stops the test where it happens, when it is told of the zones";
#endif
  launch({}, {1}, {1}, 64, writes_shared, 63);
  EXPECT_THAT([&] { launch({}, {1}, {1}, 64, writes_shared, 64); },
              ThrowsMessage<Failure>(HasSubstr("wrote outside its shared memory")));
}
TEST(Memory, TooMuchSharedMemoryIsRefused) {
  EXPECT_THAT([&] { launch({}, {1}, {1}, 232449, writes_shared, 0); },
              ThrowsMessage<Failure>(HasSubstr("232449 bytes of shared memory; there are 232448")));
}

__global__ void unset(float* out) {
  using One = float[1];
  KERNEL_SHARED(One, one);
  KERNEL_DYNAMIC_SHARED(memory, 4);
  out[0] = one[0];
  out[1] = *reinterpret_cast<float*>(memory);
  one[0] = 1;
  *reinterpret_cast<float*>(memory) = 1;
}
TEST(Memory, SharedMemoryIsNaNAtTheStartOfEveryBlock) {
  const Buffer<float> out("out", 2);
  launch({}, {3}, {1}, 4, unset, out.data());
  EXPECT_TRUE(std::isnan(out[0]));
  EXPECT_TRUE(std::isnan(out[1]));
}

__global__ void shuffles(int* out) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  int* const mine = out + std::size_t{threadIdx.x} * 8;
  mine[0] = __shfl_sync(0xFFFFFFFF, lane, 5);
  mine[1] = __shfl_xor_sync(0xFFFFFFFF, lane, 3);
  mine[2] = __shfl_down_sync(0xFFFFFFFF, lane, 2, 8);
  mine[3] = __shfl_up_sync(0xFFFFFFFF, lane, 2, 8);
  mine[4] = static_cast<int>(__ballot_sync(0xFFFFFFFF, lane == 1 || lane == 4));
  mine[5] = __any_sync(0xFFFFFFFF, lane == 7);
  mine[6] = __all_sync(0xFFFFFFFF, lane != 7);
  mine[7] = lane < 16 ? __shfl_xor_sync(0x0000FFFF, lane, 1) : __shfl_xor_sync(0xFFFF0000, lane, 2);
}
TEST(Warp, ShufflesAndVotes) {
  for (const Options& options : orders) {
    const Buffer<int> out("out", std::size_t{64} * 8);
    launch(options, {1}, {64}, 0, shuffles, out.data());
    for (int t = 0; t < 64; ++t) {
      const int lane = t % 32;
      const int* const mine = &out[static_cast<std::size_t>(t) * 8];
      const int expected[] = {5,
                              lane ^ 1 ^ 2,
                              lane % 8 < 6 ? lane + 2 : lane,
                              lane % 8 >= 2 ? lane - 2 : lane,
                              18,
                              1,
                              0,
                              lane < 16 ? lane ^ 1 : lane ^ 2};
      for (int i = 0; i < 8; ++i) EXPECT_EQ(mine[i], expected[i]) << "thread " << t << ", value " << i;
    }
  }
}

__global__ void diverges() {
  if (threadIdx.x < 16)
    __syncwarp();
  else
    (void)__shfl_sync(0xFFFFFFFF, 1, 0);
}
TEST(Warp, ThatMeetsAtTwoPlacesIsADeadlock) {
  EXPECT_THAT([] { launch({}, {1}, {32}, 0, diverges); },
              ThrowsMessage<Failure>(AllOf(HasSubstr("16 threads wait at __syncwarp"),
                                           HasSubstr("16 threads wait at __shfl_sync"))));
}

// Warp 0 waits for warp 1, which only arrives and goes on.
__global__ void named(int* out) {
  KERNEL_SHARED(int, handed);
  if (threadIdx.x < 32) {
    ptx::named_barrier_sync(3, 64);
    out[threadIdx.x] = handed;
  } else {
    if (threadIdx.x == 32) handed = 42;
    __syncwarp();
    ptx::named_barrier_arrive(3, 64);
  }
}
TEST(NamedBarrier, LetsArrivingThreadsGoOn) {
  for (const Options& options : orders) {
    const Buffer<int> out("out", 32);
    launch(options, {1}, {64}, 0, named, out.data());
    for (int i = 0; i < 32; ++i) EXPECT_EQ(out[static_cast<std::size_t>(i)], 42);
  }
}

}  // namespace
