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
  const std::size_t ended = task->sides.size() + 1;  // the last line ends, too
  if (side != ended) return fail(ErrorKind::usage, Location{file.string()}, "the file ends too early");
  return task;
}

// A task of the journal that the store refuses for good is measured again.
Result<int> send_task(FarmStore& store, const MeasuredTask& task) {
  const Result<bool> first = store.complete(task);
  if (first) return *first ? 1 : 0;
  if (first.error().kind != ErrorKind::not_comparable) return fail(first.error());
  fmt::print(stderr, "task {} of the journal is measured again: {}\n", task.number, first.error().message);
  return 0;
}

void set_aside(const fs::path& file, const Error& why) {
  fs::path aside = file;
  aside += ".damaged";
  std::error_code code;
  fs::rename(file, aside, code);
  fmt::print(stderr, "warning: {}\n  it is {}, and its task is measured again\n", why.text(),
             code ? "left there" : "now " + aside.string());
}

}  // namespace

Status TaskJournal::check() const {
  const fs::path file = folder_ / fmt::format("{}check-{}", begins, getpid());
  const Status written = write_file_atomically(file, "");
  std::error_code code;
  fs::remove(file, code);
  return written;
}

Status TaskJournal::keep(const MeasuredTask& task) {
  std::string text = to_json(Described<MeasuredTask>::fields, task, JsonLayout::line) + "\n";
  for (const MeasuredSide& side : task.sides) {
    for (const EncodedResult& result : side.results)
      text += (result.text.empty() ? encode(result.result) : result.text) + "\n";
    text += "\n";
  }
  Status written =
      write_file_atomically(folder_ / fmt::format("{}{}-{}{}", begins, campaign_, task.number, ends), text);
  if (!written) memory_.push_back(task);
  return written;
}

Result<int> TaskJournal::send_memory(FarmStore& store) {
  int sent = 0;
  while (!memory_.empty()) {
    const Result<int> one = send_task(store, memory_.back());
    if (!one) return one;
    sent += *one;
    memory_.pop_back();
  }
  return sent;
}

Result<int> TaskJournal::send(FarmStore& store) {
  Result<int> sent = send_memory(store);
  if (!sent) return sent;
  std::error_code code;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder_, code)) {
    const std::string name = entry.path().filename().string();
    if (!name.starts_with(std::string(begins) + campaign_) || !name.ends_with(ends)) continue;
    if (!is_own(entry.path())) continue;
    const Result<MeasuredTask> task = read_task(entry.path());
    if (!task && !fs::exists(entry.path(), code)) continue;  // another element has sent it meanwhile
    if (!task) {
      set_aside(entry.path(), task.error());
      continue;
    }
    const Result<int> one = send_task(store, *task);
    if (!one) return one;
    *sent += *one;
    fs::remove(entry.path(), code);
  }
  return sent;
}

}  // namespace harness
