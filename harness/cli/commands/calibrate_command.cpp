// `harness calibrate`: how much results of one build vary here, and what to measure with.
#include <fmt/format.h>

#include <map>

#include "harness/base/files.h"
#include "harness/base/named_file.h"
#include "harness/base/text.h"
#include "harness/base/units.h"
#include "harness/cli/commands/commands.h"
#include "harness/cli/declared/examples.h"
#include "harness/cli/exit_status.h"
#include "harness/cli/measuring/calibrate_write.h"
#include "harness/cli/options/store_options.h"
#include "harness/cli/options/typed_option.h"
#include "harness/cli/output/emit.h"
#include "harness/cli/output/input_files.h"
#include "harness/cli/programs/measure_session.h"
#include "harness/cli/provenance/repository_suite.h"
#include "harness/cli/run/quick_calibration.h"
#include "harness/measure/schedule/interrupt.h"
#include "harness/model/codec.h"
#include "harness/model/pin/figures.h"
#include "harness/report/documents.h"
#include "harness/report/words/source_words.h"
#include "harness/store/adapters/import_formats.h"
#include "harness/store/baselines.h"
#include "harness/store/store.h"
#include "harness/study/calibrate.h"

namespace harness {
namespace {

constexpr std::size_t most_records = 100;  // of the store, the newest

struct CalibrateArguments {
  SessionOptions session;
  std::vector<std::string> from;
  std::string name;  // of the suite, for --from
  StoreOption store;
  CalibrationOptions rule;
  int runs = 3;
  bool write = false;
  bool quick = false;
  OutputOptions output;
};

// Files with the same text are one session, even if they are imported again.
std::string id_of(const std::string& text) {
  const std::string hash = content_hash(text);
  return fmt::format("{}-{}-{}-{}-{}", hash.substr(0, 8), hash.substr(8, 4), hash.substr(12, 4),
                     hash.substr(16, 4), hash.substr(20, 12));
}

Result<Record> read_session(const std::string& path) {
  const Result<std::string> text = read_named_file(path, {".json", ".jsonl"});
  if (!text) return fail(text.error());
  if (!path.ends_with(".jsonl")) {
    Result<Record> record = decode_record(*text, path);
    if (record && lacks_samples(*record))
      return fail(ErrorKind::usage, Location{path}, std::string(report::pin_without_samples),
                  "name records that `harness run SUITE --output FILE` wrote");
    return record;
  }
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
  if (record.pairing)
    return fail(ErrorKind::usage, fmt::format("record {} is one side of an A/B run", printable(record.id)),
                "name what `harness run` measured: a side of an A/B run has processes of several kinds");
  RunQuery query;
  query.id_prefix = record.id;
  const auto there = store.list(query);
  if (!there) return fail(there.error());
  if (there->empty()) return store.put_record(record);
  if (there->front().calibration) return {};
  record.id = id_of(record.id);  // the store has it as a run; a copy becomes the calibration
  query.id_prefix = record.id;
  const auto copy = store.list(query);
  if (!copy) return fail(copy.error());
  return copy->empty() ? store.put_record(record) : Status{};
}

// Imports existing records. Returns the name of their suite.
Result<std::string> take_in(Store& store, const CalibrateArguments& arguments) {
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
Result<bool> measure_sessions(Store& store, const CalibrateArguments& arguments) {
  const InterruptGuard guard;
  for (int run = 1; run <= arguments.runs; ++run) {
    fmt::print(stderr, "session {} of {}\n", run, arguments.runs);
    auto record = measure_session(arguments.session);
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
Status plan_as_now(std::vector<Record>& records, const CalibrateArguments& arguments) {
  if (arguments.session.suite.empty()) return {};
  const Result<std::string> text = read_file(arguments.session.suite);
  if (!text) return fail(text.error());
  const Result<Plan> plan = plan_of(*text, arguments.session.suite, arguments.session.modules.files);
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

Status check_arguments(const CalibrateArguments& arguments) {
  if (arguments.session.suite.empty() && arguments.from.empty())
    return fail(ErrorKind::usage, "nothing to calibrate", "name a suite to measure, or records with --from");
  if (arguments.write && arguments.session.suite.empty())
    return fail(ErrorKind::usage, "--write needs the suite file to write to",
                "name it: harness calibrate SUITE");
  if (!arguments.session.suite.empty())
    if (const auto suite = load_repository_suite(arguments.session.suite); !suite)
      return fail(suite.error().front());
  SuiteOptions plan;
  plan.suite = arguments.session.suite;
  plan.modules = arguments.session.modules;
  plan.device = arguments.session.device;
  const std::vector<std::string> files =
      all_of({plan_files(plan), arguments.from, store_files(arguments.store.url)});
  return check_outputs(arguments.output, {"", files});
}

int conclude(Store& store, const std::string& suite, const CalibrateArguments& arguments) {
  auto records = sessions_of(store, suite);
  if (!records) return report_error(records.error());
  if (const Status planned = plan_as_now(*records, arguments); !planned) return report_error(planned.error());
  const CalibrationReport report = calibrate(*records, arguments.rule);
  if (report.cases.empty())
    return report_error(
        {ErrorKind::missing, "no case was measured", {}, "see what `harness list` says of the suite"});
  int status = exit_ok;
  if (arguments.write) {
    const Result<std::size_t> written =
        write_proposals(arguments.session.suite, arguments.session.modules.files, report);
    if (!written)
      status = report_error(written.error());
    else
      fmt::print(stderr, "{}: {} cases have new settings{}\n", printable(arguments.session.suite), *written,
                 *written == 0 ? "; nothing was written" : "; review the difference before you commit it");
  }
  return emit(
      arguments.output,
      [&](Format format, const Style& style) {
        return render(report::calibration_document(report), format, style);
      },
      status);
}

int calibrate_a_minute(Store& store, const SessionOptions& session) {
  const InterruptGuard guard;
  const Result<bool> measured = calibrate_quickly(store, session);
  if (!measured) return report_error(measured.error());
  if (!*measured) {
    fmt::print(stderr, "interrupted: nothing is kept\n");
    return exit_interrupted;
  }
  const Result<std::string> told = told_by_quick_calibration(store);
  if (!told) return report_error(told.error());
  fmt::print("{}\n", *told);
  return exit_ok;
}

int calibrate_command(const CalibrateArguments& arguments) {
  if (const Status checked = check_arguments(arguments); !checked) return report_error(checked.error());
  const auto store = Store::open(arguments.store.url);
  if (!store) return report_error(store.error());
  std::string suite;
  if (arguments.quick) return calibrate_a_minute(**store, arguments.session);
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
    suite = load_repository_suite(arguments.session.suite)->identity.name;
  }
  return conclude(**store, suite, arguments);
}

}  // namespace

void add_calibrate(Commands& commands) {
  auto& [command, arguments] = commands.add(
      "calibrate", "Learn how much results of one build vary here, and propose settings", calibrate_command);
  SessionOptions& session = arguments.session;
  command.add_option("suite_file", session.suite, "suite file (YAML) to measure")->type_name("SUITE");
  CLI::Option* runs =
      command.add_option("--runs", arguments.runs, "sessions to measure, each a run of its own")
          ->capture_default_str()
          ->check(whole_number(1, 100))
          ->type_name("N");
  command
      .add_option("--processes", session.processes, "worker processes for each case; default: the suite's")
      ->check(whole_number(2, 10000))
      ->type_name("P");
  CLI::Option* from =
      command
          .add_option("--from", arguments.from,
                      "use these records or samples (JSON Lines) of one build instead of measuring")
          ->type_name("FILE");
  add_suite_option(command, arguments.name, "suite of the files of --from");
  session.filter.add_to(command);
  session.modules.add_to(command);
  session.device.add_to(command);
  session.clocks.add_to(command);
  add_typed(command, "--detect", arguments.rule.detect, parse_fraction,
            "change that the proposed settings find with 80 % power; default: twice each margin")
      ->type_name("PERCENT");
  command
      .add_option("--max-processes", arguments.rule.most_processes, "largest number of processes to propose")
      ->capture_default_str()
      ->check(whole_number(5, 1000));
  CLI::Option* write =
      command.add_flag("--write", arguments.write, "write the proposals into the suite as overrides");
  CLI::Option* quick = command.add_flag(
      "--quick", arguments.quick,
      "a minute with the three shortest cases: which change this machine can tell. Runs mention it; no "
      "verdict depends on it");
  for (CLI::Option* option : {write, runs, from}) quick->excludes(option);
  arguments.store.add_to(command);
  arguments.output.add_to(command);
  command.footer(
      "The sessions stay in the store. They never become a baseline. `compare` reads the spread between\n"
      "sessions and devices from all sessions of this suite and machine class.\n"
      "Exit status: 0, 2 usage, 4 nothing measured, 130 interrupted.");
  add_examples(command,
               {"harness calibrate suite.yaml --runs 5 --processes 10 --detect 2%",
                "harness calibrate --from monday.json tuesday.json", "harness calibrate suite.yaml --write"});
}

}  // namespace harness
