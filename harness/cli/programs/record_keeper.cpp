#include "harness/cli/programs/record_keeper.h"

#include "harness/store/adapters/import_formats.h"
#include "harness/store/store_wait.h"

namespace harness {

RecordKeeper::RecordKeeper(Store& store, Record& record)
    : store_(store), record_(record), late_(store, record.id) {
  for (std::size_t i = 0; i < record.cases.size(); ++i) cases_.emplace(record.cases[i].id, i);
}

Status RecordKeeper::put(const EncodedResult& result) {
  if (const auto place = cases_.find(result.result.case_id); place != cases_.end())
    add_result(record_.cases[place->second], result.result);
  Status kept = put_or_delay(result);
  store_failed_ |= !kept;
  return kept;
}

Status RecordKeeper::put_or_delay(const EncodedResult& result) {
  const BriefPatience brief;
  Status kept = late_.any() ? late_.write() : Status();
  if (kept) kept = store_.put(record_.id, result);
  return !kept && store_was_locked() ? late_.keep(result) : kept;
}

Status RecordKeeper::write_late() {
  if (!late_.any()) return {};
  Status written = late_.write();
  store_failed_ |= !written;
  return written;
}

Status RecordKeeper::add_case(const PlannedCase& planned) {
  if (!cases_.emplace(planned.id, record_.cases.size()).second) return {};
  record_.cases.push_back(planned_record(planned));
  Status kept = store_.add_case(record_.id, record_.cases.back());
  store_failed_ |= !kept;
  return kept;
}

void read_programs(RunOptions& options) {
  options.read_program = [](const std::string& format, const std::string& text, const std::string& file,
                            int process) {
    const ImportFormat* known = find_import_format(format == "samples" ? "json_lines" : format);
    if (known == nullptr)
      return Checked<std::vector<ProcessResult>>(
          fail_checked({ErrorKind::internal, "no format is called `" + format + "`", {}, {}}));
    return import_process(*known, text, file, process);
  };
}

}  // namespace harness
