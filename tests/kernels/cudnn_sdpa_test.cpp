// cuDNN's view of attention, as far as it can be tried without a GPU: the library takes the description of
// a device that is not there, checks the graph, and chooses engines for it. Skipped where there is no cuDNN.
#include "kernels/attention/cudnn_sdpa.h"

#include <gmock/gmock.h>

#include "kernels/backends/cudnn_convolution.h"

// LeakSanitizer's, where it is: what the library keeps for itself is not ours to free.
// NOLINTBEGIN(bugprone-reserved-identifier,readability-identifier-naming): its own names
extern "C" void __lsan_disable() __attribute__((weak));
extern "C" void __lsan_enable() __attribute__((weak));
// NOLINTEND(bugprone-reserved-identifier,readability-identifier-naming)

namespace {

using attention::Shape;
using attention::cudnn::Attribute;
using attention::cudnn::Descriptor;
using attention::cudnn::Graph;
using attention::cudnn::Kind;
using attention::cudnn::Library;
using attention::cudnn::Plan;
using attention::cudnn::Type;
using harness::sdk::DType;
using harness::sdk::Unsupported;

// The properties of a device that cuDNN asks for; the figures of an H200.
constexpr std::string_view h200 = R"({
  "version": 1, "deviceName": "NVIDIA H200", "deviceVer": 900, "driverVer": 13000, "cudaDeviceId": 0,
  "pciDeviceId": 0, "multiProcessorCount": 132, "warpSize": 32, "maxGridSize": [2147483647, 65535, 65535],
  "maxBlockSize": [1024, 1024, 64], "maxThreadsPerBlock": 1024, "maxThreadsPerSM": 2048, "maxCtasPerSM": 32,
  "regsPerBlock": 65536, "maxRegistersPerSM": 65536, "maxSharedMemoryPerBlock": 49152,
  "maxSharedMemoryPerBlockOptin": 232448, "reservedSharedMemoryPerBlock": 1024, "l2CacheSize": 62914560,
  "totalGlobalMem": 150000000000, "smClockRateKHz": 1980000, "memClockRateKHz": 3201000, "isTccDriver": 0,
  "supportCoopLaunch": 1})";

class CudnnSdpa : public testing::Test {
 protected:
  void SetUp() override {
    if (__lsan_disable != nullptr) __lsan_disable();
    try {
      library_ = &Library::instance();
      device_ = std::make_unique<Descriptor>(*library_, Kind::device_properties);
      device_->set(Attribute::device_json, Type::text, static_cast<std::int64_t>(h200.size()), h200.data());
      device_->finalize();
    } catch (const std::exception& reason) {
      GTEST_SKIP() << reason.what();
    }
  }

  void TearDown() override {
    if (__lsan_enable != nullptr) __lsan_enable();
  }

  // Why no engine takes the shape; "" when one does, or would if a driver were there to load it.
  std::string obstacle(const Shape& shape) {
    return obstacle(Graph(*library_, shape, {nullptr, device_.get()}).descriptor());
  }
  std::string obstacle(const Descriptor& graph) {
    try {
      const Plan plan(*library_, graph, {nullptr, device_.get()});
      EXPECT_GE(plan.workspace_bytes(), 0);
    } catch (const Unsupported& reason) {
      const std::string text = reason.what();
      return text.find("libcuda") == std::string::npos ? text : "";
    } catch (const std::runtime_error& reason) {
      const std::string text = reason.what();  // a driver without a device
      return text.find("EXECUTION_FAILED") == std::string::npos ? text : "";
    }
    return "";
  }

  const Library* library_ = nullptr;
  std::unique_ptr<Descriptor> device_;
};

Shape shape_of(std::int64_t b, std::int64_t h, std::int64_t s, std::int64_t d, DType dtype, bool causal) {
  return {dtype, b, h, s, d, causal, 0};
}

TEST_F(CudnnSdpa, AnEngineTakesEveryShapeOfTheSuite) {
  for (const bool causal : {false, true})
    for (const DType dtype : {DType::f16, DType::bf16}) {
      for (const std::int64_t s : {32, 64, 128, 256, 512})
        EXPECT_EQ(obstacle(shape_of(1, 1, s, 64, dtype, causal)), "") << s;
      EXPECT_EQ(obstacle(shape_of(2, 4, 128, 64, dtype, causal)), "");
    }
  for (const bool causal : {false, true})
    for (const std::int64_t d : {64, 128})
      for (const std::int64_t s : {512, 4096, 16384})
        EXPECT_EQ(obstacle(shape_of(16384 / s, 2048 / d, s, d, DType::bf16, causal)), "") << s << " " << d;
}

TEST_F(CudnnSdpa, AnEngineTakesAWindow) {
  for (const DType dtype : {DType::f16, DType::bf16})
    for (const std::int64_t d : {64, 128}) {
      Shape shape = shape_of(1, 16, 16384, d, dtype, true);
      shape.window = 1024;
      EXPECT_EQ(obstacle(shape), "") << d;
    }
}

TEST_F(CudnnSdpa, LengthsThatAreNoMultipleOfATileAreTaken) {
  for (const bool causal : {false, true}) EXPECT_EQ(obstacle(shape_of(2, 3, 77, 64, DType::f16, causal)), "");
}

TEST_F(CudnnSdpa, HeadsMayLieSideBySide) {
  for (const std::int64_t beside : {1, 3}) {
    Shape shape = shape_of(8, 8, 128, 64, DType::f16, false);
    shape.beside = beside;
    EXPECT_EQ(obstacle(shape), "") << beside;
  }
}

TEST_F(CudnnSdpa, AnEngineTakesAConvolution) {
  backends::Shape shape = {.network = backends::Network::conv, .layers = 1, .batch = 8, .width = 64};
  shape.size = 32;
  const backends::ConvolutionGraph graph(*library_, shape, nullptr);
  EXPECT_EQ(obstacle(graph.descriptor()), "");
}

TEST(CudnnLibrary, ThatIsNotThereIsUnsupportedAndTheReasonSaysWhereItLooked) {
  try {
    const Library library({"/nowhere/libcudnn.so.9", "libcudnn_that_nobody_has.so"});
    FAIL() << "a library was found";
  } catch (const Unsupported& reason) {
    EXPECT_THAT(reason.what(), testing::HasSubstr("HARNESS_CUDNN_PATH"));
    EXPECT_THAT(reason.what(), testing::HasSubstr("/nowhere/libcudnn.so.9"));
    EXPECT_THAT(reason.what(), testing::HasSubstr("libcudnn_that_nobody_has.so"));
  }
}

TEST(CudnnLibrary, OfAnotherKindIsUnsupportedAndTheReasonNamesWhatItLacks) {
  try {
    const Library library({"libc.so.6"});
    FAIL() << "the C library is no cuDNN";
  } catch (const Unsupported& reason) {
    EXPECT_THAT(reason.what(), testing::HasSubstr("cudnnGetVersion"));
  }
}

TEST(CudnnReason, IsTheFirstOfTheStack) {
  using attention::cudnn::first_reason;
  EXPECT_EQ(first_reason("{\"engineId\":1}\nWarning: X; Reason: too small\nWarning: Y; Reason: check()"),
            "too small");
  EXPECT_EQ(first_reason("no label"), "no label");
  EXPECT_EQ(first_reason(""), "");
}

}  // namespace
