// FarmStore: campaigns in a store, and the tasks that their elements take. A task is taken by a lease, and a
// lease that is not renewed ends. Each task is stored once, whole, by the first element that completes it. So
// an element may be killed at any time, and nothing is measured into a record twice. One thread uses it.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "harness/base/result.h"
#include "harness/base/units.h"
#include "harness/store/farm/farm_task.h"

namespace harness {

class FarmStore {
 public:
  FarmStore() = default;
  FarmStore(const FarmStore&) = delete;
  FarmStore& operator=(const FarmStore&) = delete;
  virtual ~FarmStore() = default;

  // As Store::open_existing().
  static Result<std::unique_ptr<FarmStore>> open(const std::string& url);

  // The records must have been begun.
  virtual Status plan(const StoredCampaign& campaign, std::span<const FarmTask> tasks,
                      const CampaignParts& parts) = 0;
  Status plan(const StoredCampaign& campaign, std::span<const FarmTask> tasks) {
    return plan(campaign, tasks, {});
  }
  // An error if the user lacks a right that planning or measuring needs. `campaign`: "" for one to plan.
  virtual Status check_rights(const std::string& campaign) = 0;
  // All, the newest first.
  virtual Result<std::vector<ListedCampaign>> list() = 0;
  // Cases [first, first + count) of a suite.
  virtual Result<std::vector<CampaignCase>> cases(const std::string& campaign, int suite, int first,
                                                  int count) = 0;
  // From now on nobody takes, renews or completes a task of it. `records prune` may remove its records.
  virtual Status cancel(const std::string& campaign) = 0;
  // Removes it with its tasks and with its records that are not complete. Returns how many these were.
  virtual Result<int> remove(const std::string& campaign) = 0;
  // The campaign whose id begins so; "": the newest. ErrorKind::missing when there is none.
  virtual Result<StoredCampaign> find(const std::string& id) = 0;
  // In order.
  virtual Result<std::vector<FarmTask>> tasks(const std::string& campaign) = 0;
  // The tasks that are not done, in order.
  virtual Result<std::vector<FarmTask>> open_tasks(const std::string& campaign) = 0;

  // The first task that is neither done nor leased, needs no more GPUs than `holder` may use, and was not
  // measured in vain for as long as the holder has: of a CPU only if these are 0. It is now leased by the
  // holder, whose device is then unverified. A task that avoids the holder's device is given to it only when
  // no other device has taken it for three leases. A task to judge waits for all tasks before it, and for
  // unverified elements as long as they live. Free tasks of the next cases that are measured alike become part
  // of it: as many cases as the holder asks for, but no more than its share of the rest, or its `least_cases`.
  virtual Result<std::optional<FarmTask>> take(const std::string& campaign, const Holder& holder,
                                               Seconds lease) = 0;
  // False: the holder has lost the task to another one, or it is done.
  virtual Result<bool> renew(const std::string& campaign, int number, const std::string& holder,
                             Seconds lease) = 0;
  // Frees what other elements of the holder's device have at hand. Only for who holds the device's lock: they
  // are dead. Returns the number of tasks.
  virtual Result<int> free_tasks_of_device(const std::string& campaign, const Holder& holder) = 0;
  // The holder gives a task back after so long. `parts` are measured instead of it: itself, or smaller tasks
  // of the same cases.
  virtual Status give_back(const std::string& campaign, int number, const std::string& holder, Seconds spent,
                           std::span<const FarmTask> parts) = 0;
  // The holder gives the task back.
  virtual Status release(const std::string& campaign, int number, const std::string& holder) = 0;
  // Stores all results of a task in one transaction. False: it was done already, and nothing is stored. It
  // does not matter whose lease it is: whoever completes a task first has measured it.
  // A device in quarantine completes nothing.
  virtual Result<bool> complete(const MeasuredTask& task) = 0;
  // Stores the results of the first `processes` processes of a task, which is of the others from now on. The
  // stored ones become a task that is done. False: the task is not the holder's any more.
  virtual Result<bool> complete_part(const MeasuredTask& part, int processes, const FarmTask& rest) = 0;
  // Ends a task to judge, and adds `tasks` behind all others; their numbers are set here. False: another one
  // has ended it, or a task before it is open again.
  virtual Result<bool> complete_judging(const std::string& campaign, int number,
                                        std::span<const FarmTask> tasks) = 0;

  // Removes the results of `count` processes behind number `after` of these cases.
  virtual Status remove_results(const std::string& record, std::span<const std::string> cases, int after,
                                int count) = 0;

  // Tells that an element is there, for so long. False: its device is in quarantine.
  virtual Result<bool> enlist(const std::string& campaign, const Holder& holder, bool verified,
                              Seconds lease) = 0;
  // Takes the holder's device out of the campaign. Its tasks are free again, and whoever measures them
  // replaces its results. `records` lose its name. Returns the number of its tasks.
  virtual Result<int> quarantine(const std::string& campaign, const Holder& holder, const std::string& why,
                                 std::span<const std::string> records) = 0;
  // Tells why an element may not measure the campaign.
  virtual Status refuse(const std::string& campaign, const Holder& holder, const std::string& why) = 0;
  virtual Result<std::vector<StoredElement>> elements(const std::string& campaign) = 0;
  // Seconds since the first task was taken; 0: none was.
  virtual Result<Seconds> running_for(const std::string& campaign) = 0;

  // Earlier values of the device, without those of elements in quarantine.
  virtual Result<std::vector<ProbeValue>> probes(const std::string& device) = 0;
  // A value of the same device, subject and element is replaced.
  virtual Status keep_probes(const Holder& holder, std::span<const ProbeValue> values) = 0;
};

}  // namespace harness
