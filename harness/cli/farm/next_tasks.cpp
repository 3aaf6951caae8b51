#include "harness/cli/farm/next_tasks.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <tuple>

#include "harness/base/text.h"
#include "harness/cli/deciding/confirm_red.h"
#include "harness/cli/farm/campaign_records.h"
#include "harness/cli/farm/campaign_tasks.h"
#include "harness/cli/judging/learned_policy.h"
#include "harness/cli/measuring/top_up.h"
#include "harness/verdict/compare.h"
#include "harness/verdict/decide/looks.h"

namespace harness {
namespace {

// The cases of a suite in its record and in its plan.
class CaseIndex {
 public:
  CaseIndex(const Record& record, const Plan& plan) {
    for (const CaseRecord& one : record.cases) records_.emplace(one.id, &one);
    for (std::size_t i = 0; i < plan.cases.size(); ++i) places_.emplace(plan.cases[i].id, i);
  }

  [[nodiscard]] const CaseRecord* record_of(const std::string& id) const {
    const auto found = records_.find(id);
    return found == records_.end() ? nullptr : found->second;
  }
  // In the plan. One start of a traced program measures all its kernels.
  [[nodiscard]] std::optional<std::size_t> place_of(const std::string& id) const {
    const CaseRecord* record = record_of(id);
    auto found = places_.find(id);
    if (found == places_.end() && record != nullptr && record->program)
      found = places_.find(record->program->name);
    if (found == places_.end()) return std::nullopt;
    return found->second;
  }

 private:
  std::map<std::string, const CaseRecord*> records_;
  std::map<std::string, std::size_t> places_;
};

std::string devices_of(const CaseRecord& record) {
  std::set<std::string> devices;
  for (const ProcessResult& one : record.processes)
    if (!one.device_uuid.empty()) devices.insert(one.device_uuid);
  return join(std::vector<std::string>(devices.begin(), devices.end()), "+");
}

// Whether another device than those of the case has done work.
bool has_other_device(const std::set<std::string>& all, const std::string& devices) {
  const std::vector<std::string> own = split(devices, '+');
  return std::any_of(all.begin(), all.end(), [&](const std::string& one) {
    return std::find(own.begin(), own.end(), one) == own.end();
  });
}

class NextTasks {
 public:
  NextTasks(Store& store, const Campaign& campaign, const std::vector<FarmTask>& known)
      : store_(store), campaign_(campaign) {
    for (const FarmTask& one : known) {
      if (one.done && !one.device.empty()) devices_.insert(one.device);
      if (one.kind != TaskKind::measure) continue;
      for (int place = one.first; place < one.first + one.cases; ++place)
        planned_.insert({one.suite, one.processes_before, place});
    }
  }

  Status judge(std::size_t number) {
    const CampaignSuite& suite = campaign_.suites[number];
    const Result<Record> current = store_.load(suite.current().record);
    if (!current) return fail(current.error());
    Result<Record> baseline =
        suite.sides.size() > 1 ? store_.load(suite.sides.front().record)
                               : stored_baseline(store_, campaign_.against, suite.current().folder, *current);
    if (!baseline) return baseline.error().kind == ErrorKind::missing ? Status() : fail(baseline.error());
    if (const auto cut = baseline_of(campaign_, suite, *current).adapt) cut(*baseline);
    const Comparison comparison = compare(*baseline, *current, with_learned(store_, Policy{}, *current));
    const CaseIndex cases(*current, suite.current().plan);
    for (const auto& [id, processes] : open_cases(comparison)) add_look(number, cases, id, processes);
    for (const std::string& id : red_cases(comparison)) add_confirmation(number, cases, id);
    return {};
  }

  // Looks come first: a case that they decide needs no confirmation.
  std::vector<FarmTask> tasks() {
    std::vector<FarmTask> tasks;
    for (const auto* round : {&looks_, &confirmations_}) {
      tasks = tasks_of(campaign_, *round);
      if (!tasks.empty()) break;
    }
    if (!tasks.empty()) tasks.push_back({.kind = TaskKind::judge});
    return tasks;
  }

 private:
  void add_look(std::size_t suite, const CaseIndex& cases, const std::string& id, int processes) {
    const CaseRecord* record = cases.record_of(id);
    const auto place = cases.place_of(id);
    if (record == nullptr || !place) return;
    const int tried = processes_tried(*record);
    if (processes > tried) add(looks_, suite, *place, {tried, processes - tried, {}});
  }

  void add_confirmation(std::size_t suite, const CaseIndex& cases, const std::string& id) {
    const CaseRecord* record = cases.record_of(id);
    const auto place = cases.place_of(id);
    if (!campaign_.confirm || record == nullptr || !place) return;
    const std::string devices = devices_of(*record);
    const bool can_move = campaign_.suites[suite].devices.empty() && has_other_device(devices_, devices);
    add(confirmations_, suite, *place, {last_plain_process, 0, can_move ? devices : ""});
  }

  // Not twice: a case whose new processes failed is not tried again and again.
  void add(CampaignWork& work, std::size_t suite, std::size_t place, CaseWork how) {
    if (!planned_.contains({static_cast<int>(suite), how.processes_before, static_cast<int>(place)}))
      work[suite].insert_or_assign(place, std::move(how));
  }

  Store& store_;
  const Campaign& campaign_;
  std::set<std::tuple<int, int, int>> planned_;  // suite, processes before and place of the known tasks
  std::set<std::string> devices_;                // that did the tasks
  CampaignWork looks_, confirmations_;
};

}  // namespace

Result<std::vector<FarmTask>> next_tasks(Store& store, const Campaign& campaign,
                                         const std::vector<FarmTask>& known) {
  NextTasks next(store, campaign, known);
  for (std::size_t i = 0; i < campaign.suites.size(); ++i)
    if (const Status judged = next.judge(i); !judged) return fail(judged.error());
  return next.tasks();
}

}  // namespace harness
