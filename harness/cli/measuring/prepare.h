// From a suite file to a plan for this machine: the first half of `list` and `run`.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "harness/cli/measuring/choose_devices.h"
#include "harness/cli/options/suite_options.h"
#include "harness/model/plan.h"
#include "harness/model/record.h"
#include "harness/suite/plan_options.h"
#include "harness/suite/suite.h"

namespace harness {

struct Prepared : ChosenDevices {
  Plan plan;
  // By kind of device: what this process adds to the device's fingerprint, because only it knows it.
  std::map<std::string, std::vector<MachineField>> facts;
  std::shared_ptr<EndingWorkers> ending;  // workers that were asked about devices
  std::string built_from =
      {};  // of the program that made the plan (provenance/built_from.h); "": it does not say
  std::vector<UnmatchedWish> unmatched = {};  // PlanOptions::unmatched
};

// Loads the suite and its modules, finds out which devices this machine has (asking a worker about the GPU
// only when the suite has CUDA variants), and expands the plan. `beside`: for who goes on to measure.
Checked<Prepared> prepare(const SuiteOptions& options, const WorkBesideProbe& beside = {});

// The same of a suite that was read before, or was never a file.
Checked<Prepared> prepare(const Suite& suite, const SuiteOptions& options,
                          const WorkBesideProbe& beside = {});

// Whether less than the suite is measured, so that the record must not stand in for a whole one.
bool is_partial(const Prepared& prepared, const SuiteOptions& options);

}  // namespace harness
