// mbarriers, boxes by the copy engine and warpgroup products: right programs, and programs that forget a
// wait.
#include <gmock/gmock.h>

#include "kernels/ptx/wgmma.cuh"

namespace {

using emulate::Buffer;
using emulate::Failure;
using emulate::Landing;
using emulate::launch;
using emulate::Options;
using emulate::Order;
using ptx::F16;
using ptx::Major;
using ptx::TensorMap;
using testing::HasSubstr;
using testing::ThrowsMessage;

constexpr Options late{Landing::late, Order::shuffled, 3};
constexpr Options early{Landing::early, Order::forward, 1};

std::uint16_t bits(int value) {
  return F16::narrow(static_cast<float>(value));
}
int value(int row, int column) {
  return (row * 7 + column * 3) % 11 - 5;
}

// A row-major rows x columns matrix of value(); boxes of `high` rows of 64 elements.
struct Matrix {
  Matrix(const char* name, int row_count, int column_count, std::uint32_t high)
      : rows(row_count),
        columns(column_count),
        elements(name, static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns)) {
    for (int r = 0; r < rows; ++r)
      for (int c = 0; c < columns; ++c)
        elements[static_cast<std::size_t>(r) * static_cast<std::size_t>(columns) +
                 static_cast<std::size_t>(c)] = bits(value(r, c));
    ptx::TensorLayout layout;
    layout.extents[0] = static_cast<std::uint64_t>(columns);
    layout.extents[1] = static_cast<std::uint64_t>(rows);
    layout.strides[1] = static_cast<std::uint64_t>(columns) * 2;
    layout.box[0] = 64;
    layout.box[1] = high;
    map = ptx::make_tensor_map<F16>(elements.data(), layout);
  }
  int rows;
  int columns;
  Buffer<std::uint16_t> elements;
  TensorMap map;
};

// Loads the box at (x, y), 8 rows, and copies shared memory out as it lies.
template <bool Waits>
__global__ void load_box(const TensorMap map, int x, int y, int expected_bytes, std::uint16_t* out) {
  KERNEL_DYNAMIC_SHARED(memory, 1024);
  const std::uint32_t box = ptx::shared_address(memory);
  const std::uint32_t barrier = box + 1024;
  if (threadIdx.x == 0) {
    ptx::mbarrier_init(barrier, 1);
    ptx::fence_mbarrier_init();
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    ptx::mbarrier_arrive_expect(barrier, expected_bytes);
    ptx::tma_load_2d(box, &map, x, y, barrier);
  }
  if constexpr (Waits) ptx::mbarrier_wait(barrier, 0);
  for (unsigned i = threadIdx.x; i < 512; i += blockDim.x)
    out[i] = reinterpret_cast<std::uint16_t*>(memory)[i];
}

TEST(BulkCopy, SwizzlesAndFillsWithZerosOutside) {
  const Matrix in("in", 20, 72, 8);
  const Buffer<std::uint16_t> out("out", 512);
  for (const Options& options : {early, late})
    for (const int y : {-3, 0, 16}) {
      launch(options, {1}, {32}, 1032, load_box<true>, in.map, 16, y, 1024, out.data());
      for (int r = 0; r < 8; ++r)
        for (int c = 0; c < 64; ++c) {
          const bool inside = y + r >= 0 && y + r < 20 && 16 + c < 72;
          const int piece = c / 8 ^ r;
          EXPECT_EQ(out[static_cast<std::size_t>(r * 64 + piece * 8 + c % 8)],
                    inside ? bits(value(y + r, 16 + c)) : 0)
              << r << ", " << c;
        }
    }
}
TEST(BulkCopy, ThatNobodyWaitsForIsNotThereYet) {
  const Matrix in("in", 8, 64, 8);
  const Buffer<std::uint16_t> out("out", 512);
  launch(late, {1}, {32}, 1032, load_box<false>, in.map, 0, 0, 1024, out.data());
  EXPECT_EQ(out[0], 0xFFFF);
}
TEST(BulkCopy, OfMoreBytesThanExpectedNeverCompletesItsPhase) {
  const Matrix in("in", 8, 64, 8);
  const Buffer<std::uint16_t> out("out", 512);
  for (const Options& options : {early, late})
    EXPECT_THAT([&] { launch(options, {1}, {32}, 1032, load_box<true>, in.map, 0, 0, 2048, out.data()); },
                ThrowsMessage<Failure>(HasSubstr("32 threads wait at mbarrier.try_wait")));
}
TEST(BulkCopy, ToTooLittleSharedMemoryIsNoticed) {
  const Matrix in("in", 16, 64, 16);
  const Buffer<std::uint16_t> out("out", 512);
  EXPECT_THAT([&] { launch(late, {1}, {32}, 1032, load_box<true>, in.map, 0, 0, 2048, out.data()); },
              ThrowsMessage<Failure>(HasSubstr("a bulk copy of 2048 bytes at shared address")));
}

