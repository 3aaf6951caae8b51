// A campaign as a store has it: tasks, the elements that take them, and measured tasks. Plain data.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "harness/base/units.h"
#include "harness/model/codec.h"
#include "harness/schema/enum_names.h"

namespace harness {

struct StoredCampaign {
  std::string id;               // UUID
  std::string created;          // UTC
  std::string content;          // a text that only who plans and measures reads
  std::string owner = {};       // the user that planned it; "": unknown
  std::string repository = {};  // where; "": unknown
  bool cancelled = false;
};

// A case of a campaign, in the order in which tasks take them.
struct CampaignCase {
  int suite = 0;        // of the campaign, from 0
  int place = 0;        // in the suite's plan, from 0
  std::string content;  // a text, likewise
  Seconds seconds = 0;  // that it takes; 0: unknown
};

struct CampaignParts {
  std::vector<std::string> records = {};  // ids
  std::vector<CampaignCase> cases = {};
};

struct ListedCampaign {
  std::string id, created, owner, repository;
  bool cancelled = false;
  int tasks = 0, done = 0, leased = 0;
};

enum class TaskKind {
  measure,
  judge,  // once all tasks before it are done: adds tasks for the cases that are still open
};
template <>
inline constexpr auto enum_names<TaskKind> = names<TaskKind>({{TaskKind::measure, "measure"},
                                                              {TaskKind::judge, "judge"}});

// Cases [first, first + cases) of a suite of the campaign, all sides and processes, by one element.
struct FarmTask {
  int number = 1;  // from 1
  int suite = 0;   // of the campaign, from 0
  int first = 0;
  int cases = 0;
  int results = 0;          // rows that it stores
  std::string holder = {};  // the element that took it last
  int taken = 0;            // how often
  Seconds lease = 0;        // left; 0 or less: the task is free, unless it is done
  bool done = false;
  TaskKind kind = TaskKind::measure;
  int processes_before = 0;  // their numbers begin behind it
  int processes = 0;         // of each case; 0: as planned
  std::string avoids = {};   // devices that should not measure it, joined by "+"
  std::string device = {};   // UUID of the device that measured it
  Seconds seconds = 0;       // that the device was used, by its own clock
  int gpus = 1;              // that its cases use at once; 0: they use a CPU
  Seconds spent = 0;         // the longest that an element measured it without an end
};

// A process of `farm work` on a device.
struct Holder {
  std::string name;
  std::string device = {};  // UUID
  int gpus = 1;             // the most that its next task may use; 0: it takes tasks of a CPU
  Seconds time = 0;         // that is left to it; 0: nobody ends it
  int cases = 0;            // the most of its next task, if that may be several free ones; 0: it is one
  int elements = 1;         // that share the rest of the tasks
  int least_cases = 0;      // of its next task, although its share of the rest is less
};

struct StoredElement {
  Holder holder;
  bool verified = false;     // its device was well after the last task
  Seconds lease = 0;         // left; 0 or less: it is gone
  std::string sick = {};     // why its device is in quarantine, as quarantine() was told; "": it is not
  std::string refused = {};  // why it may not measure the campaign; "": it may
};

// The value of a case on a device, which tells whether the device has changed.
struct ProbeValue {
  std::string subject;  // the case, and the code that it ran
  double log_value = 0;
};

// One record's part of a measured task.
struct MeasuredSide {
  std::string record;
  std::map<std::string, Machine> machines = {};  // by device kind
  std::vector<EncodedResult> results = {};
};

struct MeasuredTask {
  std::string campaign;
  int number = 0;
  std::string holder;
  std::vector<MeasuredSide> sides;
  std::string device = {};  // UUID
  Seconds seconds = 0;      // as in FarmTask
};

}  // namespace harness
