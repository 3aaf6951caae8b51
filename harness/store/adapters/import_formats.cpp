#include "harness/store/adapters/import_formats.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "harness/base/files.h"
#include "harness/base/text.h"

namespace harness {

// One a file of this folder. json_lines_format takes every text, so it comes last.
extern const ImportFormat google_benchmark_format, nvbench_format, pytest_benchmark_format, hyperfine_format,
    criterion_format, llama_bench_format, trtexec_format, nsys_format, ncu_format, json_lines_format;

const std::vector<const ImportFormat*>& import_formats() {
  static const std::vector<const ImportFormat*> formats{
      &nvbench_format,          &pytest_benchmark_format, &hyperfine_format, &criterion_format,
      &llama_bench_format,      &trtexec_format,          &nsys_format,      &ncu_format,
      &google_benchmark_format, &json_lines_format};
  return formats;
}

const ImportFormat* find_import_format(std::string_view name) {
  const auto& formats = import_formats();
  const auto found = std::find_if(formats.begin(), formats.end(),
                                  [&](const ImportFormat* one) { return one->name == name; });
  return found == formats.end() ? nullptr : *found;
}

namespace {

int last_process(const Record& record) {
  int last = 0;
  for (const CaseRecord& one : record.cases)
    for (const ProcessResult& result : one.processes) last = std::max(last, result.process);
  return last;
}

Status check_same_units(const CaseRecord& one, const CaseRecord& more, const std::string& file) {
  for (const Series& series : one.series)
    for (const Series& other : more.series)
      if (series.metric == other.metric && (series.unit != other.unit || series.direction != other.direction))
        return fail(
            ErrorKind::usage, Location{file},
            fmt::format("metric `{}` of case `{}` has another unit or direction than in the files before",
                        printable(series.metric), printable(one.id)));
  return {};
}

// The processes of a case with their samples, as a worker reports them.
std::vector<ProcessResult> reported_results(const CaseRecord& one) {
  std::vector<ProcessResult> results = one.processes;
  for (ProcessResult& result : results)
    for (const Series& series : one.series)
      for (const ProcessSamples& samples : series.processes)
        if (samples.process == result.process)
          result.series.push_back({series.metric, series.unit, series.direction, {samples}});
  return results;
}

}  // namespace

Checked<Record> import_samples(std::string_view text, const std::string& file) {
  const auto& formats = import_formats();
  const auto format = std::find_if(formats.begin(), formats.end(),
                                   [&](const ImportFormat* one) { return one->recognises(text); });
  Checked<Record> record = (*format)->read(text, file);
  if (!record) return record;
  record->id = random_uuid();
  record->tool = "harness import";
  if (record->suite.name.empty()) record->suite.name = std::filesystem::path(file).stem().string();
  record->suite.file = file;
  record->started = record->finished = utc_timestamp();
  return record;
}

Checked<std::vector<ProcessResult>> import_process(const ImportFormat& format, std::string_view text,
                                                   const std::string& file, int process) {
  const Checked<Record> record = format.read(text, file);
  if (!record) return tl::unexpected(record.error());
  std::vector<ProcessResult> results;
  for (const CaseRecord& one : record->cases) {
    for (ProcessResult& result : reported_results(one)) {
      if (result.process != record->cases.front().processes.front().process)
        return fail_checked(
            {ErrorKind::usage, "holds several processes; one run of a program is one", Location{file}, {}});
      results.push_back(std::move(result));
    }
  }
  for (ProcessResult& result : results) {
    result.process = process;
    for (Series& series : result.series) series.processes.front().process = process;
  }
  return results;
}

Status add_processes(Record& record, Record more) {
  const int last = last_process(record);
  for (CaseRecord& added : more.cases) {
    auto known = std::find_if(record.cases.begin(), record.cases.end(),
                              [&](const CaseRecord& one) { return one.id == added.id; });
    if (known == record.cases.end()) {
      CaseRecord fresh = added;
      fresh.series.clear();
      fresh.processes.clear();
      known = record.cases.insert(record.cases.end(), std::move(fresh));
    }
    if (const Status same = check_same_units(*known, added, more.suite.file); !same) return same;
    for (ProcessResult& result : reported_results(added)) {
      result.process += last;
      for (Series& series : result.series) series.processes.front().process += last;
      add_result(*known, std::move(result));
    }
  }
  return {};
}

}  // namespace harness
