#include "harness/cli/run/keep_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

#include "harness/base/files.h"
#include "harness/base/text.h"
#include "harness/cli/exit_status.h"
#include "harness/cli/measuring/require_gpu.h"
#include "harness/cli/output/emit.h"
#include "harness/model/codec.h"
#include "harness/verdict/check/proof.h"
#include "harness/verdict/read/summarize.h"

namespace harness {
namespace {

bool was_measured(const Record& record) {
  return std::any_of(record.cases.begin(), record.cases.end(), [](const CaseRecord& one) {
    return one.outcome != Outcome::looked_at && one.outcome != Outcome::skipped;
  });
}

}  // namespace

bool any_failed(const Record& record) {
  return std::any_of(record.cases.begin(), record.cases.end(), [](const CaseRecord& one) {
    return one.outcome != Outcome::measured && one.outcome != Outcome::looked_at &&
           one.outcome != Outcome::skipped;
  });
}

void write_unfinished(const Record& record, const RunJob& job) {
  const std::string& file = job.arguments.file;
  Status begun = job.outputs->begin(job.suite(), measured_report(record, job.made_by));
  if (begun && !file.empty()) begun = write_file_atomically(file, encode(record));
  if (!begun) report_error(begun.error());
}

int check_any_measured(const Record& record, const RunJob& job) {
  const bool any = std::any_of(record.cases.begin(), record.cases.end(),
                               [](const CaseRecord& one) { return one.outcome != Outcome::skipped; });
  if (any || job.policy.allow_skipped || !job.arguments.against.empty()) return exit_ok;
  return report_error(
      {ErrorKind::missing,
       fmt::format("none of the {} cases can run here, so nothing was measured", record.cases.size()),
       {},
       "the table tells why; `--allow skipped` lets it pass"});
}

void show_measured(const Record& record, const RunJob& job, bool judged, int status) {
  const bool only_looked =
      !was_measured(record) && std::any_of(record.cases.begin(), record.cases.end(), was_looked_at);
  if (judged && only_looked) return;
  const MakeReport report = measured_report(record, job.made_by);
  if (judged)
    job.outputs->print(report);
  else
    job.outputs->add(job.suite(), report, status);
}

int keep_file(const RunArguments& arguments, const Record& record) {
  if (!arguments.file.empty())
    if (const Status written = write_file_atomically(arguments.file, encode(record)); !written)
      return report_error(written.error());
  if (arguments.require_gpu)
    if (const Status used = check_gpu_was_used(record); !used) return report_error(used.error());
  return exit_ok;
}

int save_as(const RunJob& job, const Record& record) {
  const std::string& name = job.arguments.save_as;
  if (name.empty()) return exit_ok;
  if (any_failed(record)) {
    fmt::print(stderr, "warning: the record is not named @{}, because a case failed\n", name);
    return exit_failed;
  }
  if (const Status named = job.store->set_name(record.id, name); !named) return report_error(named.error());
  fmt::print(stderr, "saved as @{} in {}\n", name, printable(job.store->place()));
  return exit_ok;
}

}  // namespace harness
