#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidjson/document.h>

#include <filesystem>
#include <map>

#include "harness/base/text.h"
#include "harness/suite/load_suite.h"
#include "harness/suite/setting_keys.h"
#include "harness/suite/yaml/errors.h"
#include "test_catalog.h"

namespace harness::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

const std::string four_variants =
    "  - workload: gemm\n    variants: [plain, tiled, library, blackwell]\n    reference: plain\n"
    "    axes: {dtype: [f32, bf16], m: 2, n: 8192}\n    tags: [big]\n"
    "  - {workload: nop, variant: only, tags: [small]}\n";

const Cause needs_100a{CauseCode::architecture, {{"needs", "100a"}, {"has", "80;90a"}}};
const Cause no_driver{CauseCode::no_device, {{"device", "cuda"}, {"why", "no NVIDIA driver here"}}};

std::map<std::string, std::optional<Cause>> skips(const std::map<std::string, Cause>& unavailable) {
  PlanOptions options;
  options.unavailable_devices = unavailable;
  const auto plan = plan_of(suite_text("  - workload: gemm\n    variants: [plain, library, blackwell]\n"
                                       "    axes: {dtype: f32, m: 1, n: 1}\n"),
                            options);
  std::map<std::string, std::optional<Cause>> out;
  for (const PlannedCase& planned : plan->cases) out[planned.variant] = planned.skip;
  return out;
}

TEST(Plan, ACudaVariantRunsWhereADeviceIsAlthoughOnlyAWorkerCanMakeIt) {
  const auto skip = skips({});
  EXPECT_EQ(skip.at("plain"), std::nullopt);
  EXPECT_EQ(skip.at("library"), std::nullopt);
  EXPECT_EQ(skip.at("blackwell"), needs_100a);
}

TEST(Plan, CarriesTheWorkThatTheWorkloadDeclares) {
  const auto plan =
      plan_of(suite_text("  - {workload: gemm, variant: plain, axes: {dtype: f32, m: 3, n: 1}}\n"
                         "  - {workload: nop, variant: only}\n"));
  ASSERT_TRUE(plan) << plan.error();
  EXPECT_EQ(plan->cases[0].items, 3);
  EXPECT_EQ(plan->cases[0].item_name, "rows");
  EXPECT_EQ(plan->cases[1].items, 0);
  EXPECT_EQ(plan->cases[1].item_name, "");
}

TEST(Plan, AModeAsAnAxisIsInTheNameAndWinsOverEverySetting) {
  PlanOptions options;
  options.overrides.sampling.set(&Sampling::cache, CacheMode::rotate);
  const auto plan =
      plan_of(suite_text("  - workload: gemm\n    variant: plain\n"
                         "    axes: {timing: batch, dtype: f32, m: 1, n: 1, cache: [hot, cold]}\n"
                         "    sampling: {cache: cold, timing: events}\n"),
              options);
  ASSERT_TRUE(plan) << plan.error();
  ASSERT_EQ(plan->cases.size(), 2U);
  EXPECT_EQ(plan->cases[0].id,
            "gemm/plain/dtype=f32/m=1/n=1/scale=1/fast=false/form=tanh/cache=hot/timing=batch");
  EXPECT_EQ(plan->cases[0].params.text("cache"), "hot");
  EXPECT_EQ(plan->cases[0].sampling.cache, CacheMode::hot);
  EXPECT_EQ(plan->cases[1].sampling.cache, CacheMode::cold);
  EXPECT_EQ(plan->cases[1].sampling.timing, TimingMode::batch);
}

TEST(Plan, AMissingDeviceSkipsItsVariantsWithTheReason) {
  const auto skip = skips({{"cuda", no_driver}});
  EXPECT_EQ(skip.at("plain"), std::nullopt);
  EXPECT_EQ(skip.at("library"), no_driver);
  EXPECT_EQ(skip.at("blackwell"), needs_100a);
}

TEST(Plan, AnUnsupportedPointIsSkippedWithTheWorkloadsReason) {
  const auto plan = plan_of(suite_text(four_variants));
  ASSERT_TRUE(plan.has_value()) << plan.error();
  for (const PlannedCase& planned : plan->cases)
    if (planned.workload == "gemm" && planned.params.text("dtype") == "bf16") {
      EXPECT_EQ(planned.skip, (Cause{CauseCode::unsupported, {{"why", "bf16 is limited to n <= 4096"}}}))
          << planned.id;
    }
}

