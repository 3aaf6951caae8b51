// The module's door, tried without a GPU: what it exports, what it registers, how it refuses.
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "harness/catalog/catalog.h"
#include "harness/device/device.h"
#include "harness/sdk/registry.h"
#include "tests/gpu/lab.h"

namespace harness::gpu {
namespace {

using OpenGpu = Device* (*)(const std::vector<int>*, bool, Error*);

class Module : public testing::Test {
 protected:
  void SetUp() override {
    if (!std::filesystem::exists(cuda_module())) GTEST_SKIP() << "this build has no CUDA module";
    library_ = dlopen(cuda_module().c_str(), RTLD_NOW | RTLD_LOCAL);
    ASSERT_NE(library_, nullptr) << dlerror();
  }
  [[nodiscard]] void* symbol(const char* name) const { return dlsym(library_, name); }

  void* library_ = nullptr;
};

TEST_F(Module, ExportsItsFourDoorsAndNothingElse) {
  EXPECT_NE(symbol("harness_module"), nullptr);
  EXPECT_NE(symbol("harness_cuda_open"), nullptr);
  EXPECT_NE(symbol("harness_cuda_architectures"), nullptr);
  EXPECT_NE(symbol("harness_cuda_plan_counters"), nullptr);
  EXPECT_EQ(symbol("_Z13register_cudaRN7harness3sdk8RegistryE"), nullptr);
  EXPECT_EQ(symbol("cudaMalloc"), nullptr) << "a second CUDA runtime would meet this one's symbols";
}

TEST_F(Module, NamesTheArchitecturesItWasBuiltFor) {
  const auto* text = static_cast<const char*>(symbol("harness_cuda_architectures"));
  ASSERT_NE(text, nullptr);
  EXPECT_NE(std::string(text), "");
}

TEST_F(Module, RegistersVariantsThatReplaceTheCatalogsPlaceholders) {
  const auto entry = reinterpret_cast<sdk::ModuleFunction>(symbol(sdk::module_symbol));
  ASSERT_NE(entry, nullptr);
  const sdk::Module* module = entry();
  EXPECT_STREQ(module->name, "cuda");
  Catalog catalog = Catalog::built_in();
  const Status added = catalog.add(*module);
  ASSERT_TRUE(added) << added.error().text();
  int runnable = 0;
  for (const std::string& workload : catalog.workload_names())
    for (const std::string& name : catalog.variant_names(workload)) {
      const sdk::Variant* variant = catalog.variant(workload, name);
      if (variant->device == "cuda" && variant->make != nullptr) ++runnable;
    }
  EXPECT_GT(runnable, 0);
}

TEST_F(Module, SaysWhyAGpuThatIsNotThereCannotBeOpened) {
  const auto open = reinterpret_cast<OpenGpu>(symbol("harness_cuda_open"));
  ASSERT_NE(open, nullptr);
  Error error;
  const std::vector<int> absent{4096}, negative{-1}, absent_peer{0, 4096};
  EXPECT_EQ(open(&absent, false, &error), nullptr);
  EXPECT_EQ(error.kind, ErrorKind::environment);
  EXPECT_NE(error.message, "");
  EXPECT_NE(error.advice, "");
  EXPECT_EQ(open(&absent_peer, false, &error), nullptr);
  EXPECT_EQ(open(&negative, false, nullptr), nullptr) << "without a place for the error it still refuses";
}

// Modules hide their symbols; the type of an exception must be recognised all the same.
TEST(ProbeModule, ThrowsUnsupportedThatTheProgramRecognises) {
  if (!std::filesystem::exists(probe_module())) GTEST_SKIP() << "this build has no CUDA module";
  Catalog catalog = Catalog::built_in();
  const Status loaded = catalog.load_module(probe_module());
  ASSERT_TRUE(loaded) << loaded.error().text();
  const sdk::Params params = probe_params(1);
  const sdk::Problem problem = catalog.workload("probe")->problem(params);
  const sdk::Variant* variant = catalog.variant("probe", "unsupported");
  ASSERT_NE(variant, nullptr);
  try {
    (void)variant->make(params, problem, sdk::DeviceTraits{});
    FAIL() << "nothing was thrown";
  } catch (const sdk::Unsupported& reason) {
    EXPECT_STREQ(reason.what(), "this variant supports nothing");
  }
}

}  // namespace
}  // namespace harness::gpu
