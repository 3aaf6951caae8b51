// `harness records`: what a store holds, and removing some of it.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <utility>

#include "harness/base/text.h"
#include "harness/cli/commands/commands.h"
#include "harness/cli/declared/examples.h"
#include "harness/cli/exit_status.h"
#include "harness/cli/judging/stored_records.h"
#include "harness/cli/measuring/begin_run.h"
#include "harness/cli/options/date.h"
#include "harness/cli/options/typed_option.h"
#include "harness/cli/output/emit.h"
#include "harness/cli/output/input_files.h"
#include "harness/cli/output/render_with_sources.h"
#include "harness/model/results/record_list.h"
#include "harness/report/documents.h"
#include "harness/store/sql/alert_marks.h"

namespace harness {
namespace {

constexpr const char* no_mark = "none";

struct RecordsArguments {
  SelectionOptions from;
  std::size_t last = 50;
  std::string record = "HEAD";
  std::vector<std::string> records;
  std::optional<AlertMark> mark;
  std::optional<std::size_t> keep;
  std::string before;  // a day
  bool dry_run = false;
  OutputOptions output;
};

// Names and marks that people gave a record.
struct Said {
  std::vector<std::string> names;
  std::string mark;
};
using NamesByRun = std::map<std::string, Said>;

Result<NamesByRun> names_by_run(Store& store) {
  const Result<std::vector<RecordName>> names = store.names();
  if (!names) return fail(names.error());
  NamesByRun by_run;
  for (const RecordName& one : *names) {
    Said& said = by_run[one.run];
    if (const std::optional<AlertMark> mark = mark_in(one))
      said.mark = name_of(*mark);
    else
      said.names.push_back(one.name);
  }
  return by_run;
}

RunQuery query_of(const RecordsArguments& arguments) {
  RunQuery query;
  if (!arguments.from.suite.empty()) query.suite = arguments.from.suite;
  return query;
}

ListedRecord listed(const RunInfo& run, const NamesByRun& names) {
  const auto own = names.find(run.id);
  return {run.id,
          own == names.end() ? std::vector<std::string>{} : own->second.names,
          run.suite,
          run.revision.commit,
          run.revision.branch,
          run.revision.dirty,
          run.machine_class,
          run.started,
          std::string(name_of(run.state)),
          run.verdict,
          own == names.end() ? "" : own->second.mark,
          run.calibration ? "calibration"
          : run.paired    ? "ab"
                          : "",
          run.partial,
          run.results,
          run.failures};
}

int list_records(const RecordsArguments& arguments, const CommandLine& /*line*/) {
  if (const Status checked = check_outputs(arguments.output, {"", store_files(arguments.from.store.url)});
      !checked)
    return report_error(checked.error());
  const auto store = open_for_reading(arguments.from.store);
  if (!store) return report_error(store.error());
  const auto runs = (*store)->list(query_of(arguments));
  if (!runs) return report_error(runs.error());
  const Result<NamesByRun> names = names_by_run(**store);
  if (!names) return report_error(names.error());
  RecordList list;
  list.store = (*store)->place();
  const std::size_t shown = std::min(arguments.last, runs->size());
  for (std::size_t i = 0; i < shown; ++i) list.records.push_back(listed((*runs)[i], *names));
  list.more = runs->size() - shown;
  const auto render = [&](Format format, const Style& style) {
    return harness::render(report::records_document(list), format, style);
  };
  return emit(arguments.output, render, exit_ok);
}

int show_record(const RecordsArguments& arguments, const CommandLine& line) {
  const CommandFiles files{"", all_of({{arguments.record}, store_files(arguments.from.store.url)})};
  if (const Status checked = check_outputs(arguments.output, files); !checked)
    return report_error(checked.error());
  const Result<std::vector<Selected>> records = read_records(arguments.from, arguments.record);
  if (!records) return report_error(records.error());
  const Reproduction made_by(line, arguments.from.store);
  SuiteOutputs outputs(arguments.output, line.text(), records->size());
  for (const Selected& one : *records) {
    outputs.add(one.record.suite.name, measured_report(one.record, made_by), exit_ok);
    outputs.conclude_suite(one.record.suite.name, exit_ok);
  }
  return outputs.finish();
}

std::string described(const RunInfo& run) {
  return fmt::format("{}  {}  {}  {}", run.id, printable(run.suite), run.revision.commit.substr(0, 10),
                     run.started);
}

// Removes records that no process writes to. Prints each one, or each that it would remove.
int remove_runs(Store& store, const std::vector<RunInfo>& runs, bool dry_run) {
  std::vector<std::string> ids;
  std::vector<FileLock> locks;
  for (const RunInfo& run : runs) {
    Result<FileLock> lock = lock_record(run.id);
    if (!lock)
      return report_error({ErrorKind::usage,
                           fmt::format("the run {} is still measuring; nothing was removed", run.id),
                           {},
                           "wait for it, or stop it first"});
    locks.push_back(std::move(*lock));
    ids.push_back(run.id);
  }
  if (!dry_run)
    if (const Status removed = store.remove(ids); !removed) return report_error(removed.error());
  for (const RunInfo& run : runs) fmt::print("{} {}\n", dry_run ? "would remove" : "removed", described(run));
  fmt::print("{} of {} in {}\n", dry_run ? "nothing was removed" : fmt::format("{} removed", runs.size()),
             runs.size(), store.place());
  return exit_ok;
}

// The record of the store that a word names: an id, its beginning, or a name.
Result<RunInfo> run_named(Store& store, const RecordsArguments& arguments, const std::string& word) {
  const bool named = word.starts_with('@');
  if (!named && word.find_first_not_of("0123456789abcdefABCDEF-") != std::string::npos)
    return fail(ErrorKind::usage, fmt::format("`{}` is no id of a record", printable(word)),
                "write an id that `harness records list` prints, or @NAME");
  const Result<Selected> found = select_current(store, word, arguments.from.select());
  if (!found) return fail(found.error());
  RunQuery query;
  query.id_prefix = found->record.id;
  const auto runs = store.list(query);
  if (!runs) return fail(runs.error());
  if (!runs->empty()) return runs->front();
  return fail(ErrorKind::usage, fmt::format("`{}` is no record of {}", printable(word), store.place()),
              "write an id that `harness records list` prints, or @NAME");
}

int delete_records(const RecordsArguments& arguments, const CommandLine& /*line*/) {
  const auto store = Store::open_existing(arguments.from.store.url);
  if (!store) return report_error(store.error());
  std::vector<RunInfo> runs;
  for (const std::string& word : arguments.records) {
    Result<RunInfo> run = run_named(**store, arguments, word);
    if (!run) return report_error(run.error());
    if (run->state == RunState::farmed)
      return report_error(
          {ErrorKind::usage,
           fmt::format("{} is a record of a campaign that is not judged", run->id),
           {},
           "`harness farm list` tells which; judge it, or end it with `harness farm cancel`"});
    const bool twice =
        std::any_of(runs.begin(), runs.end(), [&](const RunInfo& one) { return one.id == run->id; });
    if (!twice) runs.push_back(std::move(*run));
  }
  return remove_runs(**store, runs, arguments.dry_run);
}

// Only a record that regressed had an alert.
Status check_mark(Store& store, const RunInfo& run, const std::optional<AlertMark>& mark) {
  if (!mark || *mark == AlertMark::missed || run.verdict == name_of(Verdict::regressed)) return {};
  if (run.verdict == name_of(Verdict::failed)) {  // beside the failed case there may be a slower one
    const auto cases = store.cases_of(run.id);
    if (!cases) return fail(cases.error());
    for (const StoredCase& one : *cases)
      if (one.verdict == name_of(Verdict::regressed) && !one.waived) return {};
  }
  return fail(ErrorKind::usage,
              fmt::format("the record {} raised no alert: {}", run.id,
                          run.verdict.empty() ? "it was never judged" : "its verdict is " + run.verdict),
              "`missed` marks a slowdown that no result told; `harness history` lists the alerts");
}

int mark_records(const RecordsArguments& arguments, const CommandLine& /*line*/) {
  const auto store = Store::open_existing(arguments.from.store.url);
  if (!store) return report_error(store.error());
  std::vector<std::string> ids;
  for (const std::string& word : arguments.records) {
    const Result<RunInfo> run = run_named(**store, arguments, word);
    if (!run) return report_error(run.error());
    if (const Status fits = check_mark(**store, *run, arguments.mark); !fits)
      return report_error(fits.error());
    ids.push_back(run->id);
  }
  for (const std::string& id : ids)
    if (const Status set = set_mark(arguments.from.store.url, id, arguments.mark); !set)
      return report_error(set.error());
  return exit_ok;
}

Result<std::optional<AlertMark>> parse_mark(const std::string& word) {
  std::vector<std::string> known = all_names<AlertMark>();
  known.emplace_back(no_mark);
  if (word == no_mark) return std::optional<AlertMark>();
  if (const auto mark = parse_name<AlertMark>(word)) return mark;
  return fail(ErrorKind::usage, fmt::format("`{}` is not one of {}", printable(word), join(known, ", ")),
              suggestion(word, known));
}

// The records to remove, newest first: those without a name that --keep and --before do not spare. The count
// is by suite and machine class.
std::vector<RunInfo> superfluous(const std::vector<RunInfo>& newest_first, const NamesByRun& names,
                                 const RecordsArguments& arguments) {
  std::vector<RunInfo> found;
  std::map<std::pair<std::string, std::string>, std::size_t> counts;
  for (const RunInfo& run : newest_first) {
    if (run.state == RunState::farmed) continue;  // a campaign needs it
    const std::size_t before = counts[{run.suite, run.machine_class}]++;
    const bool counted_out = !arguments.keep || before >= *arguments.keep;
    const bool old = arguments.before.empty() || run.started < arguments.before;
    if (counted_out && old && !names.contains(run.id)) found.push_back(run);
  }
  return found;
}

int prune_records(const RecordsArguments& arguments, const CommandLine& /*line*/) {
  if (!arguments.keep && arguments.before.empty())
    return report_error(
        {ErrorKind::usage,
         "which records may go?",
         {},
         "--keep N spares the newest of each suite and machine class, --before DATE all since "
         "that day; names are always spared"});
  const auto store = Store::open_existing(arguments.from.store.url);
  if (!store) return report_error(store.error());
  const auto runs = (*store)->list(query_of(arguments));
  if (!runs) return report_error(runs.error());
  const Result<NamesByRun> names = names_by_run(**store);
  if (!names) return report_error(names.error());
  const auto farmed = std::count_if(runs->begin(), runs->end(),
                                    [](const RunInfo& one) { return one.state == RunState::farmed; });
  if (farmed > 0)
    fmt::print(stderr, "{} records are spared: their campaigns are not judged (harness farm list)\n", farmed);
  return remove_runs(**store, superfluous(*runs, *names, arguments), arguments.dry_run);
}

Result<std::string> parse_day(const std::string& text) {
  if (is_date(text)) return text;
  return fail(ErrorKind::usage, fmt::format("`{}` is not a date", printable(text)),
              "write year-month-day, such as 2026-12-31");
}

void add_dry_run(CLI::App& command, bool& dry_run) {
  command.add_flag("--dry-run", dry_run, "tell what would be removed, and remove nothing");
}

}  // namespace

void add_records(Commands& commands) {
  const auto arguments = std::make_shared<RecordsArguments>();
  CLI::App& group = commands.add_group("records", "What the store holds: list, show, mark, delete, prune");
  Commands below = commands.below(group);

  CLI::App& list = below.add("list", "List the records, the newest first", arguments, list_records);
  list.add_option("--last", arguments->last, "only so many")
      ->capture_default_str()
      ->check(whole_number(1, 1'000'000'000))
      ->type_name("N");
  arguments->from.add_to(list);
  arguments->output.add_to(list);
  add_examples(list, {"harness records list --last 5"});

  CLI::App& show = below.add("show", "Print a record", arguments, show_record);
  show.add_option("record", arguments->record, "revision, id, @NAME or record file")
      ->capture_default_str()
      ->type_name("REV|FILE");
  arguments->from.add_to(show);
  arguments->output.add_to(show);
  add_examples(show, {"harness records show HEAD"});

  CLI::App& remove = below.add("delete", "Remove records for good", arguments, delete_records);
  remove.add_option("record", arguments->records, "ids, 8 characters or more, or @NAMEs")
      ->required()
      ->type_name("ID");
  add_dry_run(remove, arguments->dry_run);
  arguments->from.add_to(remove);
  add_examples(remove, {"harness records delete @before --dry-run"});

  CLI::App& mark = below.add("mark", "Tell whether the alert of a record was true", arguments, mark_records);
  add_typed(
      mark, "mark", arguments->mark, parse_mark,
      "`true`: a result that regressed was a slowdown of the code; `false`: none was; `missed`: the code "
      "was slower, and nothing told; `none`: takes the mark back")
      ->required()
      ->type_name("true|false|missed|none");
  mark.add_option("record", arguments->records, "ids, 8 characters or more, or @NAMEs")
      ->required()
      ->type_name("ID");
  arguments->from.add_to(mark);
  add_examples(mark, {"harness records mark false @before"});

  CLI::App& prune =
      below.add("prune", "Remove old records, but none with a name or a mark", arguments, prune_records);
  prune.add_option("--keep", arguments->keep, "spare so many of each suite and machine class, the newest")
      ->check(whole_number(0, 1'000'000'000))
      ->type_name("N");
  add_typed(prune, "--before", arguments->before, parse_day, "spare what was measured on this day or later")
      ->type_name("DATE");
  add_dry_run(prune, arguments->dry_run);
  arguments->from.add_to(prune);
  prune.footer("With --keep and --before a record must be spared by neither.");
  add_examples(prune, {"harness records prune --keep 20 --dry-run"});
}

}  // namespace harness