TEST(Plan, VariantsAtAPointStandBesideEachOther) {
  const auto plan =
      plan_of(suite_text("  - workload: gemm\n    variants: [tiled, plain]\n"
                         "    axes: {n: [1, 2], dtype: f32}\n    zip: [{m: 5}, {m: 4}]\n"));
  ASSERT_TRUE(plan.has_value()) << plan.error();
  std::vector<std::string> order;
  for (const PlannedCase& planned : plan->cases)
    order.push_back(planned.variant + std::to_string(planned.params.integer("n")) +
                    std::to_string(planned.params.integer("m")));
  EXPECT_THAT(order, ElementsAre("tiled15", "plain15", "tiled14", "plain14", "tiled25", "plain25", "tiled24",
                                 "plain24"));
}

TEST(Plan, AnIdNamesEveryParameterInTheWorkloadsOrder) {
  const auto plan =
      plan_of(suite_text("  - workload: gemm\n    variant: plain\n"
                         "    axes: {form: erf, fast: true, scale: 0.25, n: 3, m: 2, dtype: f16}\n"));
  ASSERT_TRUE(plan.has_value()) << plan.error();
  EXPECT_THAT(ids(*plan), ElementsAre("gemm/plain/dtype=f16/m=2/n=3/scale=0.25/fast=true/form=erf"));
  EXPECT_EQ(plan->cases[0].params.real("scale"), 0.25);
}

TEST(Plan, AnIntegerWhereARealIsExpectedBecomesOne) {
  const auto plan =
      plan_of(suite_text("  - workload: gemm\n    variant: plain\n"
                         "    axes: {scale: [2], n: 1e3, m: 2, dtype: f16}\n"));
  ASSERT_TRUE(plan.has_value()) << plan.error();
  EXPECT_EQ(*plan->cases[0].params.find("scale"), sdk::Value{2.0});
  EXPECT_EQ(*plan->cases[0].params.find("n"), sdk::Value{std::int64_t{1000}});
}

TEST(Plan, TheCommandLineWinsOverEverySettingOfTheSuite) {
  PlanOptions options;
  options.overrides.sampling.set(&Sampling::processes, 2);
  options.overrides.sampling.set(&Sampling::samples, 3);
  options.overrides.gate.set(&Gate::margin, 0.25);
  const auto plan = plan_of(
      suite_text("  - workload: nop\n    variant: only\n    sampling: {processes: 7, warmup: 1}\n"
                 "    overrides: [{match: {variant: only}, sampling: {samples: 9}, gate: {margin: 9%}}]\n",
                 "defaults: {sampling: {warmup: 2, seed: 5}, gate: {alpha: 2%}}\n"),
      options);
  ASSERT_TRUE(plan.has_value()) << plan.error();
  const PlannedCase& planned = plan->cases[0];
  EXPECT_EQ(planned.sampling.processes, 2);
  EXPECT_EQ(planned.sampling.samples, 3);
  EXPECT_EQ(planned.sampling.min_samples, 3);  // never above samples
  EXPECT_EQ(planned.sampling.warmup, 1);
  EXPECT_EQ(planned.sampling.seed, 5U);
  EXPECT_DOUBLE_EQ(planned.gate.margin, 0.25);
  EXPECT_DOUBLE_EQ(planned.gate.alpha, 0.02);
}

TEST(Plan, TheLooksOfTheStrongestPlaceAreTheCases) {
  const auto plan =
      plan_of(suite_text("  - {workload: nop, variant: only}\n", "defaults: {gate: {looks: [5, 10, 20]}}\n"));
  ASSERT_TRUE(plan.has_value()) << plan.error();
  EXPECT_THAT(plan->cases[0].gate.looks, ElementsAre(5, 10, 20));
  const auto own = plan_of(suite_text("  - {workload: nop, variant: only, gate: {looks: [8]}}\n",
                                      "defaults: {gate: {looks: [5, 10, 20]}}\n"));
  ASSERT_TRUE(own.has_value()) << own.error();
  EXPECT_THAT(own->cases[0].gate.looks, ElementsAre(8));
}

