#include "harness/cli/farm/judge_campaign.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string_view>

#include "harness/base/files.h"
#include "harness/cli/deciding/confirm_red.h"
#include "harness/cli/exit_status.h"
#include "harness/cli/judging/judge_by_baseline.h"
#include "harness/cli/judging/stored_records.h"
#include "harness/cli/measuring/begin_run.h"
#include "harness/cli/run/keep_run.h"

namespace harness {
namespace {

// A record of less than the suite says nothing of the other cases.
void cut_to_cases(Record& baseline, const Record& current) {
  std::set<std::string_view> own;
  for (const CaseRecord& one : current.cases) own.insert(one.id);
  std::erase_if(baseline.cases, [&](const CaseRecord& one) { return !own.contains(one.id); });
}

Result<RunInfo> info_of(Store& store, const std::string& record) {
  RunQuery query;
  query.id_prefix = record;
  const auto runs = store.list(query);
  if (!runs) return fail(runs.error());
  if (!runs->empty()) return runs->front();
  return fail(ErrorKind::missing, fmt::format("the campaign's record {} is not in {}", record, store.place()),
              "it was deleted; plan another campaign");
}

int planned_results(const OpenCampaign& open, std::size_t suite) {
  int results = 0;
  for (const FarmTask& task : open.tasks)
    if (static_cast<std::size_t>(task.suite) == suite) results += task.results;
  return results / static_cast<int>(open.campaign.suites[suite].sides.size());
}

}  // namespace

Result<OpenCampaign> open_campaign(FarmStore& farm, const std::string& id) {
  Result<StoredCampaign> stored = farm.find(id);
  if (!stored) return fail(stored.error());
  Result<Campaign> campaign = decode_campaign(*stored);
  if (!campaign) return fail(campaign.error());
  Result<std::vector<FarmTask>> tasks = farm.tasks(stored->id);
  if (!tasks) return fail(tasks.error());
  return OpenCampaign{std::move(*stored), std::move(*campaign), std::move(*tasks)};
}

Result<FarmProgress> progress_of(Store& store, const OpenCampaign& open) {
  FarmProgress progress;
  progress.campaign = open.stored.id;
  progress.created = open.stored.created;
  progress.store = store.place();
  progress.against = open.campaign.against;
  for (const CampaignSuite& suite : open.campaign.suites) {
    progress.suites.push_back(suite.current().plan.suite.name);
    for (const CampaignSide& side : suite.sides) {
      const Result<RunInfo> info = info_of(store, side.record);
      if (!info) return fail(info.error());
      progress.stored += static_cast<int>(info->results);
    }
  }
  std::map<std::string, FarmElement> elements;
  progress.tasks = static_cast<int>(open.tasks.size());
  for (const FarmTask& task : open.tasks) {
    progress.results += task.results;
    progress.done += task.done ? 1 : 0;
    progress.again += task.taken > 1 ? 1 : 0;
    if (task.holder.empty()) continue;
    FarmElement& element = elements[task.holder];
    element.name = task.holder;
    element.done += task.done ? 1 : 0;
    if (task.done || task.lease <= 0) continue;
    ++progress.leased;
    element.task = task.number;
    element.lease = task.lease;
  }
  for (const auto& [name, element] : elements) progress.elements.push_back(element);
  return progress;
}

Status close_records(Store& store, const OpenCampaign& open) {
  for (std::size_t i = 0; i < open.campaign.suites.size(); ++i)
    for (const CampaignSide& side : open.campaign.suites[i].sides) {
      const Result<RunInfo> info = info_of(store, side.record);
      if (!info) return fail(info.error());
      if (static_cast<int>(info->results) != planned_results(open, i))
        return fail(ErrorKind::missing,
                    fmt::format("record {} has {} results, not {}", side.record, info->results,
                                planned_results(open, i)),
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

int judge_suite(Store& store, const Campaign& campaign, const CampaignSuite& suite,
                const PolicyOptions& options, SuiteOutputs& outputs, const Reproduction& made_by) {
  const Result<Selected> current = select_stored(store, suite.current().record);
  if (!current) return report_error(current.error());
  const Record& record = current->record;
  const int measured = any_failed(record) ? exit_failed : exit_ok;
  const bool both = suite.sides.size() > 1;
  if (!both && campaign.against.empty()) {
    outputs.add(record.suite.name, measured_report(record, made_by), measured);
    return measured;
  }
  const Checked<Policy> policy = policy_in_force(store, options, record);
  if (!policy) return report_errors(policy.error());
  BaselineChoice choice;
  choice.name = both ? suite.sides.front().record : campaign.against;
  choice.select.folder = ".";
  choice.select.suite = record.suite.name;
  choice.select = judged_by(*policy, choice.select);
  choice.keep_verdict = true;
  choice.first_passes = !both;
  choice.annotate = [](Comparison& comparison) { tell_way(comparison); };
  if (record.partial) choice.adapt = [&](Record& baseline) { cut_to_cases(baseline, record); };
  return worst_status(measured, judge_by_baseline(store, choice, *current, *policy, outputs, made_by));
}

}  // namespace harness
