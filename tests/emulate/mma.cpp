#include "tests/emulate/mma.h"

namespace emulate {
namespace {

// The operands of one thread of an mma.
struct Fragments {
  float* d;
  const std::uint32_t* a;
  const std::uint32_t* b;
};

const Fragments& of(Block::Operands lanes, int lane) {
  return *static_cast<const Fragments*>(lanes[static_cast<std::size_t>(lane)]);
}

// D(row, column) of m16n8: thread 4g + q holds d[0], d[1] at (g, 2q), (g, 2q + 1) and d[2], d[3] eight rows
// below, with depth products of A(row, p) B(p, column) added.
template <int Depth, class A, class B>
void multiply(Block::Operands lanes, A a_element, B b_element) {
  double a[16][Depth];
  double b[Depth][8];
  for (int row = 0; row < 16; ++row)
    for (int p = 0; p < Depth; ++p) a[row][p] = a_element(row, p);
  for (int p = 0; p < Depth; ++p)
    for (int column = 0; column < 8; ++column) b[p][column] = b_element(p, column);
  for (int lane = 0; lane < 32; ++lane)
    for (int i = 0; i < 4; ++i) {
      const int row = lane / 4 + i / 2 * 8;
      const int column = lane % 4 * 2 + i % 2;
      double sum = of(lanes, lane).d[i];
      for (int p = 0; p < Depth; ++p) sum += a[row][p] * b[p][column];
      of(lanes, lane).d[i] = static_cast<float>(sum);
    }
}

}  // namespace

void copy_async(std::uint32_t to, const void* from, int bytes, std::size_t size) {
  Block& here = block();
  const auto count = static_cast<std::size_t>(bytes);
  std::byte* const place = here.shared(to, size, "cp.async");
  if (bytes < 0 || count > size) here.fail("cp.async of " + std::to_string(bytes) + " bytes");
  if (to % size != 0) here.fail("cp.async to shared address " + std::to_string(to) + ", not aligned");
  if (reinterpret_cast<std::uintptr_t>(from) % size != 0) here.fail("cp.async from an address not aligned");
  const std::string outside = count == 0 ? "" : outside_memory(from, count);
  if (!outside.empty()) here.fail("cp.async reads " + outside);
  const Action land = [place, from, count, size] {
    std::memset(place, 0, size);
    std::memcpy(place, from, count);
  };
  if (here.options().landing == Landing::early) return land();
  std::memset(place, 0xFF, size);  // whoever still reads what was here is too late
  here.thread().copies.add(land);
}

void load_matrices(const char* what, std::uint32_t (&to)[4], std::uint32_t from, bool transposed) {
  struct Load {
    std::uint32_t from;
    std::uint32_t* to;
  } mine{from, to};
  if (from % 16 != 0) block().fail(std::string(what) + " from an address not aligned");
  block().meet_warp(what, 0xFFFFFFFF, &mine, [what, transposed](Block::Operands lanes) {
    std::uint16_t rows[4][8][8];
    for (int i = 0; i < 32; ++i)
      std::memcpy(rows[i / 8][i % 8],
                  block().shared(static_cast<Load*>(lanes[static_cast<std::size_t>(i)])->from, 16, what), 16);
    for (int lane = 0; lane < 32; ++lane)
      for (int matrix = 0; matrix < 4; ++matrix) {
        const int g = lane / 4;
        const int q = lane % 4 * 2;
        const std::uint16_t low = transposed ? rows[matrix][q][g] : rows[matrix][g][q];
        const std::uint16_t high = transposed ? rows[matrix][q + 1][g] : rows[matrix][g][q + 1];
        static_cast<Load*>(lanes[static_cast<std::size_t>(lane)])->to[matrix] =
            low | static_cast<std::uint32_t>(high) << 16;
      }
  });
}

void store_matrices(std::uint32_t to, const std::uint32_t (&from)[4], bool transposed) {
  struct Store {
    std::uint32_t to;
    const std::uint32_t* from;
  } mine{to, from};
  if (to % 16 != 0) block().fail("stmatrix to an address not aligned");
  block().meet_warp("stmatrix", 0xFFFFFFFF, &mine, [transposed](Block::Operands lanes) {
    const auto of = [lanes](int lane) {
      return static_cast<const Store*>(lanes[static_cast<std::size_t>(lane)]);
    };
    for (int row = 0; row < 32; ++row) {
      std::uint16_t elements[8];
      for (int i = 0; i < 8; ++i) {
        const int r = transposed ? i : row % 8;
        const int column = transposed ? row % 8 : i;
        elements[i] = static_cast<std::uint16_t>(of(r * 4 + column / 2)->from[row / 8] >> (column % 2 * 16));
      }
      std::memcpy(block().shared(of(row)->to, 16, "stmatrix"), elements, 16);
    }
  });
}

// A: register i of thread 4g + q holds columns 2q, 2q + 1 (and eight more for i >= 2) of row g (and eight
// more for odd i). B: register i holds rows 2q, 2q + 1 (and eight more for i = 1) of column g.
void multiply_16(const char* what, Widen widen, float (&d)[4], const std::uint32_t (&a)[4],
                 const std::uint32_t (&b)[2]) {
  Fragments mine{d, a, b};
  block().meet_warp(what, 0xFFFFFFFF, &mine, [widen](Block::Operands lanes) {
    const auto half = [widen](std::uint32_t pair, int which) {
      return static_cast<double>(widen(static_cast<std::uint16_t>(pair >> (16 * which))));
    };
    multiply<16>(
        lanes,
        [&](int row, int p) {
          return half(of(lanes, row % 8 * 4 + p % 8 / 2).a[row / 8 + p / 8 * 2], p % 2);
        },
        [&](int p, int column) { return half(of(lanes, column * 4 + p % 8 / 2).b[p / 8], p % 2); });
  });
}

// A: register i of thread 4g + q holds column q (and four more for i >= 2) of row g (and eight more for odd
// i). B: register i holds row q (and four more for i = 1) of column g. The hardware drops the low 13 bits.
void multiply_tf32(float (&d)[4], const std::uint32_t (&a)[4], const std::uint32_t (&b)[2]) {
  Fragments mine{d, a, b};
  block().meet_warp("mma.m16n8k8.tf32", 0xFFFFFFFF, &mine, [](Block::Operands lanes) {
    const auto value = [](std::uint32_t bits) {
      return static_cast<double>(std::bit_cast<float>(bits & 0xFFFFE000U));
    };
    multiply<8>(
        lanes, [&](int row, int p) { return value(of(lanes, row % 8 * 4 + p % 4).a[row / 8 + p / 4 * 2]); },
        [&](int p, int column) { return value(of(lanes, column * 4 + p % 4).b[p / 4]); });
  });
}

}  // namespace emulate