TEST(Plan, OnlyAGpuWorksAtFullPower) {
  const auto plan =
      plan_of(suite_text("  - workload: gemm\n    variants: [plain, library]\n"
                         "    axes: {dtype: f32, m: 1, n: 1}\n    sampling: {full_power: 1s}\n"));
  ASSERT_TRUE(plan) << plan.error();
  for (const PlannedCase& planned : plan->cases)
    EXPECT_EQ(planned.sampling.full_power, planned.device == "cuda" ? 1 : 0) << planned.id;
}

TEST(Plan, CasesOfAGpuWorkAtFullPowerForOneTime) {
  const auto plan =
      plan_of(suite_text("  - {workload: gemm, variant: library, axes: {dtype: f32, m: 1, n: 1}}\n"
                         "  - workload: gemm\n    variant: wmma\n    axes: {dtype: f32, m: 1, n: 1}\n"
                         "    sampling: {full_power: 1s}\n"));
  ASSERT_FALSE(plan);
  EXPECT_THAT(plan.error(), HasSubstr("`full_power` is 1.000 s here, and 0 ns for `gemm/library/"));
  EXPECT_THAT(plan.error(), HasSubstr("advice: give it in `defaults`"));
}

TEST(Suite, MeasuresOnOneDeviceUnlessItSaysOtherwise) {
  const std::string cases = "cases: [{workload: gemm, variant: plain}]\n";
  const auto of = [&](const std::string& line) {
    return parse_suite("version: 2\nname: s\n" + line + cases, "s.yaml");
  };
  EXPECT_FALSE(of("")->any_of_class);
  EXPECT_FALSE(of("devices: one\n")->any_of_class);
  EXPECT_TRUE(of("devices: any-of-class\n")->any_of_class);
  const auto wrong = of("devices: two\n");
  ASSERT_FALSE(wrong.has_value());
  EXPECT_EQ(wrong.error().front().where.line, 3);
}

TEST(Plan, ModulesAreAbsoluteAndBesideTheSuite) {
  const auto plan = plan_of(suite_text("  - {workload: nop, variant: only}\n", "modules: [../p/a.so]\n"), {},
                            "some/suites/x.yaml");
  ASSERT_TRUE(plan.has_value()) << plan.error();
  EXPECT_THAT(plan->modules, ElementsAre((std::filesystem::current_path() / "some/p/a.so").string()));
}

TEST(Plan, AReferenceIsNotRelativeToItself) {
  const auto plan = plan_of(suite_text(four_variants));
  ASSERT_TRUE(plan.has_value()) << plan.error();
  EXPECT_EQ(plan->cases[0].variant, "plain");
  EXPECT_EQ(plan->cases[0].reference, "");
  EXPECT_EQ(plan->cases[1].reference, plan->cases[0].id);
  EXPECT_EQ(plan->cases[2].reference, plan->cases[0].id);
}

TEST(Plan, AReferenceOfAnotherPointTakesTheStarredValuesOfThisOne) {
  const auto plan =
      plan_of(suite_text("  - {workload: gemm, variant: plain, axes: {dtype: f32, m: [2, 3], n: 4}}\n"
                         "  - workload: gemm\n    variant: tiled\n    axes: {dtype: bf16, m: [3, 2], n: 4}\n"
                         "    reference: gemm/plain/dtype=f32/m=*/n=*/scale=1/fast=*/form=*\n"));
  ASSERT_TRUE(plan.has_value()) << plan.error();
  EXPECT_EQ(plan->cases[2].reference, plan->cases[1].id);
  EXPECT_EQ(plan->cases[3].reference, plan->cases[0].id);
}

TEST(Filter, KeepsWhatMatchesAndDropsReferencesToTheRest) {
  PlanOptions options;
  options.filters = {"*/tiled/*", "nop/*"};
  const auto plan = plan_of(suite_text(four_variants), options);
  ASSERT_TRUE(plan.has_value()) << plan.error();
  EXPECT_THAT(ids(*plan),
              ElementsAre(HasSubstr("tiled/dtype=f32"), HasSubstr("tiled/dtype=bf16"), "nop/only"));
  for (const PlannedCase& planned : plan->cases) EXPECT_EQ(planned.reference, "");
}

