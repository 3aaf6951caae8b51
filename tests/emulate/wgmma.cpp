#include "kernels/ptx/wgmma.cuh"

#include <functional>

namespace emulate {
namespace {

// The part of each thread of a warpgroup in a product.
struct Operand {
  void* d;
  const std::uint32_t* a_registers;
  std::uint64_t a;
  std::uint64_t b;
  int accumulate;
  std::uint32_t places;
};

// The same, once for the warpgroup.
struct Issued {
  Product product;
  std::array<void*, 128> d = {};
  std::vector<double> a_registers;  // 64 x 16 when A came in registers
  std::vector<int> places;          // 64 x 16 columns of the stored elements when A is sparse
  std::uint64_t a = 0;
  std::uint64_t b = 0;
  int accumulate = 0;
};

// Element (outer, p) of an operand in shared memory; outer counts along m or n, p along k.
double element(std::uint64_t descriptor, int major, int outer, int p, const Product& product) {
  const auto start = static_cast<std::uint32_t>(descriptor & 0x3FFF) << 4;
  const auto leading = static_cast<std::uint32_t>(descriptor >> 16 & 0x3FFF) << 4;
  const auto stride = static_cast<std::uint32_t>(descriptor >> 32 & 0x3FFF) << 4;
  std::uint32_t address = start;
  if (major == 0)
    address += static_cast<std::uint32_t>(outer / 8) * stride +
               static_cast<std::uint32_t>(outer % 8 * 128 + p * product.element_bytes);
  else
    address += static_cast<std::uint32_t>(outer / 64) * leading + static_cast<std::uint32_t>(p / 8) * stride +
               static_cast<std::uint32_t>(p % 8 * 128 + outer % 64 * 2);
  std::uint16_t bits = 0;
  const auto bytes = static_cast<std::size_t>(product.element_bytes);
  std::memcpy(&bits, block().shared(swizzle_128(address), bytes, "wgmma"), bytes);
  return static_cast<double>(product.widen(bits));
}

void check_descriptor(std::uint64_t descriptor) {
  if (descriptor >> 62 != 1) block().fail("a wgmma descriptor without 128-byte swizzle");
  if ((descriptor >> 49 & 7) != 0) block().fail("a wgmma descriptor with a base offset");
  if ((descriptor & 0x3FFF) << 4 >> 7 & 7)
    block().fail(
        "a wgmma operand does not start where the swizzle pattern does, at a multiple of 1024 bytes");
}

// The place of an element in a matrix of `columns` columns.
std::size_t position(int row, int column, int columns) {
  return static_cast<std::size_t>(row) * static_cast<std::size_t>(columns) + static_cast<std::size_t>(column);
}

// d += or = the sum of products, rounded once; whole numbers wrap.
template <class Sum>
void put_sum(void* d, int i, bool accumulate, double products) {
  Sum& at = static_cast<Sum*>(d)[i];
  const double sum = products + (accumulate ? static_cast<double>(at) : 0.0);
  if constexpr (std::is_same_v<Sum, std::int32_t>)
    at = static_cast<std::int32_t>(static_cast<std::int64_t>(sum));
  else
    at = static_cast<Sum>(sum);
}

// A of 64 x 32 from the 64 x 16 elements that are stored of it.
std::vector<double> spread(const std::vector<double>& stored, const std::vector<int>& places) {
  std::vector<double> a(std::size_t{64} * 32);
  for (int row = 0; row < 64; ++row)
    for (int i = 0; i < 16; ++i) {
      const std::size_t from = position(row, i, 16);
      a[position(row, places[from], 32)] = stored[from];
    }
  return a;
}

void compute(const Issued& issued) {
  const Product& product = issued.product;
  const int n = product.n;
  const int stored = 32 / product.element_bytes;  // of k, in A
  const int depth = issued.places.empty() ? stored : stored * 2;
  const auto matrix = [&](int rows, std::uint64_t descriptor, int major, int columns) {
    std::vector<double> elements(position(rows, 0, columns));
    for (int row = 0; row < rows; ++row)
      for (int p = 0; p < columns; ++p)
        elements[position(row, p, columns)] = element(descriptor, major, row, p, product);
    return elements;
  };
  std::vector<double> a =
      issued.a_registers.empty() ? matrix(64, issued.a, product.a_major, stored) : issued.a_registers;
  if (!issued.places.empty()) a = spread(a, issued.places);
  const std::vector<double> b = matrix(n, issued.b, product.b_major, depth);
  for (int number = 0; number < 128; ++number)
    for (int i = 0; i < n / 2; ++i) {
      const int row = number / 32 * 16 + number % 32 / 4 + i / 2 % 2 * 8;
      const int column = i / 4 * 8 + number % 4 * 2 + i % 2;
      double sum = 0;
      for (int p = 0; p < depth; ++p) sum += a[position(row, p, depth)] * b[position(column, p, depth)];
      void* const d = issued.d[static_cast<std::size_t>(number)];
      if (product.whole)
        put_sum<std::int32_t>(d, i, issued.accumulate != 0, sum);
      else
        put_sum<float>(d, i, issued.accumulate != 0, sum);
    }
}

// A in registers is laid out as in mma.m16n8k16, sixteen rows a warp.
std::vector<double> a_of_registers(Block::Operands operands, Widen widen) {
  std::vector<double> a(std::size_t{64} * 16);
  for (int row = 0; row < 64; ++row)
    for (int p = 0; p < 16; ++p) {
      const int number = row / 16 * 32 + row % 8 * 4 + p % 8 / 2;
      const auto* operand = static_cast<const Operand*>(operands[static_cast<std::size_t>(number)]);
      const std::uint32_t pair = operand->a_registers[row % 16 / 8 + p / 8 * 2];
      a[position(row, p, 16)] = static_cast<double>(widen(static_cast<std::uint16_t>(pair >> (p % 2 * 16))));
    }
  return a;
}

// The columns of the stored elements of a sparse A. PTX ISA, "Sparse wgmma.mma_async.sp with half-precision":
// each thread of the pair that the selector names holds 16 columns of two rows. The lower half of a word is
// for the row of its quad, the upper half for the row eight below.
std::vector<int> columns_of_places(Block::Operands operands, int selector) {
  std::vector<int> columns(std::size_t{64} * 16);
  for (int row = 0; row < 64; ++row)
    for (int group = 0; group < 8; ++group) {
      const int number = row / 16 * 32 + row % 8 * 4 + selector * 2 + group / 4;
      const std::uint32_t word =
          static_cast<const Operand*>(operands[static_cast<std::size_t>(number)])->places;
      const std::uint32_t bits = word >> (row % 16 / 8 * 16 + group % 4 * 4) & 0xFU;
      const int first = static_cast<int>(bits & 3U);
      const int second = static_cast<int>(bits >> 2);
      if (first >= second) block().fail("places of a sparse wgmma do not ascend: undefined");
      columns[position(row, group * 2, 16)] = group * 4 + first;
      columns[position(row, group * 2 + 1, 16)] = group * 4 + second;
    }
  return columns;
}

}  // namespace

void multiply_warpgroup(const Product& product, void* d, const std::uint32_t* a_registers, std::uint64_t a,
                        std::uint64_t b, int accumulate, std::uint32_t places) {
  Block& here = block();
  if (!here.thread().fenced) here.fail("wgmma without a wgmma_fence() since its registers were touched");
  if (a_registers == nullptr) check_descriptor(a);
  check_descriptor(b);
  Operand mine{d, a_registers, a, b, accumulate, places};
  const auto issue = [&](Block::Operands operands) {
    Issued issued{product, {}, {}, {}, a, b, accumulate};
    for (std::size_t i = 0; i < 128; ++i) {
      const auto& operand = *static_cast<const Operand*>(operands[i]);
      issued.d[i] = operand.d;
      if (operand.a != a || operand.b != b || operand.accumulate != accumulate)
        here.fail("the threads of a warpgroup disagree on the operands of a wgmma");
    }
    if (a_registers != nullptr) issued.a_registers = a_of_registers(operands, product.widen);
    if (product.selector >= 0) issued.places = columns_of_places(operands, product.selector);
    Block::Products& products = here.products[here.thread().number / 128];
    products.waiting.emplace_back([issued = std::move(issued)] { compute(issued); });
    if (here.options().landing == Landing::late) return;
    products.waiting.front()();
    products.waiting.pop_front();
    ++products.computed;
  };
  // By reference, so that threads that wait for ever, after a failure of another, hold no memory.
  here.meet_warpgroup("wgmma.mma_async", &mine, std::ref(issue));
}

void commit_products() {
  const Block::Products& products = block().products[thread().number / 128];
  thread().products.push_back(products.computed + products.waiting.size());
}

void wait_for_products(int pending) {
  Thread& one = thread();
  Block::Products& products = block().products[one.number / 128];
  for (; static_cast<int>(one.products.size()) > pending; one.products.pop_front())
    for (; products.computed < one.products.front(); ++products.computed) {
      products.waiting.front()();
      products.waiting.pop_front();
    }
  if (pending == 0) one.fenced = false;
}

}  // namespace emulate
