// Hardware counters of one call a side, of cases that regressed. They explain the change and decide nothing,
// so they are read after the verdict is stored, by processes of their own, and no record keeps them.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "harness/cli/ab/ab_side.h"
#include "harness/measure/schedule/paired_builds.h"
#include "harness/model/code/change_causes.h"
#include "harness/model/counter_fact.h"
#include "harness/model/plan.h"
#include "harness/model/results/comparison.h"

namespace harness {

struct CountersOfSides {
  std::vector<CounterReading> baseline = {};
  std::vector<CounterReading> current = {};
};

struct RedCounters {
  std::map<std::string, CountersOfSides> cases = {};  // by id
  std::optional<CounterFact> refused = {};            // why a side has none, where somebody can change that
};

// The cases of the plan whose regressed rows decide, with the counters that explain as their metrics: at most
// eight, those that lost most, with at most 20 s each. Programs and the CPU have no such counters. `devices`:
// of each kind, as open_device() takes it.
Plan plan_of_counters(const Plan& whole, const std::map<std::string, std::string>& devices,
                      const Comparison& comparison);

// The counters in a result of such a plan; what the profiler refused goes to `refused`.
std::vector<CounterReading> counters_in(const ProcessResult& result, std::optional<CounterFact>& refused);

// Reads them; no process begins after a minute of a side. `baseline_record`: its decisions hold for both
// sides. The devices must be locked. Cases for which anything fails have none.
RedCounters read_counters(const AbSide& baseline, const AbSide& current,
                          const std::optional<PairedBuilds>& pair, const Record& baseline_record,
                          const Comparison& comparison);

// Finds the causes of the rows again. Where no case has counters of both sides, a refusal is a remark.
void add_counters(Comparison& comparison, const RedCounters& counters);

}  // namespace harness