TEST(Filter, KeepsReferencesThatAreStillThere) {
  PlanOptions options;
  options.filters = {"gemm/*", "!*bf16*", "!*/blackwell/*"};
  const auto plan = plan_of(suite_text(four_variants), options);
  ASSERT_TRUE(plan.has_value()) << plan.error();
  ASSERT_EQ(plan->cases.size(), 3U);
  EXPECT_EQ(plan->cases[2].reference, plan->cases[0].id);
}

TEST(Filter, OnlyExclusionsLeaveTheRest) {
  PlanOptions options;
  options.filters = {"!gemm/*"};
  const auto plan = plan_of(suite_text(four_variants), options);
  ASSERT_TRUE(plan.has_value()) << plan.error();
  EXPECT_THAT(ids(*plan), ElementsAre("nop/only"));
}

TEST(Filter, TagsSelectAnyOfThem) {
  PlanOptions options;
  options.tags = {"small"};
  const auto plan = plan_of(suite_text(four_variants), options);
  ASSERT_TRUE(plan.has_value()) << plan.error();
  EXPECT_THAT(ids(*plan), ElementsAre("nop/only"));
  options.tags = {"small", "big"};
  EXPECT_EQ(plan_of(suite_text(four_variants), options)->cases.size(), 9U);
}

// The names that a text quotes, in their order.
std::vector<std::string> quoted(const std::string& text) {
  std::vector<std::string> names;
  const std::vector<std::string> parts = split(text, '`');
  for (std::size_t i = 1; i < parts.size(); i += 2) names.push_back(parts[i]);
  return names;
}

TEST(Filter, OneThatMatchesNothingIsAnErrorWithAFewIds) {
  const auto gemm = [](const std::string& variant) {
    return "gemm/" + variant + "/dtype=f32/m=2/n=8192/scale=1/fast=false/form=tanh";
  };
  PlanOptions options;
  options.filters = {"nop/*", "conv/*", "tiled", "!nothing"};
  options.tags = {"smal"};
  EXPECT_THAT(
      quoted(errors_of(suite_text(four_variants), options)),
      ElementsAre("conv/*", "*", "?", gemm("plain"), gemm("tiled"), gemm("library"), "tiled", "*tiled*",
                  "!nothing", "*", "?", gemm("plain"), gemm("tiled"), gemm("library"), "smal", "small"));
}

TEST(Filter, FiltersThatTogetherLeaveNothingAreAnError) {
  PlanOptions options;
  options.filters = {"nop/*", "!*only*"};
  EXPECT_THAT(errors_of(suite_text(four_variants), options), StartsWith("suite.yaml: "));
}

TEST(Schema, IsJsonThatDescribesEveryKeyForEditors) {
  rapidjson::Document schema;
  ASSERT_FALSE(schema.Parse(suite_schema().c_str()).HasParseError());
  EXPECT_STREQ(schema["$schema"].GetString(), "http://json-schema.org/draft-04/schema#");
  for (const auto& definition : schema["definitions"].GetObject()) {
    if (!definition.value.HasMember("properties")) continue;
    // The check takes an example for a required key that is missing.
    if (definition.value.HasMember("required")) {
      for (const auto& key : definition.value["required"].GetArray())
        EXPECT_TRUE(definition.value["properties"][key.GetString()].HasMember("examples")) << key.GetString();
    }
    for (const auto& property : definition.value["properties"].GetObject())
      EXPECT_TRUE(property.value.HasMember("description") || property.value.HasMember("$ref") ||
                  property.value.HasMember("title"))
          << definition.name.GetString() << "." << property.name.GetString();
  }
}

TEST(ErrorList, ComesInTheOrderOfTheTextWithoutDuplicates) {
  ErrorList errors;
  errors.add({"f", 3, 1}, "c");
  errors.add({"f"}, "no place");
  errors.add({"f", 1, 9}, "b");
  errors.add({"f", 3, 1}, "c");
  errors.add({"f", 1, 2}, "a");
  std::string order;
  for (const Error& error : errors.take()) order += error.message + ";";
  EXPECT_EQ(order, "a;b;c;no place;");
  EXPECT_THAT(errors.take(), IsEmpty());
}

}  // namespace
}  // namespace harness::test
