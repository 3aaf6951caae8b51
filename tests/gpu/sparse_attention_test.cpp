// Every CUDA variant of sparse_attention against the float64 reference, on regular and odd shapes. Also what
// sanitizers are run on: only kernels of our own.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/gpu/lab.h"

namespace harness::gpu {
namespace {

struct Extents {
  std::int64_t b, h, s, d;
};
struct Kept {
  const char* pattern;
  std::int64_t sparsity;
};
constexpr Kept patterns[] = {{"dense", 0},      {"banded", 50},    {"banded", 90},  {"strided", 75},
                             {"threshold", 50}, {"threshold", 90}, {"learned", 75}, {"learned", 90}};

class SparseAttention : public VariantsTest {
 protected:
  SparseAttention() : VariantsTest("sparse_attention") {}

  bool is_right_on(const std::string& variant, const Extents& shape, const Kept& kept,
                   std::int64_t checked = 4096) const {
    sdk::Params params;
    params.set("b", shape.b);
    params.set("h", shape.h);
    params.set("s", shape.s);
    params.set("d", shape.d);
    params.set("pattern", std::string(kept.pattern));
    params.set("sparsity", kept.sparsity);
    trying(fmt::format("{} {}", variant, params.text_id()));
    return is_right(variant, params, checked);
  }
};

TEST_F(SparseAttention, IsRightWithEveryPattern) {
  for (const std::string& variant : variants()) {
    int ran = 0;
    for (const Kept& kept : patterns)
      for (const Extents& shape :
           {Extents{1, 2, 1, 64}, Extents{2, 3, 300, 64}, Extents{1, 2, 1025, 128}, Extents{1, 4, 2048, 64}})
        ran += is_right_on(variant, shape, kept) ? 1 : 0;
    EXPECT_TRUE(ran > 0 || device().traits().compute_major != 9) << variant;
  }
}
// For sanitizers, under which everything takes many times as long.
TEST_F(SparseAttention, IsRightOnAFewSmallShapes) {
  for (const std::string& variant : variants())
    for (const Kept& kept : patterns) is_right_on(variant, {1, 2, 300, 64}, kept);
}
// The suite's longest, where lists have dozens of blocks.
TEST_F(SparseAttention, IsRightOnLongSequences) {
  for (const std::string& variant : variants())
    for (const Kept& kept : {Kept{"threshold", 90}, Kept{"strided", 75}})
      is_right_on(variant, {1, 4, 16384, 128}, kept, 256);
}

}  // namespace
}  // namespace harness::gpu
