// The code of kernels of one name in several modules, with a driver of the test's own. The images are of nvcc
// (fuzz/corpus/cubin).
#include "harness/device/cuda/inject/module_codes.h"

#include <gtest/gtest.h>

#include "harness/base/files.h"

namespace harness::inject {
namespace {

constexpr const char* add_kernel = "_Z3addPfPKfi";   // another one in changed.cubin
constexpr const char* scale_kernel = "_Z5scalePff";  // the same

std::string image(const std::string& name) {
  return *read_file(std::string(HARNESS_SOURCE_DIR) + "/tests/fuzz/corpus/cubin/" + name);
}

std::span<const std::byte> bytes(const std::string& text) {
  return {reinterpret_cast<const std::byte*>(text.data()), text.size()};
}

class Codes : public testing::Test {
 protected:
  // As cuModuleLoadData does. `by_driver`: the driver tells of the image in the middle of the call.
  void load(std::uint64_t handle, const std::string& image, bool by_driver) {
    auto module = reinterpret_cast<CUmodule>(handle);
    cuModuleLoadData_params params{&module, image.data()};
    CUpti_CallbackData data{};
    data.functionParams = &params;
    data.callbackSite = CUPTI_API_ENTER;
    codes_.take(CUPTI_DRIVER_TRACE_CBID_cuModuleLoadData, data);
    if (by_driver) codes_.add(bytes(image));
    data.callbackSite = CUPTI_API_EXIT;
    codes_.take(CUPTI_DRIVER_TRACE_CBID_cuModuleLoadData, data);
  }
  ModuleCodes codes_;
  const std::string base_ = image("base.cubin"), changed_ = image("changed.cubin");
};

TEST_F(Codes, OfANameThatSeveralModulesHaveAreThoseOfTheModule) {
  load(1, base_, true);
  load(2, changed_, false);
  EXPECT_EQ(codes_.by_name(add_kernel), "") << "they differ";
  const std::string first = codes_.of({add_kernel, {1, 0}}), second = codes_.of({add_kernel, {2, 0}});
  EXPECT_NE(first, "");
  EXPECT_NE(second, "");
  EXPECT_NE(first, second);
  EXPECT_EQ(codes_.of({add_kernel, {0, 2}}), second) << "by its library";
  EXPECT_EQ(codes_.of({add_kernel, {3, 0}}), "") << "of a module that nobody saw";
  EXPECT_EQ(codes_.of({"", {1, 0}}), "");
}

TEST_F(Codes, OfALoadThatNobodySawAreByName) {
  EXPECT_TRUE(codes_.add(bytes(base_)));
  EXPECT_FALSE(codes_.add(bytes(base_))) << "nothing new";
  EXPECT_NE(codes_.by_name(add_kernel), "");
  EXPECT_EQ(codes_.of({add_kernel, {7, 0}}), codes_.by_name(add_kernel));
}

TEST_F(Codes, OfAHandleThatIsGivenAgainAreThoseOfTheNewModule) {
  load(1, base_, true);
  const std::string old = codes_.of({add_kernel, {1, 0}});
  load(1, changed_, true);
  EXPECT_NE(codes_.of({add_kernel, {1, 0}}), old);
}

// A call that was refused gives no handle.
TEST_F(Codes, AreNotThoseOfAFailedLoad) {
  load(0, changed_, true);
  load(2, base_, true);
  EXPECT_NE(codes_.of({add_kernel, {2, 0}}), "");
  EXPECT_EQ(codes_.of({scale_kernel, {5, 0}}), codes_.by_name(scale_kernel));
}

TEST(LaunchedFunctions, AreOfAModuleAndOfALibrary) {
  static const auto module = reinterpret_cast<CUmodule>(0x10);
  static const auto library = reinterpret_cast<CUlibrary>(0x20);
  static const auto function = reinterpret_cast<CUfunction>(0x30);
  static const auto kernel = reinterpret_cast<CUkernel>(0x40);
  cuda::Driver driver;
  driver.FuncGetAttribute = [](int*, CUfunction_attribute, CUfunction of) {
    return of == function ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
  };
  driver.FuncGetModule = [](CUmodule* found, CUfunction of) {
    *found = module;
    return of == function ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
  };
  driver.FuncGetName = [](const char** name, CUfunction of) {
    *name = "k";
    return of == function ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
  };
  driver.KernelGetLibrary = [](CUlibrary* found, CUkernel) {
    *found = library;
    return CUDA_SUCCESS;
  };
  driver.KernelGetFunction = [](CUfunction* found, CUkernel of) {
    *found = function;
    return of == kernel ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
  };
  const LaunchedFunction plain = function_of(driver, function);
  EXPECT_EQ(plain.name, "k");
  EXPECT_EQ(plain.modules, (std::array<std::uint64_t, 2>{0x10, 0}));
  const LaunchedFunction of_kernel = function_of(driver, reinterpret_cast<CUfunction>(kernel));
  EXPECT_EQ(of_kernel.name, "k");
  EXPECT_EQ(of_kernel.modules, (std::array<std::uint64_t, 2>{0x10, 0x20}));
  EXPECT_EQ(function_of(driver, reinterpret_cast<CUfunction>(std::uint64_t{0x50})).name, "");
}

}  // namespace
}  // namespace harness::inject
