// Suite: what a suite file (YAML, version 1) says, and the plan that it expands to. The format is
// described in suites/README.md and, for editors, by harness/suite/suite.schema.json, which
// load_suite() enforces. Reading is bounded: at most 8 MiB, 64 levels, and a limited number of nodes
// after aliases, so a hostile file is an error and not a hang.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "harness/base/result.h"
#include "harness/catalog/catalog.h"
#include "harness/model/counter.h"
#include "harness/model/plan_fields.h"
#include "harness/suite/written.h"

namespace harness {

// A value with the place where it stands, for errors.
template <class T>
struct At {
  T value{};
  Location where;
};

struct Axis {
  At<std::string> name;
  std::vector<At<sdk::Value>> values;  // in order, at least one
};

struct Setting {
  At<std::string> name;
  At<sdk::Value> value;
};
using Point = std::vector<Setting>;  // one zipped, included or excluded point; never empty

// Sampling or gate settings as a suite or the command line names them.
struct Overrides {
  Written<Sampling> sampling;
  Written<Gate> gate;                             // but for its metrics
  std::vector<Written<MetricGate>> metric_gates;  // each metric at most once
};

// Which points a group covers: the product of the axes (the first varies slowest), each combined with
// each zipped point, plus `include`, minus `exclude`. A group without axes and zip, and without
// include, covers the one point where every parameter has its workload's fallback.
struct Points {
  std::vector<Axis> axes;
  std::vector<Point> zip;
  std::vector<Point> include;
  std::vector<Point> exclude;
  std::optional<At<std::string>> reference;  // of these points; only in per_device
};

struct PointOverride {
  Point match;  // every named parameter (or "variant", or "device") equal
  Overrides overrides;
  Location where;
};

// One entry of `cases:`.
struct CaseGroup {
  At<std::string> workload;
  std::vector<At<std::string>> variants;
  std::optional<At<std::string>> reference;  // a variant at the same point, or a whole case id
  Points points;
  std::map<std::string, Points> per_device;  // replaces `points` for that kind of device
  std::vector<std::string> tags;
  std::vector<At<std::string>> metrics;  // of model/metric.h and the workload's own; empty: time, first_call
  Overrides overrides;
  std::vector<PointOverride> point_overrides;
  Location where;
};

struct Suite {
  SuiteIdentity identity;
  std::string description;
  std::vector<At<std::string>> modules;  // plugin paths, relative to the suite's folder
  std::string build;                     // shell command that builds a commit (`harness ab`); "": the default
  bool any_of_class = false;             // processes may take turns on several devices of one class
  Overrides defaults;
  std::vector<CaseGroup> groups;
};

// Reads and checks a suite against the schema. All errors at once, with file:line:column.
Checked<Suite> load_suite(const std::string& path);
Checked<Suite> parse_suite(const std::string& text, const std::string& file);

// The suite's modules as absolute paths, in its order: what the catalog must load before make_plan().
std::vector<std::string> module_paths(const Suite& suite);

// What the machine at hand can run; an entry of a kind means that every case of that device kind is
// planned as skipped.
struct PlanOptions {
  std::map<std::string, Cause> unavailable_devices;  // by kind: "cuda"
  std::vector<std::string> filters;                  // wildcards over case ids; a `!` in front excludes
  std::vector<std::string> tags;                     // any of these; empty: all
  Overrides overrides;                               // from the command line; win over the suite's
  // Looks hardware counters of CUDA cases up, which are read together; without it nobody can.
  std::function<CounterPlan(const std::vector<std::string>& names)> plan_counters = {};
};

// Expands a suite to its cases, checking every name and value against the catalog (which already
// holds the suite's modules). Cases stand in the order of the groups; within one, the variants at a
// point stand beside each other. Settings from weak to strong: the defaults in model/plan.h, the
// suite's `defaults`, the group, its `overrides` in their order, PlanOptions::overrides; a stronger gate of
// a metric replaces what it names of a weaker one. A case that
// cannot run here is planned all the same, with the reason in `skip`. A reference that a filter left
// out becomes "". At most 100,000 cases.
Checked<Plan> make_plan(const Suite& suite, const Catalog& catalog, const PlanOptions& options);

}  // namespace harness
