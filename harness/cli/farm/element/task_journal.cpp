#include "harness/cli/farm/element/task_journal.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness/base/files.h"
#include "harness/base/text.h"
#include "harness/model/record_fields.h"

namespace harness {

// The first line of a file. After it comes a result a line, of one side after the other.
template <>
struct Described<MeasuredSide> {
  static constexpr auto fields =
      list_fields<MeasuredSide>(JsonLayout::line, field("record", &MeasuredSide::record).required(),
                                field("machines", &MeasuredSide::machines).required());
};

template <>
struct Described<MeasuredTask> {
  using One = MeasuredTask;
  static constexpr auto fields = list_fields<One>(
      JsonLayout::line, field("campaign", &One::campaign).required(),
      field("number", &One::number).required(), field("holder", &One::holder).required(),
      field("device", &One::device), field("seconds", &One::seconds), field("sides", &One::sides).required());
};

namespace fs = std::filesystem;
namespace {

constexpr std::string_view begins = "harness-farm-", ends = ".jsonl";

// Whether this user wrote the file: the folder may be one that others can write to.
bool is_own(const fs::path& file) {
  struct stat found {};
  return lstat(file.c_str(), &found) == 0 && S_ISREG(found.st_mode) && found.st_uid == geteuid();
}

Result<MeasuredTask> read_task(const fs::path& file) {
  const Result<std::string> text = read_file(file);
  if (!text) return fail(text.error());
  const std::vector<std::string> lines = split(*text, '\n');
  Result<MeasuredTask> task = from_json(Described<MeasuredTask>::fields, lines.front(), file.string());
  if (!task) return task;
  if (task->sides.empty()) return fail(ErrorKind::usage, Location{file.string()}, "the task has no side");
  std::size_t side = 0;
  for (std::size_t i = 1; i < lines.size(); ++i) {
    if (lines[i].empty()) {  // the results of a side end
      ++side;
      continue;
    }
    Result<ProcessResult> result = decode_process_result(lines[i], file.string());
    if (!result) return fail(result.error());
    task->sides.at(std::min(side, task->sides.size() - 1)).results.push_back({std::move(*result), lines[i]});
  }
  return task;
}

}  // namespace

Status TaskJournal::keep(const MeasuredTask& task) const {
  std::string text = to_json(Described<MeasuredTask>::fields, task, JsonLayout::line) + "\n";
  for (const MeasuredSide& side : task.sides) {
    for (const EncodedResult& result : side.results)
      text += (result.text.empty() ? encode(result.result) : result.text) + "\n";
    text += "\n";
  }
  return write_file_atomically(folder_ / fmt::format("{}{}-{}{}", begins, campaign_, task.number, ends),
                               text);
}

Result<int> TaskJournal::send(FarmStore& store) const {
  int sent = 0;
  std::error_code code;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder_, code)) {
    const std::string name = entry.path().filename().string();
    if (!name.starts_with(std::string(begins) + campaign_) || !name.ends_with(ends)) continue;
    if (!is_own(entry.path())) continue;
    const Result<MeasuredTask> task = read_task(entry.path());
    if (!task && !fs::exists(entry.path(), code)) continue;  // another element has sent it meanwhile
    if (!task) return fail(task.error());
    const Result<bool> first = store.complete(*task);
    if (!first && first.error().kind == ErrorKind::not_comparable) {  // and it will not be later
      fmt::print(stderr, "task {} of the journal is measured again: {}\n", task->number,
                 first.error().message);
      fs::remove(entry.path(), code);
      continue;
    }
    if (!first) return fail(first.error());
    sent += *first ? 1 : 0;
    fs::remove(entry.path(), code);
  }
  return sent;
}

}  // namespace harness
