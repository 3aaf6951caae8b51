#include "harness/store/adapters/import_formats.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/locale/encoding_utf.hpp>
#include <filesystem>
#include <set>

#include "harness/base/bulk_hash.h"
#include "harness/base/files.h"
#include "harness/base/text.h"
#include "harness/store/adapters/foreign_tools.h"
#include "harness/store/adapters/gunzip.h"

namespace harness {

// One a file of formats/.
extern const ImportFormat google_benchmark_format, nvbench_format, pytest_benchmark_format, hyperfine_format,
    criterion_format, cargo_bench_format, nanobench_format, catch2_format, llama_bench_format, trtexec_format,
    nsys_format, ncu_format, pytorch_profiler_format, nvbandwidth_format, nccl_tests_format,
    cutlass_profiler_format, json_lines_format;

const std::vector<const ImportFormat*>& import_formats() {
  static const std::vector<const ImportFormat*> formats{
      &nvbench_format,          &nvbandwidth_format, &nccl_tests_format,
      &pytorch_profiler_format, &nanobench_format,   &pytest_benchmark_format,
      &hyperfine_format,        &criterion_format,   &llama_bench_format,
      &trtexec_format,          &nsys_format,        &ncu_format,
      &cutlass_profiler_format, &catch2_format,      &google_benchmark_format,
      &cargo_bench_format,      &json_lines_format};
  return formats;
}

const ImportFormat* find_import_format(std::string_view name) {
  const auto& formats = import_formats();
  const auto found = std::find_if(formats.begin(), formats.end(),
                                  [&](const ImportFormat* one) { return one->name == name; });
  return found == formats.end() ? nullptr : *found;
}

const ImportFormat* format_of(std::string_view text) {
  const auto& formats = import_formats();
  const auto found = std::find_if(formats.begin(), formats.end(),
                                  [&](const ImportFormat* one) { return one->recognises(text); });
  return found == formats.end() ? nullptr : *found;
}

namespace {

std::string format_names() {
  std::vector<std::string> names;
  for (const ImportFormat* format : import_formats()) names.emplace_back(format->name);
  return join(names, ", ");
}

// Text in UTF-8 without its byte order mark. PowerShell's `>` writes UTF-16.
std::string from_utf16(std::string_view text, bool big_endian) {
  std::u16string wide;
  wide.reserve(text.size() / 2);
  for (std::size_t i = 0; i + 1 < text.size(); i += 2) {
    const auto first = static_cast<unsigned char>(text[i]), second = static_cast<unsigned char>(text[i + 1]);
    wide += static_cast<char16_t>(big_endian ? first << 8 | second : second << 8 | first);
  }
  return boost::locale::conv::utf_to_utf<char>(wide);
}

// `text` as UTF-8, unpacked; `owner` keeps what was converted.
Result<std::string_view> plain_text(std::string_view text, const std::string& file, std::string& owner) {
  if (is_gzip(text)) {
    Result<std::string> unpacked = gunzip(text, file);
    if (!unpacked) return fail(unpacked.error());
    owner = std::move(*unpacked);
    text = owner;
  }
  if (text.starts_with("\xEF\xBB\xBF")) return text.substr(3);
  const bool little = text.starts_with("\xFF\xFE"), big = text.starts_with("\xFE\xFF");
  if (!little && !big) return text;
  owner = from_utf16(text.substr(2), big);
  return std::string_view(owner);
}

// The processes of a case with their samples, as a worker reports them.
std::vector<ProcessResult> reported_results(CaseRecord& one) {
  std::vector<ProcessResult> results = std::move(one.processes);
  for (ProcessResult& result : results) {
    result.case_id = one.id;
    result.tool_case = one.tool_case;
    for (Series& series : one.series)
      for (ProcessSamples& samples : series.processes)
        if (samples.process == result.process)
          result.series.push_back(
              {series.metric, series.unit, series.direction, {std::move(samples)}, series.informs});
  }
  return results;
}

// Whether a file's name ends with what tells runs apart: "main-101-1", "results-4fd65e2a1c",
// "bench_20261120T100000Z", "run3a". The endings of a packed file are left out.
bool is_numbered(std::filesystem::path file) {
  if (file.extension() == ".gz") file = file.stem();
  const std::string name = file.stem().string(), last = name.substr(name.find_last_of("-_. ") + 1);
  return std::any_of(last.begin(), last.end(), [](char sign) { return sign >= '0' && sign <= '9'; });
}

// A record of a run knows its own machine alone, so the fields of a program's file join its cases. Without
// the same type of build, for example, times do not compare; versions are shown.
void tell_machine(ToolFile& read) {
  for (CaseRecord& one : read.cases)
    for (const MachineField& field : read.machine.fields) {
      if (field.kind == FieldClass::info) continue;
      if (!one.tool_case) one.tool_case = ToolCase{.name = one.id};
      ToolCase& known = *one.tool_case;
      (field.kind == FieldClass::block ? known.parameters : known.source).emplace(field.name, field.value);
    }
}

}  // namespace

Import::Import(ImportOptions options) : options_(std::move(options)), merged_(options_.merge) {}

Checked<bool> Import::add(std::string_view text, const std::string& file) {
  if (const auto [known, fresh] = texts_.emplace(bulk_hash(text), file); !fresh)
    return fail_checked(
        {ErrorKind::usage,
         known->second == file ? "is named twice"
                               : fmt::format("has the same content as {}", printable(known->second)),
         Location{file}, "a copy is no further process: start the program once for each file"});
  std::string converted;
  const Result<std::string_view> plain = plain_text(text, file, converted);
  if (!plain) return fail_checked(plain.error());
  const ImportFormat* format = format_of(*plain);
  if (format == nullptr) return fail_checked(not_read_here(*plain, file, format_names()));
  Checked<ToolFile> read = format->read(*plain, file, options_.questions);
  if (!read) return tl::unexpected(read.error());
  if (!read->names_cases)
    return fail_checked({ErrorKind::usage, "does not say what was measured", Location{file},
                         "name it: --case NAME, such as --case resnet50"});
  if (Status known = use_known_units(*read, file); !known) return fail_checked(known.error());
  if (first_file_.empty()) {
    first_file_ = file;
    suite_ = read->suite;
    revision_ = read->revision;
  }
  if (revision_ && read->revision) revision_->dirty |= read->revision->dirty;
  if (!read->date.empty() && !seconds_of_date(read->date)) {
    remarks_.push_back(
        fmt::format("{}: its date, `{}`, is not like 2026-11-20T05:40:00, and does not count; "
                    "--date says when it was measured",
                    file, printable(read->date)));
    read->date.clear();
  }
  if (!read->date.empty() && (date_.empty() || read->date < date_)) date_ = read->date;
  if (revision_ && read->revision && revision_->commit != read->revision->commit)
    return fail_checked({ErrorKind::usage,
                         fmt::format("is of commit {}, and {} of {}", printable(read->revision->commit),
                                     printable(first_file_), printable(revision_->commit)),
                         Location{file}, "import the files of each commit apart"});
  suite_named_ = !options_.suite.empty() || !suite_.empty() || !is_numbered(first_file_);
  for (const std::string& remark : read->remarks) remarks_.push_back(file + ": " + remark);
  if (Status merged = merged_.add(std::move(*read), file); !merged) return fail_checked(merged.error());
  return true;
}

Checked<Record> Import::take() && {
  Result<Record> record = std::move(merged_).take();
  if (!record) return fail_checked(record.error());
  record->id = random_uuid();
  record->tool = "harness import";
  if (!options_.suite.empty()) record->suite.name = options_.suite;
  if (record->suite.name.empty()) record->suite.name = std::filesystem::path(first_file_).stem().string();
  record->suite.file = first_file_;
  record->finished = utc_timestamp();
  record->started = date_.empty() ? record->finished : date_;
  return std::move(*record);
}

Checked<Record> import_samples(std::string_view text, const std::string& file, const ImportOptions& options) {
  Import import(options);
  if (const auto added = import.add(text, file); !added) return tl::unexpected(added.error());
  return std::move(import).take();
}

Checked<std::vector<ProcessResult>> import_process(const ImportFormat& format, std::string_view text,
                                                   const std::string& file, int process) {
  std::string converted;
  const Result<std::string_view> plain = plain_text(text, file, converted);
  if (!plain) return fail_checked(plain.error());
  Checked<ToolFile> read = format.read(*plain, file, {});
  if (!read) return tl::unexpected(read.error());
  if (Status known = use_known_units(*read, file); !known) return fail_checked(known.error());
  if (Status named = name_cases(read->cases, file); !named) return fail_checked(named.error());
  tell_machine(*read);
  std::vector<ProcessResult> results;
  std::set<int> processes;
  for (CaseRecord& one : read->cases)
    for (ProcessResult& result : reported_results(one)) {
      processes.insert(result.process);
      results.push_back(std::move(result));
    }
  if (processes.size() > 1)
    return fail_checked(
        {ErrorKind::usage, "holds several processes; one run of a program is one", Location{file}, {}});
  for (ProcessResult& result : results) {
    result.process = process;
    for (Series& series : result.series) series.processes.front().process = process;
  }
  return results;
}

}  // namespace harness
