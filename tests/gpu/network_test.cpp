// The networks mlp, conv and transformer against the float64 reference, by every variant in C++. Also what
// sanitizers are run on.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "tests/gpu/lab.h"

namespace harness::gpu {
namespace {

// One test a network: `sizes` by name, apart from dtype.
class NetworkTest : public VariantsTest {
 protected:
  using Sizes = std::initializer_list<std::pair<const char*, std::int64_t>>;

  explicit NetworkTest(const char* workload) : VariantsTest(workload), workload_(workload) {}

  // A library may refuse a shape; own kernels may not.
  void expect_right(bool of_library, std::initializer_list<Sizes> shapes) const {
    for (const std::string& variant : variants()) {
      const bool library = variant == "library" || variant == "im2col" || variant.starts_with("fp8_");
      if (library != of_library) continue;
      for (const Sizes& sizes : shapes) {
        sdk::Params params;
        params.set("dtype", std::string("f16"));
        for (const auto& [name, value] : sizes) params.set(name, value);
        trying(fmt::format("{}/{}/{}", workload_, variant, params.text_id()));
        const bool ran = is_right(variant, params, 4096);
        EXPECT_TRUE(ran || of_library || device().traits().compute_major != 9);
      }
    }
  }

 private:
  std::string workload_;
};

class MlpNetworks : public NetworkTest {
 protected:
  MlpNetworks() : NetworkTest("mlp") {}
};
class ConvNetworks : public NetworkTest {
 protected:
  ConvNetworks() : NetworkTest("conv") {}
};
class TransformerNetworks : public NetworkTest {
 protected:
  TransformerNetworks() : NetworkTest("transformer") {}
};

// Few rows and many, widths that short products take and others, tails of every tile.
TEST_F(MlpNetworks, OfOwnKernelsAreRight) {
  expect_right(false, {{{"layers", 1}, {"batch", 1}, {"width", 64}},
                       {{"layers", 4}, {"batch", 64}, {"width", 1024}},
                       {{"layers", 3}, {"batch", 33}, {"width", 192}},
                       {{"layers", 2}, {"batch", 1030}, {"width", 256}},
                       {{"layers", 2}, {"batch", 130}, {"width", 200}},
                       {{"layers", 2}, {"batch", 5}, {"width", 2048}}});
}
TEST_F(MlpNetworks, OfLibrariesAreRight) {
  expect_right(true, {{{"layers", 4}, {"batch", 64}, {"width", 1024}},
                      {{"layers", 3}, {"batch", 33}, {"width", 192}},
                      {{"layers", 1}, {"batch", 16}, {"width", 256}}});
}

// A picture of one point, taps of one slot and of several, small tiles and large ones.
TEST_F(ConvNetworks, OfOwnKernelsAreRight) {
  expect_right(false, {{{"layers", 4}, {"batch", 8}, {"channels", 64}, {"size", 32}},
                       {{"layers", 1}, {"batch", 1}, {"channels", 8}, {"size", 1}},
                       {{"layers", 3}, {"batch", 3}, {"channels", 8}, {"size", 5}},
                       {{"layers", 2}, {"batch", 2}, {"channels", 72}, {"size", 33}},
                       {{"layers", 2}, {"batch", 16}, {"channels", 136}, {"size", 40}}});
}
TEST_F(ConvNetworks, OfLibrariesAreRight) {
  expect_right(true, {{{"layers", 4}, {"batch", 8}, {"channels", 64}, {"size", 32}},
                      {{"layers", 2}, {"batch", 3}, {"channels", 16}, {"size", 7}}});
}

// Heads of 32, 64 and 128, tails of every tile.
TEST_F(TransformerNetworks, OfOwnKernelsAreRight) {
  expect_right(false, {{{"heads", 8}, {"layers", 2}, {"batch", 8}, {"length", 128}, {"width", 512}},
                       {{"heads", 1}, {"layers", 1}, {"batch", 1}, {"length", 1}, {"width", 32}},
                       {{"heads", 3}, {"layers", 1}, {"batch", 2}, {"length", 70}, {"width", 96}},
                       {{"heads", 2}, {"layers", 2}, {"batch", 3}, {"length", 300}, {"width", 256}}});
}
TEST_F(TransformerNetworks, OfLibrariesAreRight) {
  expect_right(true, {{{"heads", 8}, {"layers", 2}, {"batch", 8}, {"length", 128}, {"width", 512}},
                      {{"heads", 2}, {"layers", 1}, {"batch", 2}, {"length", 64}, {"width", 128}}});
}

}  // namespace
}  // namespace harness::gpu
