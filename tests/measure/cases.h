// Planned cases, catalogs and scripted devices for the tests of this folder.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "harness/catalog/catalog.h"
#include "harness/device/scripted/scripted_device.h"
#include "harness/model/plan.h"
#include "tests/model/fact_matchers.h"

namespace harness {

inline PlannedCase planned_line(const std::string& variant, std::int64_t n = 100) {
  PlannedCase planned;
  planned.workload = "line";
  planned.variant = variant;
  planned.device = "cpu";
  planned.params.set("n", n);
  planned.id = "line/" + variant + "/" + planned.params.text_id();
  planned.sampling.processes = 2;
  planned.sampling.placements = 2;
  planned.sampling.samples = 10;
  planned.sampling.warmup = 3;
  planned.sampling.preheat = 0;
  planned.sampling.cache = CacheMode::hot;
  return planned;
}

inline std::unique_ptr<ScriptedDevice> scripted(const std::string& json) {
  Result<Script> script = parse_script(json, "script.json");
  if (!script) {
    ADD_FAILURE() << script.error().text();
    return std::make_unique<ScriptedDevice>(Script{});
  }
  return std::make_unique<ScriptedDevice>(std::move(*script));
}

inline Catalog catalog_of(void (*registers)(sdk::Registry&)) {
  Catalog catalog;
  EXPECT_TRUE(catalog.add({sdk::module_abi, sdk::compiler_abi, "test", registers}));
  return catalog;
}

inline std::vector<std::string> names_of(const std::vector<Series>& all) {
  std::vector<std::string> names;
  for (const Series& series : all) names.push_back(series.metric);
  return names;
}

// The only value of a series that has one a process.
inline double value_of(const Series& series) {
  EXPECT_EQ(series.processes.size(), 1U);
  EXPECT_EQ(series.processes.at(0).placements.size(), 1U);
  EXPECT_EQ(series.processes[0].placements.at(0).samples.size(), 1U);
  return series.processes[0].placements[0].samples.at(0);
}

}  // namespace harness
