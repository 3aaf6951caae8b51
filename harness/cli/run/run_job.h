// What `harness run` was asked for, and the run of one suite once everything is checked.
#pragma once

#include <string>
#include <vector>

#include "harness/cli/ab/ab_sides.h"
#include "harness/cli/judging/judge_by_baseline.h"
#include "harness/cli/measuring/prepare.h"
#include "harness/cli/options/clock_option.h"
#include "harness/cli/options/look_options.h"
#include "harness/cli/options/looks_options.h"
#include "harness/cli/options/measuring_options.h"
#include "harness/cli/options/output_options.h"
#include "harness/cli/options/policy_options.h"
#include "harness/cli/options/store_options.h"
#include "harness/cli/options/suite_options.h"
#include "harness/cli/output/suite_outputs.h"
#include "harness/cli/run/leave_out_unselected.h"

namespace harness {

struct RunArguments {
  SuiteOptions plan;  // its suite: the one of `suites` that is measured
  std::vector<std::string> suites;
  StoreOption store;
  std::string keep_in;  // "": `store` takes the records
  std::string file;
  std::string against;
  std::string build;
  std::string commit;
  std::string save_as;
  std::vector<std::string> watched;
  bool resume = false;
  bool require_gpu = false;
  bool profile = false;
  MeasuringOptions measuring;
  ClockOption clocks;
  LookOptions look;
  LooksOption looks;
  BudgetOption budget;
  PolicyOptions policy;
  OutputOptions output;
};

// The run of one suite once everything is checked.
struct RunJob {
  RunArguments arguments;
  Prepared prepared;
  Policy policy;  // with its waivers
  Store* store = nullptr;
  SuiteOutputs* outputs = nullptr;
  Reproduction made_by;

  [[nodiscard]] std::string suite() const { return prepared.plan.suite.name; }
  [[nodiscard]] PlannedSuite planned() const { return {arguments.plan.suite, {&prepared}}; }
};

// The request to measure the baseline here, as `ab` does, with --against as its baseline.
AbRequest base_request(const RunArguments& arguments);

// The baseline that judges this run.
BaselineChoice baseline_of(const Record& record, const RunJob& job);

}  // namespace harness
