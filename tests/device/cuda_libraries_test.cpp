// Finding CUDA libraries and who holds CUPTI, against a stand-in.
#include "harness/device/host/cuda_libraries.h"

#include <gmock/gmock.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "harness/base/files.h"

namespace harness {
namespace {

using testing::EndsWith;

class CudaLibrariesTest : public testing::Test {
 protected:
  CudaLibrariesTest() {
    setenv("HARNESS_CUPTI", FAKE_CUPTI_LIBRARY, 1);
    setenv("HARNESS_CUBLAS", "/no/such/libcublas.so", 1);
  }
  void TearDown() override {
    for (const char* name : {"HARNESS_CUPTI", "HARNESS_CUBLAS", "FAKE_CUPTI_HOLDER", "CUDA_INJECTION64_PATH"})
      unsetenv(name);
  }
  [[nodiscard]] CudaLibraries found() const { return find_cuda_libraries(folder_.path()); }
  TemporaryFolder folder_;
};

TEST_F(CudaLibrariesTest, FindsACuptiThatNobodyHolds) {
  const CudaLibraries libraries = found();
  EXPECT_EQ(libraries.cupti, "130001");
  EXPECT_THAT(libraries.cupti_path, EndsWith("libfake_cupti_subscriber.so"));
  EXPECT_EQ(libraries.cupti_error, "");
  EXPECT_EQ(libraries.cupti_holder, "");
  EXPECT_EQ(libraries.cublas, "");
}

TEST_F(CudaLibrariesTest, NamesWhoHoldsCupti) {
  setenv("FAKE_CUPTI_HOLDER", "Nsight Systems", 1);
  EXPECT_EQ(found().cupti_holder, "Nsight Systems");
  setenv("FAKE_CUPTI_HOLDER", "", 1);
  EXPECT_EQ(found().cupti_holder, "a tool that does not say its name");
  setenv("CUDA_INJECTION64_PATH", "/opt/tool.so", 1);
  EXPECT_EQ(found().injected, "/opt/tool.so");
}

TEST_F(CudaLibrariesTest, SaysWhyThereIsNoCupti) {
  setenv("HARNESS_CUPTI", "/no/such/libcupti.so", 1);
  EXPECT_EQ(found().cupti, "");
  EXPECT_NE(found().cupti_error, "");
}

TEST_F(CudaLibrariesTest, ReadsTheVersionOfTheToolkit) {
  EXPECT_EQ(found().toolkit, "");
  std::filesystem::create_directories(folder_.path() / "usr/local/cuda");
  std::ofstream(folder_.path() / "usr/local/cuda/version.json") << R"({"cuda": {"version": "13.0.48"}})";
  EXPECT_EQ(found().toolkit, "13.0.48");
  std::ofstream(folder_.path() / "usr/local/cuda/version.json") << R"({"cuda": 13})";
  EXPECT_EQ(found().toolkit, "");
}

TEST_F(CudaLibrariesTest, TravelsAsText) {
  const CudaLibraries libraries{"13.0", "13.1", "130001", "/lib", "why", "who", "what"};
  const auto read = decode_cuda_libraries(encode(libraries));
  ASSERT_TRUE(read.has_value());
  EXPECT_EQ(encode(*read), encode(libraries));
  EXPECT_EQ(read->injected, "what");
  EXPECT_FALSE(decode_cuda_libraries("").has_value()) << "the process ended without an answer";
}

}  // namespace
}  // namespace harness