__global__ void store_box(const TensorMap map, int x, int y) {
  KERNEL_DYNAMIC_SHARED(memory, 1024);
  for (unsigned i = threadIdx.x; i < 512; i += blockDim.x) {
    const unsigned row = i / 64;
    const unsigned piece = i % 64 / 8 ^ row;
    reinterpret_cast<std::uint16_t*>(memory)[row * 64 + piece * 8 + i % 8] = static_cast<std::uint16_t>(i);
  }
  ptx::fence_proxy_async();
  __syncthreads();
  if (threadIdx.x == 0) {
    ptx::tma_store_2d(&map, x, y, ptx::shared_address(memory));
    ptx::tma_store_commit();
    ptx::tma_store_wait<0>();
  }
}
TEST(BulkCopy, StoresWhatLiesInsideTheTensor) {
  for (const Options& options : {early, late}) {
    const Matrix out("out", 20, 72, 8);
    launch(options, {1}, {64}, 1024, store_box, out.map, 16, 16);
    for (int r = 0; r < 20; ++r)
      for (int c = 0; c < 72; ++c)
        EXPECT_EQ(out.elements[static_cast<std::size_t>(r * 72 + c)],
                  r >= 16 && c >= 16 ? (r - 16) * 64 + c - 16 : bits(value(r, c)));
  }
}

__global__ void too_many_arrivals() {
  KERNEL_DYNAMIC_SHARED(memory, 8);
  const std::uint32_t barrier = ptx::shared_address(memory);
  if (threadIdx.x == 0) ptx::mbarrier_init(barrier, 40);
  __syncthreads();
  ptx::mbarrier_arrive(barrier);
  ptx::mbarrier_wait(barrier, 0);
}
__global__ void overwritten() {
  KERNEL_DYNAMIC_SHARED(memory, 8);
  ptx::mbarrier_init(ptx::shared_address(memory), 1);
  memory[3] = 0;
  ptx::mbarrier_arrive(ptx::shared_address(memory));
}
TEST(Mbarrier, ThatIsMisusedIsNoticed) {
  EXPECT_THAT([] { launch({}, {1}, {32}, 8, too_many_arrivals); },
              ThrowsMessage<Failure>(HasSubstr("32 threads wait at mbarrier.try_wait")));
  EXPECT_THAT([] { launch({}, {1}, {1}, 8, overwritten); },
              ThrowsMessage<Failure>(HasSubstr("was overwritten")));
}

// D = A B of 64 x N x 32 with A k-major (or in registers), B of either order; waits as told.
constexpr int columns = 128;
template <Major OfB, bool Registers, bool Waits>
__global__ void product(const TensorMap a, const TensorMap b, float* out) {
  KERNEL_DYNAMIC_SHARED(memory, 1024);
  const std::uint32_t of_a = ptx::shared_address(memory);
  const std::uint32_t of_b = of_a + 64 * 128;
  const std::uint32_t barrier = of_b + 2 * 64 * 128;
  if (threadIdx.x == 0) {
    ptx::mbarrier_init(barrier, 1);
    ptx::fence_mbarrier_init();
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    ptx::mbarrier_arrive_expect(barrier, 3 * 64 * 128);
    ptx::tma_load_2d(of_a, &a, 0, 0, barrier);
    ptx::tma_load_2d(of_b, &b, 0, 0, barrier);
    ptx::tma_load_2d(of_b + 64 * 128, &b, OfB == Major::mn ? 64 : 0, OfB == Major::mn ? 0 : 64, barrier);
  }
  ptx::mbarrier_wait(barrier, 0);
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const int row = static_cast<int>(threadIdx.x) / 32 * 16 + lane / 4;
  float d[columns / 2];
  ptx::wgmma_fence();
  for (int k = 0; k < 64; k += 16) {
    const std::uint32_t step = static_cast<std::uint32_t>(k) * (OfB == Major::mn ? 128 : 2);
    const std::uint64_t with = OfB == Major::mn ? ptx::swizzled_descriptor(of_b + step, 64 * 128, 1024)
                                                : ptx::swizzled_descriptor(of_b + step, 0, 1024);
    if constexpr (Registers) {
      std::uint32_t held[4];
      for (int i = 0; i < 4; ++i) {
        const int r = row + i % 2 * 8;
        const int c = k + i / 2 * 8 + lane % 4 * 2;
        held[i] = F16::narrow(static_cast<float>(value(r, c)), static_cast<float>(value(r, c + 1)));
      }
      ptx::Wgmma<F16, columns>::registers<OfB>(d, held, with, k != 0);
    } else {
      ptx::Wgmma<F16, columns>::shared<Major::k, OfB>(
          d, ptx::swizzled_descriptor(of_a + static_cast<std::uint32_t>(k) * 2, 0, 1024), with, k != 0);
    }
  }
  ptx::wgmma_commit();
  if constexpr (Waits) ptx::wgmma_wait<0>();
  for (int i = 0; i < columns / 2; ++i)
    out[(row + i / 2 % 2 * 8) * columns + i / 4 * 8 + lane % 4 * 2 + i % 2] = d[i];
}

