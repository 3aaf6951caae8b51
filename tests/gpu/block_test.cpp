// The transformer block against the float64 reference, by every variant. Also what sanitizers are run on.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/gpu/lab.h"

namespace harness::gpu {
namespace {

class Blocks : public VariantsTest {
 protected:
  Blocks() : VariantsTest("block") {}

  struct Extents {
    std::int64_t h, b, s, d;
  };
  void expect_right(bool of_library, std::initializer_list<Extents> shapes) const {
    for (const std::string& variant : variants()) {
      if ((variant == "separate" || variant == "library_fused") != of_library) continue;
      for (const Extents& extents : shapes) {
        sdk::Params params;
        params.set("dtype", std::string("f16"));
        params.set("h", extents.h);
        params.set("b", extents.b);
        params.set("s", extents.s);
        params.set("d", extents.d);
        trying(fmt::format("block/{}/{}", variant, params.text_id()));
        is_right(variant, params, 2048);
      }
    }
  }
};

// Few tokens and many, heads of 32, 64 and 128, tails of every tile.
TEST_F(Blocks, OwnKernelsAreRight) {
  expect_right(false, {{2, 1, 1, 64},
                       {8, 2, 128, 256},
                       {2, 3, 33, 128},
                       {1, 1, 70, 64},
                       {3, 2, 9, 96},
                       {2, 1, 130, 256},
                       {8, 4, 256, 512},
                       {4, 3, 700, 256},
                       {12, 2, 512, 768}});
}
TEST_F(Blocks, CallsOfTheLibraryAreRight) {
  expect_right(true, {{8, 2, 128, 256}, {8, 4, 256, 512}, {2, 3, 33, 128}, {12, 2, 512, 768}});
}

}  // namespace
}  // namespace harness::gpu
