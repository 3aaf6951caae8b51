#include "harness/catalog/catalog.h"

#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>

#include "harness/base/files.h"
#include "harness/sdk/registry.h"

namespace harness {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;

class Thing : public sdk::Workload {
 public:
  [[nodiscard]] std::string_view name() const override { return "thing"; }
  [[nodiscard]] std::string_view summary() const override { return ""; }
  [[nodiscard]] std::vector<sdk::ParamSpec> params() const override { return {}; }
  [[nodiscard]] sdk::Problem problem(const sdk::Params&) const override { return {}; }
  void reference(const sdk::Params&, std::span<const sdk::HostTensor>, std::size_t,
                 std::span<const std::int64_t>, std::span<double>) const override {}
};

std::unique_ptr<sdk::Kernel> no_kernel(const sdk::Params&, const sdk::Problem&, const sdk::DeviceTraits&) {
  return nullptr;
}

sdk::Module module_of(void (*register_all)(sdk::Registry&)) {
  return {sdk::module_abi, sdk::compiler_abi, "test module", register_all};
}

void register_thing(sdk::Registry& registry) {
  registry.add(std::make_unique<Thing>());
  registry.add(sdk::Variant{"thing", "fast", "cuda", "", nullptr, "needs a GPU"});
  registry.add(sdk::Variant{"thing", "slow", "cpu", "", no_kernel, {}});
}

void register_fast(sdk::Registry& registry) {
  registry.add(sdk::Variant{"thing", "fast", "cuda", "now real", no_kernel, {}});
}

class Idle : public sdk::Kernel {
 public:
  Idle(const sdk::Params&, const sdk::Problem&, const sdk::DeviceTraits&) {}
  void bind(const sdk::Buffers&) override {}
  void run(sdk::Stream) override {}
};
int prepared = 0;
class Prepared : public Idle {
 public:
  using Idle::Idle;
  static void prepare(const sdk::Params&, const sdk::DeviceTraits&) { ++prepared; }
};
}  // namespace
HARNESS_VARIANT(thing, idle, cpu, "", Idle)
HARNESS_VARIANT(thing, prepared, cpu, "", Prepared)
namespace {

TEST(Catalog, HasWhatAClassPreparesAProcessWith) {
  sdk::Registry registry;
  register_variant_thing_idle(registry);
  register_variant_thing_prepared(registry);
  ASSERT_EQ(registry.variants.size(), 2U);
  EXPECT_EQ(registry.variants[0].prepare, nullptr);
  ASSERT_NE(registry.variants[1].prepare, nullptr);
  registry.variants[1].prepare({}, {});
  EXPECT_EQ(prepared, 1);
}

TEST(Catalog, HasTheBuiltInWorkloads) {
  const Catalog catalog = Catalog::built_in();
  EXPECT_THAT(catalog.workload_names(), Contains("linear_gelu"));
  for (const std::string& workload : catalog.workload_names())
    for (const std::string& name : catalog.variant_names(workload)) {
      const sdk::Variant* variant = catalog.variant(workload, name);
      ASSERT_NE(variant, nullptr);
      EXPECT_TRUE(variant->make != nullptr || variant->absence != sdk::Absence::told)
          << workload << "/" << name;
    }
}

TEST(Catalog, FindsByNameInTheOrderOfRegistration) {
  Catalog catalog;
  ASSERT_TRUE(catalog.add(module_of(register_thing)));
  EXPECT_THAT(catalog.workload_names(), ElementsAre("thing"));
  EXPECT_THAT(catalog.variant_names("thing"), ElementsAre("fast", "slow"));
  EXPECT_EQ(catalog.workload("thing")->name(), "thing");
  EXPECT_EQ(catalog.variant("thing", "fast")->unavailable, "needs a GPU");
  EXPECT_EQ(catalog.workload("other"), nullptr);
  EXPECT_EQ(catalog.variant("thing", "other"), nullptr);
  EXPECT_EQ(catalog.variant("other", "fast"), nullptr);
}

TEST(Catalog, PutsARealVariantInPlaceOfAnUnavailableOne) {
  Catalog catalog;
  ASSERT_TRUE(catalog.add(module_of(register_thing)));
  ASSERT_TRUE(catalog.add(module_of(register_fast)));
  EXPECT_THAT(catalog.variant_names("thing"), ElementsAre("fast", "slow"));
  EXPECT_EQ(catalog.variant("thing", "fast")->summary, "now real");
  EXPECT_NE(catalog.variant("thing", "fast")->make, nullptr);
}

TEST(Catalog, RejectsTheSameNameTwice) {
  Catalog catalog;
  ASSERT_TRUE(catalog.add(module_of(register_thing)));
  ASSERT_TRUE(catalog.add(module_of(register_fast)));
  EXPECT_THAT(catalog.add(module_of(register_thing)).error().message, HasSubstr("`thing`"));
  EXPECT_THAT(catalog.add(module_of(register_fast)).error().message,
              AllOf(HasSubstr("`fast`"), HasSubstr("`thing`")));
}

void register_own_thing(sdk::Registry& registry) {
  registry.add(std::make_unique<Thing>());
  registry.add(sdk::Variant{"thing", "own", "cpu", "", no_kernel, {}});
}

TEST(Catalog, LetsAModuleBringAWorkloadThatTheProgramHasToo) {
  Catalog catalog;
  ASSERT_TRUE(catalog.add(module_of(register_thing)));
  catalog.yield_to_modules();
  ASSERT_TRUE(catalog.add(module_of(register_own_thing)));
  EXPECT_THAT(catalog.workload_names(), ElementsAre("thing"));
  EXPECT_THAT(catalog.variant_names("thing"), ElementsAre("own"));
  EXPECT_FALSE(catalog.add(module_of(register_own_thing))) << "two modules of the user";
}

template <const char* const* names>
class Measuring : public Thing {
 public:
  [[nodiscard]] std::vector<sdk::MetricSpec> metrics() const override {
    std::vector<sdk::MetricSpec> all;
    for (const char* const* name = names; *name != nullptr; ++name)
      all.push_back({*name, "", sdk::Better::lower, ""});
    return all;
  }
};

template <const char* const* names>
std::string refusal_of_metrics() {
  Catalog catalog;
  const Status added = catalog.add(
      module_of([](sdk::Registry& registry) { registry.add(std::make_unique<Measuring<names>>()); }));
  return added ? "" : added.error().message;
}

constexpr const char* good_names[] = {"loss", "top5_accuracy", nullptr};
constexpr const char* spaced_name[] = {"my loss", nullptr};
constexpr const char* empty_name[] = {"", nullptr};
constexpr const char* leading_digit[] = {"5th", nullptr};
constexpr const char* reserved_name[] = {"loss", "error", nullptr};
constexpr const char* name_of_time[] = {"gpu_time", nullptr};
constexpr const char* twice[] = {"loss", "loss", nullptr};

TEST(Catalog, RejectsMetricsThatCannotBeNamedSo) {
  EXPECT_EQ(refusal_of_metrics<good_names>(), "");
  for (const std::string& refusal : {refusal_of_metrics<spaced_name>(), refusal_of_metrics<empty_name>(),
                                     refusal_of_metrics<leading_digit>()})
    EXPECT_THAT(refusal, HasSubstr("`thing`"));
  EXPECT_THAT(refusal_of_metrics<reserved_name>(), HasSubstr("`error`"));
  EXPECT_THAT(refusal_of_metrics<name_of_time>(), HasSubstr("`gpu_time`"));
  EXPECT_THAT(refusal_of_metrics<twice>(), HasSubstr("`loss`"));
}

TEST(Catalog, RejectsAModuleOfAnotherAbi) {
  Catalog catalog;
  sdk::Module module = module_of(register_thing);
  module.abi = sdk::module_abi + 1;
  EXPECT_THAT(catalog.add(module).error().message, HasSubstr(std::to_string(module.abi)));
  module = module_of(register_thing);
  module.compiler = "something else";
  EXPECT_THAT(catalog.add(module).error().message, HasSubstr("`something else`"));
  EXPECT_THAT(catalog.workload_names(), testing::IsEmpty());
}

TEST(Catalog, ExplainsAModuleThatItCannotLoad) {
  Catalog catalog;
  EXPECT_EQ(catalog.load_module("/no/such/plugin.so").error().where.file, "/no/such/plugin.so");
  const TemporaryFolder folder;
  const std::filesystem::path text = folder.path() / "text.so";
  std::ofstream(text) << "not a library";
  EXPECT_EQ(catalog.load_module(text).error().where.file, text.string());
}

TEST(Catalog, RejectsALibraryThatIsNoModule) {
  Catalog catalog;
  std::filesystem::path library;
  for (const char* folder :
       {"/lib/x86_64-linux-gnu", "/lib/aarch64-linux-gnu", "/lib64", "/usr/lib64", "/usr/lib"})
    if (std::filesystem::exists(std::filesystem::path(folder) / "libm.so.6"))
      library = std::filesystem::path(folder) / "libm.so.6";
  if (library.empty()) GTEST_SKIP() << "no libm.so.6 in the usual folders";
  EXPECT_THAT(catalog.load_module(library).error().advice, HasSubstr("HARNESS_MODULE"));
}

}  // namespace
}  // namespace harness