// Stores four matrices, of which matrix i has 64 i + 8 row + column at (row, column), one after the other.
__global__ void store_matrices(std::uint16_t* out) {
  KERNEL_DYNAMIC_SHARED(memory, 16);
  const std::uint32_t t = threadIdx.x;
  std::uint32_t from[4];
  for (std::uint32_t i = 0; i < 4; ++i) {
    const std::uint32_t first = 64 * i + 8 * (t / 4) + 2 * (t % 4);
    from[i] = first | (first + 1) << 16;
  }
  ptx::stmatrix_x4(ptx::shared_address(memory + std::size_t{t} * 16), from);
  __syncwarp();
  for (std::uint32_t i = 0; i < 8; ++i)
    out[t * 8 + i] = reinterpret_cast<const std::uint16_t*>(memory)[t * 8 + i];
}

TEST(Stmatrix, StoresWhatLdmatrixLoads) {
  const Buffer<std::uint16_t> out("out", 256);
  launch(late, {1}, {32}, 512, store_matrices, out.data());
  for (std::size_t i = 0; i < 256; ++i) EXPECT_EQ(out[i], i);
}

template <Major OfB, bool Registers, bool Waits = true>
int wrong_elements(const Options& options) {
  const Matrix a("a", 64, 64, 64);
  const Matrix b("b", OfB == Major::mn ? 64 : columns, OfB == Major::mn ? columns : 64, 64);
  const Buffer<float> out("out", std::size_t{64} * columns);
  launch(options, {1}, {128}, 3 * 64 * 128 + 8, product<OfB, Registers, Waits>, a.map, b.map, out.data());
  int wrong = 0;
  for (int row = 0; row < 64; ++row)
    for (int column = 0; column < columns; ++column) {
      int sum = 0;
      for (int p = 0; p < 64; ++p)
        sum += value(row, p) * (OfB == Major::mn ? value(p, column) : value(column, p));
      wrong += out[static_cast<std::size_t>(row) * columns + static_cast<std::size_t>(column)] ==
                       static_cast<float>(sum)
                   ? 0
                   : 1;
    }
  return wrong;
}

TEST(Wgmma, MultipliesOperandsOfEveryLayout) {
  for (const Options& options : {early, late}) {
    EXPECT_EQ((wrong_elements<Major::k, false>(options)), 0);
    EXPECT_EQ((wrong_elements<Major::mn, false>(options)), 0);
    EXPECT_EQ((wrong_elements<Major::k, true>(options)), 0);
    EXPECT_EQ((wrong_elements<Major::mn, true>(options)), 0);
  }
}
TEST(Wgmma, ThatNobodyWaitsForIsNotThereYet) {
  EXPECT_GT((wrong_elements<Major::k, false, false>(late)), 0);
}

__global__ void unfenced() {
  float d[4] = {};
  ptx::Wgmma<F16, 8>::shared<Major::k, Major::k>(d, 0, 0, 0);
}
TEST(Wgmma, WithoutAFenceIsNoticed) {
  EXPECT_THAT([] { launch({}, {1}, {128}, 0, unfenced); },
              ThrowsMessage<Failure>(HasSubstr("without a wgmma_fence()")));
}

}  // namespace
