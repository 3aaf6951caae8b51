// Suite: what a suite file says (YAML, version 2). suites/README.md describes the format. load_suite.h
// reads it, make_plan.h expands it to cases.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "harness/base/result.h"
#include "harness/model/claim.h"
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

// The points that a group covers: the product of the axes (the first varies slowest), each combined with each
// zipped point, plus `include`, minus `exclude`. A group without axes and zip, and without include, covers
// the one point where every parameter has its workload's fallback.
struct Points {
  std::vector<Axis> axes;
  std::vector<Point> zip;
  std::vector<Point> include;
  std::vector<Point> exclude;
  // Searched by `harness tune`. Each point is measured with the first values, and with those that are pinned.
  std::vector<Axis> tune = {};
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
  std::optional<At<std::string>>
      reference;  // a variant at the same point, or a whole case id; `=*`: the point's
  Points points;
  std::map<std::string, Points> per_device;  // replaces `points` for that kind of device
  std::vector<std::string> tags;
  std::vector<At<std::string>>
      metrics;  // built in (model/known_metrics.h) or the workload's own; empty: time, first_call
  Overrides overrides;
  std::vector<PointOverride> point_overrides;
  Location where;
};

// One entry of `programs:`.
struct ProgramCase {
  At<std::string> name;
  std::vector<std::string> command;
  std::string folder;  // relative to the suite's folder
  std::string build;   // shell command, in `folder`, once a commit; "": none
  std::map<std::string, std::string> env;
  std::string device;
  std::string reads;  // an import format; "": the process is timed
  std::string steps;  // as Program has it
  std::string prepare;
  std::string inputs;  // as Program has it
  std::vector<std::string> tags;
  Overrides overrides;  // `timeout` among its sampling
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
  std::vector<ProgramCase> programs;
  std::vector<Claim> claims;
};

}  // namespace harness
