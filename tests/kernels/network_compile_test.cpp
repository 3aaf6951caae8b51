// The kernels of the networks that are compiled at run time, by NVRTC: that needs no GPU. Skipped where there
// is no NVRTC.
#include <gmock/gmock.h>

#include <utility>

#include "kernels/backends/fused_network.cuh"
#include "kernels/backends/nvrtc_source.h"
#include "kernels/nvrtc/compiled.h"
#include "tests/emulate/block.h"

namespace backends {
namespace {

using testing::HasSubstr;
using testing::Not;

const transformer_block::Device h200 = {132, 232448};

RunTimeSource source_of(const Shape& shape) {
  return run_time_source(FusedNetwork(shape, h200));
}

// Without a reason to be several times slower, which ptxas tells.
void expect_compiled(const Shape& shape) {
  const kernels::NvrtcLibrary* library = nullptr;
  try {
    library = &kernels::NvrtcLibrary::instance();
  } catch (const harness::sdk::Unsupported& reason) {
    GTEST_SKIP() << reason.what();
  }
  const RunTimeSource source = source_of(shape);
  const kernels::Compiled result = kernels::compiled(*library, source.text, kernels::KeptCode::never);
  EXPECT_THAT(result.log, Not(HasSubstr("setmaxnreg")));
  EXPECT_THAT(result.log, Not(HasSubstr("serializ")));
  const std::string code(result.cubin.begin(), result.cubin.end());
  for (const std::string& name : source.kernels) EXPECT_THAT(code, HasSubstr(name));
}

TEST(NetworksAtRunTime, OfRowsAreMachineCode) {
  expect_compiled({.network = Network::mlp, .layers = 2, .batch = 64, .width = 1024});
}
TEST(NetworksAtRunTime, OfManyRowsAreMachineCode) {
  expect_compiled({.network = Network::mlp, .layers = 2, .batch = 4096, .width = 1024});
}
TEST(NetworksAtRunTime, OfTokensAreMachineCode) {
  expect_compiled(
      {.network = Network::transformer, .layers = 2, .batch = 8, .width = 512, .heads = 8, .length = 128});
}
TEST(NetworksAtRunTime, OfPicturesAreMachineCode) {
  Shape shape = {.network = Network::conv, .layers = 4, .batch = 8, .width = 64};
  shape.size = 32;
  expect_compiled(shape);
}

int (*compile_of_library)(kernels::NvrtcLibrary::Program, int, const char* const*) = nullptr;
std::vector<std::string> options_of_compile;
int watched_compile(kernels::NvrtcLibrary::Program program, int count, const char* const* options) {
  options_of_compile.assign(options, options + count);
  return compile_of_library(program, count, options);
}

// Without a driver NVRTC keeps no code on disk, so this checks the option that forbids it.
TEST(NetworksAtRunTime, AreNotReadFromDiskWhereTheSetUpIsMeasured) {
  const kernels::NvrtcLibrary* library = nullptr;
  try {
    library = &kernels::NvrtcLibrary::instance();
  } catch (const harness::sdk::Unsupported& reason) {
    GTEST_SKIP() << reason.what();
  }
  int major = 0, minor = 0;
  ASSERT_EQ(library->version(&major, &minor), 0);
  if (major < 13) GTEST_SKIP() << "NVRTC " << major << "." << minor << " may keep no code";
  kernels::NvrtcLibrary watched = *library;
  compile_of_library = std::exchange(watched.compile, watched_compile);
  (void)kernels::compiled(watched, "__global__ void nothing() {}", kernels::KeptCode::never);
  EXPECT_THAT(options_of_compile, testing::Contains("--no-cache"));
  (void)kernels::compiled(watched, "__global__ void nothing() {}");
  EXPECT_THAT(options_of_compile, Not(testing::Contains("--no-cache")));
}

TEST(NetworksAtRunTime, HaveOneKernelForLayersThatAreAlike) {
  const RunTimeSource source = source_of(
      {.network = Network::transformer, .layers = 2, .batch = 8, .width = 512, .heads = 8, .length = 128});
  const std::vector<std::string> layer(source.kernels.begin(), source.kernels.begin() + 7);
  EXPECT_THAT(layer, testing::ElementsAre("network_kernel_1", "network_kernel_2", "network_kernel_3", "",
                                          "network_kernel_4", "network_kernel_5", ""));
  EXPECT_EQ(layer, std::vector<std::string>(source.kernels.begin() + 7, source.kernels.end()));
}

}  // namespace
}  // namespace backends
