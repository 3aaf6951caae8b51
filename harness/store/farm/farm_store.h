// FarmStore: campaigns in a store, and the tasks that their elements take. A task is taken by a lease, and a
// lease that is not renewed ends. Each task is stored once, whole, by the first element that completes it. So
// an element may be killed at any time, and nothing is measured into a record twice. One thread uses it.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "harness/base/result.h"
#include "harness/base/units.h"
#include "harness/model/codec.h"

namespace harness {

struct StoredCampaign {
  std::string id;       // UUID
  std::string created;  // UTC
  std::string content;  // a text that only who plans and measures reads
};

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
};

class FarmStore {
 public:
  FarmStore() = default;
  FarmStore(const FarmStore&) = delete;
  FarmStore& operator=(const FarmStore&) = delete;
  virtual ~FarmStore() = default;

  // As Store::open_existing().
  static Result<std::unique_ptr<FarmStore>> open(const std::string& url);

  // The records must have been begun.
  virtual Status plan(const StoredCampaign& campaign, std::span<const FarmTask> tasks) = 0;
  // The campaign whose id begins so; "": the newest. ErrorKind::missing when there is none.
  virtual Result<StoredCampaign> find(const std::string& id) = 0;
  // In order.
  virtual Result<std::vector<FarmTask>> tasks(const std::string& campaign) = 0;

  // The first task that is neither done nor leased, now leased by `holder`.
  virtual Result<std::optional<FarmTask>> take(const std::string& campaign, const std::string& holder,
                                               Seconds lease) = 0;
  // False: the holder has lost the task to another one, or it is done.
  virtual Result<bool> renew(const std::string& campaign, int number, const std::string& holder,
                             Seconds lease) = 0;
  // The holder gives the task back.
  virtual Status release(const std::string& campaign, int number, const std::string& holder) = 0;
  // Stores all results of a task in one transaction. False: it was done already, and nothing is stored. It
  // does not matter whose lease it is: whoever completes a task first has measured it.
  virtual Result<bool> complete(const MeasuredTask& task) = 0;
};

}  // namespace harness
