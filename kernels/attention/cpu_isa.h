// Isa: the inner loops of the CPU variant threads_online, compiled once per instruction set and chosen when
// the program runs, so that one binary runs on any machine and is fast on a new one. Plain functions over
// arrays; no state; any thread may call them.
#pragma once

#include <cstdint>

namespace attention {

struct Isa {
  const char* name;

  // c[rows][columns] += a[rows][depth] b[depth][columns]; rows is a multiple of 4, columns of 32. Strides in
  // elements.
  void (*multiply)(const float* a, std::int64_t a_stride, const float* b, std::int64_t b_stride, float* c,
                   std::int64_t c_stride, std::int64_t rows, std::int64_t columns, std::int64_t depth);

  // The largest of `count` values (at least 1) and `floor`.
  float (*largest)(const float* values, std::int64_t count, float floor);
  // values = e^(values - top), in place; returns their sum. count is a multiple of 16.
  float (*exponentials)(float* values, std::int64_t count, float top);
  void (*scale)(float* values, std::int64_t count, float factor);  // values *= factor

  // Conversions of `count` elements; narrowing rounds to nearest, ties to even.
  void (*widen_f16)(const std::uint16_t* from, float* to, std::int64_t count);
  void (*widen_bf16)(const std::uint16_t* from, float* to, std::int64_t count);
  void (*narrow_f16)(const float* from, std::uint16_t* to, std::int64_t count);
  void (*narrow_bf16)(const float* from, std::uint16_t* to, std::int64_t count);
};

// Each is null where the compiler's target is another processor family.
extern const Isa* const isa_baseline;
extern const Isa* const isa_avx2;
extern const Isa* const isa_avx512;

// The fastest that this processor runs.
const Isa& best_isa();

}  // namespace attention
