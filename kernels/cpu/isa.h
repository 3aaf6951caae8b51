// Isa: the inner loops of the CPU variants, compiled once per instruction set. The program chooses at run
// time, so one binary runs on any machine and is fast on a new one. Plain functions over arrays; no state;
// any thread may call them.
#pragma once

#include <cstdint>

namespace kernels {

struct Isa {
  const char* name;
  int rows;     // of the block of sums that multiply() holds in registers
  int columns;  // likewise; both divide the tile of blocked_product.h

  // c[rows][columns] += a[rows][depth] b[depth][columns]. Strides in elements; b is packed (its stride is
  // `columns`).
  void (*multiply)(const float* a, std::int64_t a_stride, const float* b, std::int64_t depth, float* c,
                   std::int64_t c_stride);
  // The same for doubles, with half as many columns.
  void (*multiply_doubles)(const double* a, std::int64_t a_stride, const double* b, std::int64_t depth,
                           double* c, std::int64_t c_stride);

  // sums[j] += factors[0] rows[j] + ... + factors[3] rows[3 stride + j] for `count` sums, term by term.
  void (*add_four_rows)(const double* factors, const float* rows, std::int64_t stride, double* sums,
                        std::int64_t count);

  // Conversions of `count` elements; narrowing rounds to nearest, ties to even.
  void (*widen_f16)(const std::uint16_t* from, float* to, std::int64_t count);
  void (*widen_bf16)(const std::uint16_t* from, float* to, std::int64_t count);
  void (*narrow_f16)(const float* from, std::uint16_t* to, std::int64_t count);
  void (*narrow_bf16)(const float* from, std::uint16_t* to, std::int64_t count);

  // Elements `first` and on of a stream of random numbers (kernels/fill.h), the same on every machine.
  void (*draw)(std::uint64_t seed, std::uint64_t stream, std::int64_t first, float size, float* values,
               std::int64_t count);

  void (*add)(const float* bias, float* values, std::int64_t count);  // values += bias
  void (*gelu_tanh)(float* values, std::int64_t count);               // in place
  void (*gelu_erf)(float* values, std::int64_t count);

  // For softmax: the largest of `count` values and `floor`; values = e^(values - top), in place, returning
  // their sum (0 below e^-87, of minus infinity too); values *= factor.
  float (*largest)(const float* values, std::int64_t count, float floor);
  float (*exponentials)(float* values, std::int64_t count, float top);
  void (*scale)(float* values, std::int64_t count, float factor);
};

// Each is null where the compiler's target is another processor family.
extern const Isa* const isa_baseline;
extern const Isa* const isa_avx2;
extern const Isa* const isa_avx512;

// The fastest that this processor runs.
const Isa& best_isa();

}  // namespace kernels
