// `harness calibrate`: how much results of one build vary here, and what to measure with.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <map>
#include <memory>

#include "harness/base/files.h"
#include "harness/base/text.h"
#include "harness/base/units.h"
#include "harness/cli/commands.h"
#include "harness/cli/exit_status.h"
#include "harness/cli/measuring/calibrate_write.h"
#include "harness/cli/measuring/lock_clocks.h"
#include "harness/cli/measuring/prepare.h"
#include "harness/cli/output/emit.h"
#include "harness/cli/output/input_files.h"
#include "harness/cli/output/terminal_unicode.h"
#include "harness/cli/programs/measure_session.h"
#include "harness/measure/schedule/interrupt.h"
#include "harness/model/codec.h"
#include "harness/report/documents/calibration_document.h"
#include "harness/store/adapters/import_formats.h"
#include "harness/store/baselines.h"
#include "harness/store/store.h"
#include "harness/study/calibrate.h"
#include "harness/suite/load_suite.h"

namespace harness {
namespace {

constexpr std::size_t most_records = 100;  // of the store, the newest

struct Arguments {
  std::string suite;
  std::vector<std::string> from;
  std::string name;  // of the suite, for --from
  std::vector<std::string> filters, modules;
  std::string device;
  std::string clocks;  // of --lock-clocks
  std::string store = default_store;
  std::string detect;
  int runs = 3;
  int processes = 0;
  int most_processes = 40;
  bool write = false;
  OutputArguments output;
};

// Samples of the same text are the same session, however often they are taken in.
std::string id_of(const std::string& text) {
  const std::string hash = content_hash(text);
  return fmt::format("{}-{}-{}-{}-{}", hash.substr(0, 8), hash.substr(8, 4), hash.substr(12, 4),
                     hash.substr(16, 4), hash.substr(20, 12));
}

Result<Record> read_session(const std::string& path) {
  const Result<std::string> text = read_file(path);
  if (!text) return fail(text.error());
  if (!path.ends_with(".jsonl")) return decode_record(*text, path);
  Checked<Record> record = import_samples(*text, path);
  if (!record) return fail(record.error().front());
  record->id = id_of(*text);
  return std::move(*record);
}

Status keep(Store& store, Record record) {
  record.calibration = true;
  if (record.finished.empty())
    return fail(ErrorKind::usage, fmt::format("record {} is unfinished", printable(record.id)),
                "a session counts when it is complete");
  RunQuery query;
  query.id_prefix = record.id;
  const auto there = store.list(query);
  if (!there) return fail(there.error());
  if (there->empty()) return store.put_record(record);
  if (there->front().calibration) return {};
  record.id = id_of(record.id);  // the store has it as a run: its copy is the calibration
  query.id_prefix = record.id;
  const auto copy = store.list(query);
  if (!copy) return fail(copy.error());
  return copy->empty() ? store.put_record(record) : Status{};
}

// Takes in records that are there; the name of their suite.
Result<std::string> take_in(Store& store, const Arguments& arguments) {
  std::string suite = arguments.name;
  for (const std::string& path : arguments.from) {
    Result<Record> record = read_session(path);
    if (!record) return fail(record.error());
    if (!arguments.name.empty()) record->suite.name = arguments.name;
    if (suite.empty()) suite = record->suite.name;
    if (record->suite.name != suite)
      return fail(ErrorKind::usage, Location{path},
                  fmt::format("is of suite `{}`, and others are of `{}`", printable(record->suite.name),
                              printable(suite)),
                  "sessions are of one suite; --suite NAME says that these are");
    if (const Status kept = keep(store, std::move(*record)); !kept) return fail(kept.error());
  }
  return suite;
}

// Measures session after session into the store, each by a run of its own; false: interrupted.
Result<bool> measure_sessions(Store& store, const Arguments& arguments) {
  const InterruptGuard guard;
  for (int run = 1; run <= arguments.runs; ++run) {
    fmt::print(stderr, "session {} of {}\n", run, arguments.runs);
    auto record = measure_session({arguments.suite, arguments.filters, arguments.modules, arguments.device,
                                   arguments.processes, arguments.clocks});
    if (!record) return fail(record.error());
    if (!*record) return false;
    if (const Status kept = keep(store, std::move(**record)); !kept) return fail(kept.error());
  }
  return true;
}

// The calibrations of a suite, newest first: of the machine class of the newest, the device of the newest
// first.
Result<std::vector<Record>> sessions_of(Store& store, const std::string& suite) {
  RunQuery query;
  query.suite = suite;
  query.calibration = true;
  query.state = RunState::complete;
  auto runs = store.list(query);
  if (!runs) return fail(runs.error());
  std::vector<Record> records;
  for (const RunInfo& run : *runs) {
    if (run.machine_class != runs->front().machine_class || records.size() == most_records) continue;
    Result<Record> record = store.load(run.id);
    if (!record) return fail(record.error());
    records.push_back(std::move(*record));
  }
  return records;
}

// Sessions may have been measured with other settings than the suite has now, which proposals are about.
Status plan_as_now(std::vector<Record>& records, const Arguments& arguments) {
  if (arguments.suite.empty()) return {};
  const Result<std::string> text = read_file(arguments.suite);
  if (!text) return fail(text.error());
  const Result<Plan> plan = plan_of(*text, arguments.suite, arguments.modules);
  if (!plan) return fail(plan.error());
  std::map<std::string, const PlannedCase*> planned;
  for (const PlannedCase& one : plan->cases) planned.emplace(one.id, &one);
  for (Record& record : records)
    for (CaseRecord& one : record.cases)
      if (const auto now = planned.find(one.id); now != planned.end()) {
        one.sampling.processes = now->second->sampling.processes;
        one.sampling.placements = now->second->sampling.placements;
        one.gate = now->second->gate;
      }
  return {};
}

Result<CalibrationOptions> options_of(const Arguments& arguments) {
  CalibrationOptions options;
  options.most_processes = arguments.most_processes;
  if (arguments.detect.empty()) return options;
  const Result<double> detect = parse_fraction(arguments.detect);
  if (!detect) return fail(ErrorKind::usage, "--detect: " + detect.error().message, detect.error().advice);
  options.detect = *detect;
  return options;
}

Status check_arguments(const Arguments& arguments) {
  if (arguments.suite.empty() && arguments.from.empty())
    return fail(ErrorKind::usage, "nothing to calibrate", "name a suite to measure, or records with --from");
  if (arguments.write && arguments.suite.empty())
    return fail(ErrorKind::usage, "--write needs the suite file to write to",
                "name it: harness calibrate SUITE");
  if (!arguments.suite.empty())
    if (const auto suite = load_suite(arguments.suite); !suite) return fail(suite.error().front());
  PlanArguments plan;
  plan.suite = arguments.suite;
  plan.modules = arguments.modules;
  plan.device = arguments.device;
  const std::vector<std::string> files =
      all_of({plan_files(plan), arguments.from, store_files(arguments.store)});
  return check_outputs(arguments.output, {"", files});
}

int conclude(Store& store, const std::string& suite, const Arguments& arguments,
             const CalibrationOptions& options) {
  auto records = sessions_of(store, suite);
  if (!records) return report_error(records.error());
  if (const Status planned = plan_as_now(*records, arguments); !planned) return report_error(planned.error());
  const CalibrationReport report = calibrate(*records, options);
  if (report.cases.empty())
    return report_error(
        {ErrorKind::missing, "no case was measured", {}, "see what `harness list` says of the suite"});
  int status = exit_ok;
  if (arguments.write) {
    const Result<std::size_t> written = write_proposals(arguments.suite, arguments.modules, report);
    if (!written)
      status = report_error(written.error());
    else
      fmt::print(stderr, "{}: {} cases have new settings{}\n", arguments.suite, *written,
                 *written == 0 ? "; nothing was written" : "; review the difference before you commit it");
  }
  return emit(
      arguments.output,
      [&](Format format, const Style& style) { return render_calibration(report, format, style); }, status);
}

int calibrate_command(const Arguments& arguments) {
  if (const Status checked = check_formats(arguments.output, "a calibration"); !checked)
    return report_error(checked.error());
  if (const Status checked = check_arguments(arguments); !checked) return report_error(checked.error());
  const Result<CalibrationOptions> options = options_of(arguments);
  if (!options) return report_error(options.error());
  const auto store = Store::open(arguments.store);
  if (!store) return report_error(store.error());
  std::string suite;
  if (!arguments.from.empty()) {
    const Result<std::string> taken = take_in(**store, arguments);
    if (!taken) return report_error(taken.error());
    suite = *taken;
  } else {
    const Result<bool> measured = measure_sessions(**store, arguments);
    if (!measured) return report_error(measured.error());
    if (!*measured) {
      fmt::print(stderr, "interrupted: whole sessions are kept; repeat the command for more\n");
      return exit_interrupted;
    }
    suite = load_suite(arguments.suite)->identity.name;
  }
  return conclude(**store, suite, arguments, *options);
}

}  // namespace

void add_calibrate(CLI::App& program, Action& chosen) {
  CLI::App* command = program.add_subcommand(
      "calibrate", "Learn how much results of one build vary here, and propose settings");
  auto arguments = std::make_shared<Arguments>();
  command->add_option("suite", arguments->suite, "suite file (YAML) to measure")->type_name("SUITE");
  command->add_option("--runs", arguments->runs, "sessions to measure, each a run of its own")
      ->capture_default_str()
      ->check(CLI::Range(1, 100))
      ->type_name("N");
  command
      ->add_option("--processes", arguments->processes, "fresh worker processes a case; default: the suite's")
      ->check(CLI::Range(2, 10000))
      ->type_name("P");
  command
      ->add_option("--from", arguments->from,
                   "take these records or samples (JSON Lines) of one build instead")
      ->type_name("FILE");
  command->add_option("--suite", arguments->name, "suite name of what --from takes");
  command
      ->add_option("--filter", arguments->filters, "only cases whose name matches; `!` in front leaves out")
      ->type_name("WILDCARD");
  command->add_option("--module", arguments->modules, "load a plugin as well")->type_name("FILE");
  command->add_option("--device", arguments->device, "cpu, cuda or cuda:N, as for run");
  add_clock_option(*command, arguments->clocks);
  command
      ->add_option("--detect", arguments->detect,
                   "the change that proposals are to find with 80 % power; default: twice each margin")
      ->type_name("PERCENT");
  command->add_option("--max-processes", arguments->most_processes, "propose at most so many")
      ->capture_default_str()
      ->check(CLI::Range(5, 1000));
  command->add_flag("--write", arguments->write, "write the proposals into the suite as overrides");
  command->add_option("--store", arguments->store, "where sessions are kept: a file or postgresql://...")
      ->capture_default_str()
      ->type_name("URL");
  add_output_options(*command, arguments->output, {Format::terminal, Format::markdown, Format::json});
  command->footer(
      "Sessions stay in the store, marked: none becomes a baseline, and compare takes the spread between\n"
      "sessions and devices from them. All that the store has of the suite and machine class is used.\n"
      "Exit status: 0, 2 usage, 4 nothing measured, 130 interrupted.\n"
      "Examples: harness calibrate suites/fusion.yaml --runs 5 --processes 10 --detect 2%\n"
      "          harness calibrate --from monday.json tuesday.json\n"
      "          harness calibrate suites/fusion.yaml --write");
  command->callback([&chosen, arguments] { chosen = [arguments] { return calibrate_command(*arguments); }; });
}

}  // namespace harness
