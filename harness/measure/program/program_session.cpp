#include "harness/measure/program/program_session.h"

#include <algorithm>
#include <boost/algorithm/string/replace.hpp>
#include <set>
#include <system_error>
#include <utility>

#include "harness/base/environment.h"
#include "harness/base/files.h"
#include "harness/base/stack_padding.h"
#include "harness/base/text.h"
#include "harness/device/observe/machine_of_programs.h"
#include "harness/device/observe/own_folders.h"
#include "harness/measure/program/program_results.h"
#include "harness/measure/program/trace_start.h"
#include "harness/measure/schedule/interrupt.h"
#include "harness/measure/schedule/schedule.h"
#include "harness/model/device_kinds.h"

namespace harness {
namespace fs = std::filesystem;
namespace {

bool is_of(const PlannedCase& planned, const Program& program) {
  return planned.program->name == program.name;
}

bool writes_file(const Program& program) {
  return std::any_of(program.command.begin(), program.command.end(),
                     [](const std::string& word) { return word.find(output_mark) != std::string::npos; });
}

std::vector<std::string> with_output(std::vector<std::string> command, const std::string& file) {
  for (std::string& word : command) boost::replace_all(word, output_mark, file);
  return command;
}

Cause unreadable(const Error& error) {
  const std::string where = to_string(error.where);
  return {CauseCode::program_output,
          {{"problem", printable(where + (where.empty() ? "" : ": ") + error.message)}}};
}

const PlannedCase* find_case(const std::vector<const PlannedCase*>& cases, const std::string& id) {
  const auto found =
      std::find_if(cases.begin(), cases.end(), [&](const PlannedCase* one) { return one->id == id; });
  return found == cases.end() ? nullptr : *found;
}

// Starts before those that warm up, by their numbers.
constexpr int untraced_start = -2, hashing_start = -1;

int first_start(const PlannedCase& planned, int process) {
  if (process != 1) return 0;
  return planned.is_traced() ? untraced_start : planned.is_observed() ? hashing_start : 0;
}

bool trusts_inputs(const PlannedCase& planned) {
  return planned.program->inputs == trusted_inputs;
}

}  // namespace

Status ProgramSession::run() {
  while (!open_.empty() && !InterruptGuard::interrupted()) {
    const Program& program = *open_.front()->program;
    std::vector<const PlannedCase*> cases;
    for (const PlannedCase* one : open_)
      if (is_of(*one, program)) cases.push_back(one);
    if (Status measured = measure(cases); !measured) return measured;
    std::erase_if(open_, [&](const PlannedCase* one) { return is_of(*one, program); });
  }
  return {};
}

ProgramSession::Trace ProgramSession::trace_of(const PlannedCase& planned, int start) const {
  if (!planned.is_traced() || start == untraced_start) return Trace::no;
  const bool hashed = task_.process == look_process || start == hashing_start;
  return hashed && !trusts_inputs(planned) ? Trace::contents : Trace::yes;
}

// The starts before the first process that warm up are not timed. Before a trace, one start without it tells
// what the trace costs, and one what the program copies from the host. Where files tell whether it is the
// same, one start is observed. A look is one traced or observed start.
Status ProgramSession::measure(const std::vector<const PlannedCase*>& cases) {
  const PlannedCase& planned = *cases.front();
  context_.journal.began_case(planned.program->name, task_.process);
  const TemporaryFolder scratch;
  const fs::path file = scratch.path() / "output";  // of a trace: a folder
  const int warmup = task_.process == 1 ? planned.sampling.warmup : 0;
  untraced_ = 0;
  inputs_ = {};
  found_ = {};
  called_.clear();
  for (int i = first_start(planned, task_.process);; ++i) {
    if (i == hashing_start && trusts_inputs(planned)) continue;
    std::error_code ignored;
    fs::remove_all(file, ignored);  // an earlier start's output is no result of this one
    const bool observed = planned.is_observed() && (task_.process == look_process || i == hashing_start);
    const Result<Started> started =
        observed ? start_observed(planned, file) : start(planned, file, trace_of(planned, i));
    if (!started)
      return end_all(cases, Outcome::failed,
                     {CauseCode::program_not_started, {{"problem", printable(started.error().message)}}});
    const ProgramEnd& end = started->end;
    if (end.interrupted) return {};
    const bool failed = end.timed_out || !end.exit.ok();
    const bool goes_on = observed && i == hashing_start && !started->preparing;  // the next start tells, too
    if (i == warmup || started->preparing || (failed && !goes_on)) return take(cases, *started, file);
    if (i == untraced_start) untraced_ = end.wall;
    if (i == hashing_start && planned.is_traced())
      if (auto trace = read_program_trace(file, step_rule_of(planned.program->steps))) {
        inputs_ = trace->identity.inputs;
        called_ = std::move(trace->kernels);
      }
  }
}

// `prepare` first, where there is one; then the command, if that ended well.
Result<ProgramSession::Started> ProgramSession::start(const PlannedCase& planned, const fs::path& file,
                                                      Trace trace, SeenFiles* seen) const {
  const Program& program = *planned.program;
  const StartProgram& start = context_.options.start_program;
  const auto tick = [this] { context_.journal.show_progress(); };
  ProgramStart one{.command = {.folder = program.folder, .environment = program.env},
                   .timeout = planned.sampling.timeout};
  const auto device = experience_.opened.find(task_.kind);
  if (is_gpu_kind(task_.kind) && device != experience_.opened.end())
    one.command.environment.emplace("CUDA_VISIBLE_DEVICES", device->second);
  one.command.environment.emplace(stack_padding_variable, stack_padding(task_.process));
  if (!program.prepare.empty()) {
    one.command.argv = {"/bin/sh", "-c", program.prepare};
    Result<ProgramEnd> end = start(one, tick);
    if (!end) return fail(end.error());
    if (end->interrupted || end->timed_out || !end->exit.ok()) return Started{std::move(*end), true};
  }
  one.command.argv = with_output(program.command, file.string());
  one.keep_output = !program.reads.empty() && !planned.is_traced() && !writes_file(program);
  if (trace != Trace::no) {
    const Result<fs::path> library = trace_library();
    if (!library) return fail(library.error());
    std::error_code ignored;
    fs::create_directory(file, ignored);
    trace_into(one.command, *library, file, trace == Trace::contents);
  }
  one.seen = seen;
  Result<ProgramEnd> end = start(one, tick);
  if (!end) return fail(end.error());
  return Started{std::move(*end), false};
}

// A start that leaves a cache behind, which the next one finds, is followed by another one.
Result<ProgramSession::Started> ProgramSession::start_observed(const PlannedCase& planned,
                                                               const fs::path& file) {
  const Program& program = *planned.program;
  Surroundings around{environment::seen_by_workers(),
                      {{"prepare", program.prepare}, {"reads", program.reads}, {"device", planned.device}},
                      machine_facts(environment::system_root())};
  for (const auto& [name, value] : program.env) around.variables[name] = value;
  for (bool again = false;; again = true) {
    std::error_code ignored;
    fs::remove_all(file, ignored);
    SeenFiles seen({repository_of(program.folder), file});
    Result<Started> started = start(planned, file, Trace::no, &seen);
    if (!started || started->preparing) return started;
    if (started->end.timed_out || !started->end.exit.ok()) seen.add_gap(FileGap::failed, "");
    found_ = seen.identity(program.command, around);
    if (again || found_->gap || seen.is_settled()) return started;
  }
}

Status ProgramSession::take(const std::vector<const PlannedCase*>& cases, const Started& started,
                            const fs::path& file) {
  const PlannedCase& planned = *cases.front();
  const ProgramEnd& end = started.end;
  ProcessResult own = result_of_program(planned, task_.process, end);
  if (started.preparing && own.reason) own.reason->figures.emplace_back("preparing", 1);
  if (own.outcome != Outcome::measured) return take_failure(cases, std::move(own), started, file);
  own.case_id = planned.program->name;
  if (found_) own.identity = *found_;
  if (task_.process == look_process) return take_look(cases, std::move(own), started, file);
  if (!planned.program->reads.empty()) {
    Rows rows =
        planned.is_traced() ? read_trace(planned, own, end, file) : read_output(planned, started, file);
    if (rows && !planned.is_traced())
      for (ProcessResult& row : *rows) add_load(row, end);
    if (rows && found_) add_identity(*rows, *found_);
    if (!rows) return end_all(cases, Outcome::failed, rows.error());
    if (Status kept = take_benchmarks(cases, *rows); !kept) return kept;
  }
  return find_case(cases, own.case_id) != nullptr ? keep(std::move(own)) : Status();
}

// A file that names what failed tells of the other benchmarks.
Status ProgramSession::take_failure(const std::vector<const PlannedCase*>& cases, ProcessResult own,
                                    const Started& started, const fs::path& file) {
  const PlannedCase& planned = *cases.front();
  const bool may_tell = own.outcome == Outcome::failed && !started.preparing &&
                        !planned.program->reads.empty() && !planned.is_traced() &&
                        task_.process != look_process;
  if (may_tell) {
    const Rows rows = read_output(planned, started, file);
    const auto failed = [](const ProcessResult& row) { return row.outcome == Outcome::failed; };
    if (rows && std::any_of(rows->begin(), rows->end(), failed)) {
      if (Status kept = take_benchmarks(cases, *rows); !kept) return kept;
      own.case_id = planned.program->name;
      return find_case(cases, own.case_id) != nullptr ? keep(std::move(own)) : Status();
    }
  }
  return end_all(cases, own.outcome, *own.reason);
}

// The kernels are kept, too, though no plan names them: they become cases where the program is not measured.
Status ProgramSession::take_look(const std::vector<const PlannedCase*>& cases, ProcessResult own,
                                 const Started& started, const fs::path& file) {
  const PlannedCase& planned = *cases.front();
  Rows rows = planned.is_traced()              ? read_trace(planned, own, started.end, file)
              : planned.program->reads.empty() ? Rows()
                                               : read_output(planned, started, file);
  if (!rows) return end_all(cases, Outcome::failed, rows.error());
  const auto failed = [](const ProcessResult& row) { return row.outcome != Outcome::measured; };
  if (found_ && std::any_of(rows->begin(), rows->end(), failed)) {
    found_ =
        Identity{.digest = "",
                 .gap = Cause{CauseCode::files_unknown, {{"gap", std::string(name_of(FileGap::failed))}}}};
    own.identity = *found_;
  }
  if (found_) add_identity(*rows, *found_);
  for (ProcessResult& row : *rows) {
    row.case_id = benchmark_case(planned, row.case_id).id;
    keep_only_look(row);
    if (Status kept = keep(std::move(row)); !kept) return kept;
  }
  keep_only_look(own);
  return keep(std::move(own));
}

ProgramSession::Rows ProgramSession::read_output(const PlannedCase& planned, const Started& started,
                                                 const fs::path& file) const {
  const bool from_file = writes_file(*planned.program);
  const Result<std::string> text = from_file ? read_file(file) : Result<std::string>(started.end.output);
  const Checked<std::vector<ProcessResult>> rows =
      text ? context_.options.read_program(planned.program->reads, *text,
                                           from_file ? file.string() : "standard output", task_.process)
           : fail_checked(text.error());
  if (!rows) return tl::unexpected(unreadable(rows.error().front()));
  return *rows;
}

ProgramSession::Rows ProgramSession::read_trace(const PlannedCase& planned, ProcessResult& own,
                                                const ProgramEnd& end, const fs::path& folder) const {
  Result<ProgramTrace> trace = read_program_trace(folder, step_rule_of(planned.program->steps));
  if (!trace) return tl::unexpected(unreadable(trace.error()));
  if (trace->fault) return tl::unexpected(*trace->fault);
  if (inputs_) trace->identity.inputs = inputs_;
  add_callers(*trace, called_);
  add_trace(own, *trace);
  if (untraced_ > 0)
    own.notes.push_back({NoteCode::trace_overhead, {{"traced", end.wall}, {"untraced", untraced_}}});
  return results_of_kernels(*trace, task_.process, end.began);
}

// Where the program's own case is measured, benchmarks that nobody has seen become cases. A process need not
// have each kernel that another one has. The program's own result comes last: a run that is continued without
// it starts the program again.
Status ProgramSession::take_benchmarks(const std::vector<const PlannedCase*>& cases,
                                       std::vector<ProcessResult> rows) {
  const Program& program = *cases.front()->program;
  const bool all = find_case(cases, program.name) != nullptr;
  std::set<std::string> seen;
  for (ProcessResult& row : rows) {
    const PlannedCase planned = benchmark_case(*cases.front(), row.case_id);
    const bool wanted = find_case(cases, planned.id) != nullptr;
    if (!wanted && !all) continue;
    if (!wanted && context_.options.on_case)
      if (Status added = context_.options.on_case(planned); !added) return added;
    seen.insert(planned.id);
    row.case_id = planned.id;
    if (Status kept = keep(std::move(row)); !kept) return kept;
  }
  for (const PlannedCase* one : cases)
    if (one->is_benchmark() && !one->is_traced() && !seen.contains(one->id))
      if (Status kept = end_all({one}, Outcome::failed, {CauseCode::no_benchmark}); !kept) return kept;
  return all && !cases.front()->is_traced() ? compare_with_others(program.name, seen) : Status();
}

// Each start has to name the same benchmarks: else fewer processes would pass for all.
Status ProgramSession::compare_with_others(const std::string& program, const std::set<std::string>& seen) {
  SeenBenchmarks& before = experience_.benchmarks[program];
  const auto lacks = [&](const std::string& id, int process) {
    ProcessResult result;
    result.case_id = id;
    result.process = process;
    result.outcome = Outcome::failed;
    result.reason = Cause{CauseCode::no_benchmark};
    return keep(std::move(result));
  };
  for (const std::string& id : before.cases)
    if (!seen.contains(id))
      if (Status kept = lacks(id, task_.process); !kept) return kept;
  for (const std::string& id : seen)
    if (!before.cases.contains(id))
      for (const int process : before.processes)
        if (Status kept = lacks(id, process); !kept) return kept;
  before.processes.insert(task_.process);
  before.cases.insert(seen.begin(), seen.end());
  return {};
}

Status ProgramSession::end_all(const std::vector<const PlannedCase*>& cases, Outcome outcome,
                               const Cause& cause) {
  for (const PlannedCase* one : cases) {
    ProcessResult result;
    result.case_id = one->id;
    result.process = task_.process;
    result.outcome = outcome;
    result.reason = cause;
    experience_.learn(result);
    if (Status kept = keep(std::move(result)); !kept) return kept;
  }
  return {};
}

Status ProgramSession::keep(ProcessResult result) {
  result.device_uuid = task_.device_uuid;
  return context_.journal.add({std::move(result)}, nullptr, true);
}

}  // namespace harness
