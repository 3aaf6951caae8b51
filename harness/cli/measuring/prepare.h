// From a suite file to a plan for this machine: the first half of `list` and `run`.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "harness/catalog/catalog.h"
#include "harness/measure/schedule/run.h"
#include "harness/model/plan.h"
#include "harness/model/record.h"
#include "harness/suite/suite.h"

namespace CLI {
class App;
}

namespace harness {

struct PlanArguments {
  std::string suite;
  std::vector<std::string> filters;
  std::vector<std::string> tags;
  std::vector<std::string> modules;
  std::string device;  // "", "cpu", "cuda", "cuda:1", "scripted:FILE"; several where the suite allows it
  int processes = 0;   // 0: as the suite says; likewise below
  int placements = 0;
  int samples = 0;
  std::string seed;
};

// Declares SUITE, --filter, --tag, --module, --device and the sampling overrides.
void add_plan_options(CLI::App& command, PlanArguments& arguments);

// One of the devices that processes of a run take turns on.
struct DeviceChoice {
  std::string name;  // for open_device()
  std::string uuid;
};

struct Prepared {
  Plan plan;
  std::map<std::string, std::string> devices;                     // kind -> name for open_device()
  std::map<std::string, std::string> identities;                  // kind -> UUID, of those asked for it
  std::map<std::string, std::vector<DeviceChoice>> side_by_side;  // kind -> two or more, used by turns
  // kind -> what this process adds to the device's fingerprint, because only it knows it
  std::map<std::string, std::vector<MachineField>> facts;
  std::map<std::string, Cause> unavailable_devices;  // by kind
  std::set<std::string> left_out_devices;            // kinds that --device chose to leave out
  std::string counter_chip = {};                     // of the GPU at hand, or ""
  std::shared_ptr<EndingWorkers> ending = {};        // that were asked about devices
};

// Loads the suite and its modules, finds out which devices this machine has (asking a worker about
// the GPU only when the suite has CUDA variants), and expands the plan.
// `meanwhile`: for who goes on to measure.
Checked<Prepared> prepare(const PlanArguments& arguments, const Meanwhile& meanwhile = {});

}  // namespace harness
