#include "harness/cli/farm/campaign_records.h"

#include <fmt/format.h>

#include <set>
#include <string_view>

#include "harness/cli/judging/learned_policy.h"
#include "harness/cli/judging/stored_records.h"

namespace harness {
namespace {

// A record of less than the suite says nothing of the other cases.
void cut_to_cases(Record& baseline, const Record& current) {
  std::set<std::string_view> own;
  for (const CaseRecord& one : current.cases) own.insert(one.id);
  std::erase_if(baseline.cases, [&](const CaseRecord& one) { return !own.contains(one.id); });
}

}  // namespace

Result<RunInfo> info_of(Store& store, const std::string& record) {
  RunQuery query;
  query.id_prefix = record;
  const auto runs = store.list(query);
  if (!runs) return fail(runs.error());
  if (!runs->empty()) return runs->front();
  return fail(ErrorKind::missing, fmt::format("the campaign's record {} is not in {}", record, store.place()),
              "it was deleted; plan another campaign");
}

Result<int> results_of(Store& store, const std::string& record) {
  const Result<RunInfo> info = info_of(store, record);
  if (!info) return fail(info.error());
  return static_cast<int>(info->results);
}

Result<Record> stored_baseline(Store& store, const std::string& name, const std::string& folder,
                               const Record& record) {
  Selected current;
  current.record = record;
  current.source.revision = record.revision;
  SelectOptions select;
  select.folder = folder;
  select.suite = record.suite.name;
  const Policy policy = with_learned(store, Policy{}, record);
  Result<Selected> baseline = select_baseline(store, name, current, judged_by(policy, select));
  if (!baseline) return fail(baseline.error());
  return std::move(baseline->record);
}

BaselineChoice baseline_of(const Campaign& campaign, const CampaignSuite& suite, const Record& record) {
  const bool both = suite.sides.size() > 1;
  BaselineChoice choice;
  choice.name = both ? suite.sides.front().record : campaign.against;
  choice.select.folder = ".";
  choice.select.suite = record.suite.name;
  choice.first_passes = !both;
  if (record.partial) choice.adapt = [&record](Record& baseline) { cut_to_cases(baseline, record); };
  return choice;
}

}  // namespace harness
