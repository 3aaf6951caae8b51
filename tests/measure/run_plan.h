// RunPlan: whole runs with real worker processes. They start the test_worker program with a plugin that
// misbehaves, and time is scripted, so that what is waited for is a hang and nothing else.
#pragma once

#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "harness/base/files.h"
#include "harness/measure/schedule/run.h"
#include "tests/measure/cases.h"

namespace harness {

// A run of some variants on a scripted device, and all that came out of it.
class RunPlan : public testing::Test {
 protected:
  RunPlan() {
    plan_.modules = {TEST_PLUGIN};
    options_.worker_command = {TEST_WORKER};
    options_.on_result = [&](EncodedResult one) -> Status {
      results_.push_back(std::move(one.result));
      if (after_result_) return after_result_();
      return {};
    };
    options_.on_machine = [&](const std::string& kind, const Machine& machine) {
      machines_.emplace_back(kind, machine);
    };
    options_.on_progress = [&](const Progress& progress) { progress_.push_back(progress); };
    script(R"({"version": 1, "device_uuid": "uuid-7", "ceilings": {"copy_bytes_per_s": 5},
               "default": {"us": 100, "process_sd": 0.01}})");
  }

  void script(const std::string& text) {
    const std::filesystem::path path = folder_.path() / "script.json";
    std::ofstream(path) << text;
    options_.devices["cpu"] = "scripted:" + path.string();
  }
  PlannedCase& add(const std::string& variant) { return plan_.cases.emplace_back(planned_line(variant)); }
  RunReport run() {
    Result<RunReport> report = run_plan(plan_, options_);
    if (!report) {
      ADD_FAILURE() << report.error().text();
      return {};
    }
    return *report;
  }
  [[nodiscard]] const ProcessResult& result(const std::string& variant, int process) const {
    for (const ProcessResult& one : results_)
      if (one.case_id == planned_line(variant).id && one.process == process) return one;
    static const ProcessResult none;
    ADD_FAILURE() << "no result of " << variant << " in process " << process;
    return none;
  }

  TemporaryFolder folder_;
  Plan plan_;
  RunOptions options_;
  std::vector<ProcessResult> results_;
  std::vector<std::pair<std::string, Machine>> machines_;
  std::vector<Progress> progress_;
  std::function<Status()> after_result_;
};

}  // namespace harness
