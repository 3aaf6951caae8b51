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

}  // namespace harness
