#include "harness/cli/report/deep_dive.h"

#include <filesystem>
#include <map>
#include <memory>
#include <utility>

#include "harness/cli/claims/claimed_suites.h"
#include "harness/report/documents.h"
#include "harness/store/select.h"

namespace harness {

Result<std::vector<Selected>> newest_of_suites(Store& store, const std::string& suite) {
  RunQuery query;
  query.state = RunState::complete;
  query.calibration = false;
  query.count_results = false;
  if (!suite.empty()) query.suite = suite;
  const Result<std::vector<RunInfo>> runs = store.list(query);
  if (!runs) return fail(runs.error());
  std::map<std::string, const RunInfo*> newest;
  for (const RunInfo& run : *runs) {
    const RunInfo*& one = newest[run.suite];
    if (one == nullptr || (one->partial && !run.partial)) one = &run;
  }
  std::vector<Selected> records;
  for (const auto& [name, run] : newest) {
    Result<Selected> record = select_stored(store, run->id);
    if (!record) return fail(record.error());
    records.push_back(std::move(*record));
  }
  if (!records.empty()) return records;
  return fail(ErrorKind::missing, "the store holds no complete record: " + store.place(),
              "measure with `harness run`, or name record files");
}

Checked<MakeReport> claims_of(const std::vector<Selected>& records, std::vector<std::string> suite_files) {
  std::map<std::string, const Record*> of_suite;
  const bool named = !suite_files.empty();
  std::error_code code;
  for (const Selected& one : records) {
    of_suite.emplace(one.record.suite.name, &one.record);
    const std::string& file = one.record.suite.file;
    if (!named && is_regular_file(std::filesystem::path(file), code)) suite_files.push_back(file);
  }
  const Checked<std::vector<Suite>> suites = claimed_suites(suite_files);
  if (!suites) return tl::unexpected(suites.error());
  const auto report = std::make_shared<ClaimsReport>();
  report->confidence = claim_confidence;
  for (const Suite& suite : *suites) {
    const auto record = of_suite.find(suite.identity.name);
    add_checked(*report, suite, record == of_suite.end() ? nullptr : record->second);
  }
  return [report](Format) {
    Report made = report::claims_document(*report);
    made.document.exit_meaning.clear();  // the status of this command is no verdict
    return made;
  };
}

}  // namespace harness
