// Every CUDA variant of allocator: each block holds its stamp until it is freed. Also what sanitizers are run
// on.
#include <gtest/gtest.h>

#include "tests/gpu/lab.h"

namespace harness::gpu {
namespace {

class Allocator : public VariantsTest {
 protected:
  Allocator() : VariantsTest("allocator") {}

  void expect_right(std::int64_t d, std::int64_t layers, std::int64_t s, std::int64_t batch,
                    std::int64_t vocabulary) const {
    for (const std::string& variant : variants()) {
      trying(variant);
      sdk::Params params;
      for (const auto& [name, value] :
           std::initializer_list<std::pair<const char*, std::int64_t>>{{"d", d},
                                                                       {"heads", 2},
                                                                       {"layers", layers},
                                                                       {"s", s},
                                                                       {"batch", batch},
                                                                       {"vocabulary", vocabulary},
                                                                       {"steps", 4}})
        params.set(name, value);
      EXPECT_TRUE(is_right(variant, params, 1 << 20));
    }
  }
};

TEST_F(Allocator, FindsEachStampOnAFewSmallShapes) {
  expect_right(32, 2, 16, 2, 96);
  expect_right(256, 2, 300, 3, 1000);  // large and small blocks
}

TEST_F(Allocator, FindsEachStampOfAModel) {
  expect_right(768, 12, 512, 4, 32000);
}

}  // namespace
}  // namespace harness::gpu
