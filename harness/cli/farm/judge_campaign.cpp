#include "harness/cli/farm/judge_campaign.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "harness/base/files.h"
#include "harness/cli/deciding/confirm_red.h"
#include "harness/cli/exit_status.h"
#include "harness/cli/farm/campaign_records.h"
#include "harness/cli/farm/element/sick_text.h"
#include "harness/cli/farm/next_tasks.h"
#include "harness/cli/judging/judge_by_baseline.h"
#include "harness/cli/judging/stored_records.h"
#include "harness/cli/measuring/begin_run.h"
#include "harness/cli/run/keep_run.h"

namespace harness {
namespace {

constexpr const char* judging_element = "farm judge";  // the name of this element

// The results that a side must have.
int results_needed(const OpenCampaign& open, std::size_t suite, const CampaignSide& side) {
  int needed = side.looked;
  const int sides = static_cast<int>(open.campaign.suites[suite].sides.size());
  for (const FarmTask& task : open.tasks)
    if (task.kind == TaskKind::measure && static_cast<std::size_t>(task.suite) == suite &&
        (task.done || task.processes_before == 0))
      needed += task.results / sides;
  return needed;
}

// A side's part of a task that the budget left out. Its results, if it has any, are those of a device in
// quarantine. They are replaced, or removed where they are of a further look or a confirmation.
Status leave_out(Store& store, FarmStore& farm, const CampaignSide& side, const Plan& plan,
                 const FarmTask& task, Seconds budget) {
  for (const PlannedCase& one : plan.cases) {
    if (task.processes_before > 0) {
      const Status removed = farm.remove_results(side.record, std::vector<std::string>{one.id},
                                                 task.processes_before, one.sampling.processes);
      if (!removed) return removed;
      continue;
    }
    for (int process = 1; process <= one.sampling.processes; ++process)
      if (Status put = store.put(side.record, {left_out(one, process, budget)}); !put) return put;
  }
  return {};
}

Status leave_out(Store& store, FarmStore& farm, const OpenCampaign& open) {
  for (const FarmTask& task : open.tasks) {
    if (task.kind != TaskKind::measure || task.done) continue;
    const auto plans = load_task(farm, open.stored.id, open.campaign, task);
    if (!plans) return fail(plans.error());
    const auto& sides = open.campaign.suites.at(static_cast<std::size_t>(task.suite)).sides;
    for (std::size_t side = 0; side < sides.size(); ++side)
      if (Status left = leave_out(store, farm, sides[side], (*plans)[side], task, open.campaign.budget);
          !left)
        return left;
  }
  return {};
}

bool is_checking(const StoredElement& one) {
  return !one.verified && one.sick.empty() && one.lease > 0;
}

// The devices in quarantine, each once, with the reason.
std::map<std::string, Sickness> sick_devices(const OpenCampaign& open) {
  std::map<std::string, Sickness> sick;
  for (const StoredElement& one : open.elements)
    if (const auto why = decode_sickness(one.sick)) sick.emplace(one.holder.device, *why);
  return sick;
}

// Names the devices and cases that the comparison lacks.
void tell_gaps(const OpenCampaign& open, const Record& record, Comparison& comparison) {
  for (const auto& [device, why] : sick_devices(open)) {
    Remark remark{RemarkCode::compared_by, {{"how", "without"}, {"device", device}}};
    put_fact(remark.figures, "why", why);
    comparison.remarks.push_back(std::move(remark));
  }
  const auto left = std::count_if(record.cases.begin(), record.cases.end(), [](const CaseRecord& one) {
    return one.outcome == Outcome::skipped && one.reason && one.reason->number("budget") > 0;
  });
  if (left > 0)
    comparison.remarks.push_back(
        {RemarkCode::budget_ended, {{"budget", open.campaign.budget}, {"cases", left}}});
}

}  // namespace

Result<OpenCampaign> open_campaign(FarmStore& farm, const std::string& id) {
  Result<StoredCampaign> stored = farm.find(id);
  if (!stored) return fail(stored.error());
  Result<Campaign> campaign = decode_campaign(*stored);
  if (!campaign) return fail(campaign.error());
  Result<std::vector<FarmTask>> tasks = farm.tasks(stored->id);
  if (!tasks) return fail(tasks.error());
  Result<std::vector<StoredElement>> elements = farm.elements(stored->id);
  if (!elements) return fail(elements.error());
  const Result<Seconds> running = farm.running_for(stored->id);
  if (!running) return fail(running.error());
  return OpenCampaign{std::move(*stored), std::move(*campaign), std::move(*tasks), std::move(*elements),
                      *running};
}

std::size_t OpenCampaign::open_tasks() const {
  const bool over = campaign.budget > 0 && running >= campaign.budget;
  return static_cast<std::size_t>(std::count_if(tasks.begin(), tasks.end(), [&](const FarmTask& one) {
    const bool at_hand = one.kind == TaskKind::measure && one.lease > 0;
    return !one.done && (!over || at_hand);
  }));
}

std::size_t OpenCampaign::unverified_elements() const {
  return static_cast<std::size_t>(std::count_if(elements.begin(), elements.end(), is_checking));
}

Status judge_rest(Store& store, FarmStore& farm, OpenCampaign& open) {
  const bool only_judging = std::all_of(open.tasks.begin(), open.tasks.end(), [](const FarmTask& one) {
    return one.done || one.kind == TaskKind::judge;
  });
  if (!only_judging || open.open_tasks() == 0) return {};
  const Result<std::optional<FarmTask>> task =
      farm.take(open.stored.id, {judging_element}, open.campaign.lease);
  if (!task) return fail(task.error());
  if (!*task) return {};
  Result<bool> judged = false;  // a task to measure may be open again, because its device was found sick
  if ((*task)->kind == TaskKind::judge) {
    if (const Status loaded = load_cases(farm, open.stored.id, open.campaign); !loaded) return loaded;
    const auto next = next_tasks(store, open.campaign, open.tasks);
    judged = next ? farm.complete_judging(open.stored.id, (*task)->number, *next) : fail(next.error());
  }
  if (!judged || !*judged) (void)farm.release(open.stored.id, (*task)->number, judging_element);
  if (!judged) return fail(judged.error());
  Result<OpenCampaign> again = open_campaign(farm, open.stored.id);
  if (!again) return fail(again.error());
  open = std::move(*again);
  return {};
}

Result<FarmProgress> progress_of(Store& store, const OpenCampaign& open) {
  FarmProgress progress;
  progress.campaign = open.stored.id;
  progress.created = open.stored.created;
  progress.store = store.place();
  progress.owner = open.stored.owner;
  progress.repository = open.stored.repository;
  progress.cancelled = open.stored.cancelled;
  progress.against = open.campaign.against;
  for (const CampaignSuite& suite : open.campaign.suites) {
    progress.suites.push_back(suite.current().plan.suite.name);
    for (const CampaignSide& side : suite.sides) {
      const Result<RunInfo> info = info_of(store, side.record);
      if (!info) return fail(info.error());
      progress.stored += static_cast<int>(info->results) - side.looked;
    }
  }
  std::map<std::string, FarmElement> elements;
  for (const StoredElement& one : open.elements)
    elements[one.holder.name] = {.name = one.holder.name,
                                 .device = one.holder.device,
                                 .sick = decode_sickness(one.sick),
                                 .refused = one.refused,
                                 .checking = is_checking(one)};
  progress.budget = open.campaign.budget;
  progress.running = open.running;
  for (const FarmTask& task : open.tasks) {
    if (task.kind == TaskKind::judge) {
      progress.judging |= !task.done;
      continue;
    }
    ++progress.tasks;
    progress.device_time += task.done ? task.seconds : 0;
    progress.results += task.results;
    progress.done += task.done ? 1 : 0;
    progress.again += task.taken > 1 ? 1 : 0;
    if (!task.done) progress.in_vain = std::max(progress.in_vain, task.spent);
    if (task.holder.empty()) continue;
    FarmElement& element = elements[task.holder];
    element.name = task.holder;
    element.done += task.done ? 1 : 0;
    if (task.done || task.lease <= 0) continue;
    ++progress.leased;
    element.task = task.number;
    element.checking = false;
    element.lease = task.lease;
  }
  for (const auto& [name, element] : elements) progress.elements.push_back(element);
  const bool over = progress.budget > 0 && progress.running >= progress.budget;
  const bool none_lives = std::none_of(open.elements.begin(), open.elements.end(),
                                       [](const auto& one) { return one.sick.empty() && one.lease > 0; });
  progress.waiting =
      progress.done < progress.tasks && progress.leased == 0 && !over && none_lives && !progress.cancelled;
  return progress;
}

Status close_records(Store& store, FarmStore& farm, const OpenCampaign& open) {
  if (const Status left = leave_out(store, farm, open); !left) return left;
  for (std::size_t i = 0; i < open.campaign.suites.size(); ++i)
    for (const CampaignSide& side : open.campaign.suites[i].sides) {
      const Result<RunInfo> info = info_of(store, side.record);
      if (!info) return fail(info.error());
      if (static_cast<int>(info->results) != results_needed(open, i, side))
        return fail(ErrorKind::missing,
                    fmt::format("record {} has {} results, which are not those of its tasks", side.record,
                                info->results),
                    "the store lost or got rows by another way; plan another campaign");
      if (info->state == RunState::complete) continue;
      Result<Record> record = store.load(side.record);
      if (!record) return fail(record.error());
      record->finished = utc_timestamp();
      if (Status kept = store.update_header(*record); !kept) return kept;
      if (Status finished = store.finish(side.record, RunState::complete); !finished) return finished;
    }
  return {};
}

int judge_suite(Store& store, const OpenCampaign& open, const CampaignSuite& suite,
                const PolicyOptions& options, SuiteOutputs& outputs, const Reproduction& made_by) {
  const Result<Selected> current = select_stored(store, suite.current().record);
  if (!current) return report_error(current.error());
  const Record& record = current->record;
  const int measured = any_failed(record) ? exit_failed : exit_ok;
  const Campaign& campaign = open.campaign;
  const bool both = suite.sides.size() > 1;
  if (!both && campaign.against.empty()) {
    outputs.add(record.suite.name, measured_report(record, made_by), measured);
    return measured;
  }
  const Checked<Policy> policy = policy_in_force(store, options, record);
  if (!policy) return report_errors(policy.error());
  BaselineChoice choice = baseline_of(campaign, suite, record);
  choice.select = judged_by(*policy, choice.select);
  choice.keep_verdict = true;
  choice.annotate = [&](Comparison& comparison) {
    tell_way(comparison);
    tell_confirmations(comparison, campaign.confirm);
    tell_gaps(open, record, comparison);
  };
  return worst_status(measured, judge_by_baseline(store, choice, *current, *policy, outputs, made_by));
}

}  // namespace harness
