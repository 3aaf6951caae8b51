#include "harness/report/words/cause_words.h"

#include <fmt/format.h>

#include <optional>

#include "harness/base/process.h"
#include "harness/base/units.h"
#include "harness/model/case_step.h"
#include "harness/model/record.h"
#include "harness/report/words/observed/file_words.h"

namespace harness::report {
namespace {

std::string why_or(const Cause& cause, const std::string& otherwise) {
  const std::string why = cause.text("why");
  return why.empty() ? otherwise : why;
}

// "; advice", where there is any.
std::string advice_of(const Cause& cause) {
  const std::string advice = cause.text("advice");
  return advice.empty() ? "" : "; " + advice;
}

std::string step_words(const Cause& cause) {
  const std::optional<CaseStep> step = parse_name<CaseStep>(cause.text("step"));
  if (!step) return "an unknown step";
  switch (*step) {
    case CaseStep::look_up: return "looking it up";
    case CaseStep::describe: return "describing the problem";
    case CaseStep::construct: return "constructing the kernel";
    case CaseStep::fill_inputs: return "filling the inputs and computing the reference";
    case CaseStep::allocate: return "allocating and binding buffers";
    case CaseStep::first_call: return "making the first call";
    case CaseStep::first_check: return "checking the first result";
    case CaseStep::find_streams: return "finding out which streams it uses";
    case CaseStep::choose_timing: return "choosing how to time it";
    case CaseStep::change_placement: return "changing the placement";
    case CaseStep::preheat: return "preheating again";
    case CaseStep::warm_up: return fmt::format("warming up in placement {}", cause.count("placement"));
    case CaseStep::record_batches:
      return fmt::format("recording batches in placement {}", cause.count("placement"));
    case CaseStep::sample: return fmt::format("sampling in placement {}", cause.count("placement"));
    case CaseStep::audit: return fmt::format("verifying calls in placement {}", cause.count("placement"));
    case CaseStep::last_check: return "checking the result after timing";
    case CaseStep::report_metrics: return "reporting its metrics";
    case CaseStep::measure_energy: return "measuring its energy";
    case CaseStep::look_at_kernels: return "looking at its kernels";
    case CaseStep::measure_control: return "measuring an empty call";
  }
  return "?";
}

std::string on_exception(const Cause& cause) {
  const std::string what = cause.text("what");
  return fmt::format("threw {} while {}",
                     what.empty() ? "something that is not a std::exception" : "`" + what + "`",
                     step_words(cause));
}

std::string on_device_error(const Cause& cause) {
  return fmt::format("{}, while {}{}", cause.text("problem"), step_words(cause), advice_of(cause));
}

std::string on_empty_call(const Cause& cause) {
  const auto us = [&](std::string_view figure) { return cause.number(figure) * 1e6; };
  return fmt::format(
      "a call takes {:.2f} us, as long as no call at all ({:.2f} us; an empty kernel {:.2f} us): run() "
      "queues "
      "nothing on the stream that it is given; queue all work there, none on a stream of its own",
      us("call"), us("nothing"), us("empty_kernel"));
}

std::string on_values(const Cause& cause) {
  return fmt::format(
      "is wrong: relative error {:.3g} exceeds {:g} over {} elements; worst at {}: got {:.6g}, expected "
      "{:.6g}{}",
      cause.number("error"), cause.number("tolerance"), cause.count("elements"), cause.text("at"),
      cause.number("got"), cause.number("expected"),
      cause.count("unwritten") == 0 ? "" : " (the value put there before the call: it was never written)");
}

std::string on_element(const Cause& cause) {
  return fmt::format(
      "is wrong at {}: got {:.6g}, expected {:.6g} (the relative error over {} elements, {:.3g}, is within "
      "{:g}, but no element may be off by {:g} times that)",
      cause.text("at"), cause.number("got"), cause.number("expected"), cause.count("elements"),
      cause.number("error"), cause.number("tolerance"), cause.number("allowance"));
}

// Tells how an output is wrong.
std::string on_output(const Cause& cause) {
  std::string what;
  if (cause.code == CauseCode::not_written)
    what = fmt::format("was not written in {} of {} elements, the first at {}", cause.count("elements"),
                       cause.count("of"), cause.text("at"));
  else if (cause.code == CauseCode::not_finite)
    what = fmt::format("is not finite at {}: got {}, expected {:.6g}", cause.text("at"), cause.text("got"),
                       cause.number("expected"));
  else
    what = cause.code == CauseCode::wrong_values ? on_values(cause) : on_element(cause);
  const char* when = "";
  if (cause.count("after_timing") != 0)
    when = "; the first call was right, so the variant changes its inputs or keeps state between calls";
  if (cause.count("audited") != 0)
    when =
        "; the inputs of this sample were written anew right before it: the variant keeps results, or does "
        "not "
        "do its work in each call";
  return fmt::format("output `{}` {}{}", cause.text("output"), what, when);
}

std::string on_slow_audit(const Cause& cause) {
  const auto us = [&](std::string_view figure) { return cause.number(figure) * 1e6; };
  return fmt::format(
      "does its work only in some samples: one on inputs that it had never seen took {:.3g} us, one on the "
      "usual inputs, written again, {:.3g} us, and others {:.3g} us",
      us("unseen"), us("usual"), us("sample"));
}

std::string on_left_behind(const Cause& cause) {
  const std::string what = cause.text("what"), name = cause.text("name");
  if (what == "thread") return fmt::format("left thread {} working after its calls had ended", name);
  if (what == "timer") return fmt::format("left a timer running: {}", name);
  if (what == "handler") return fmt::format("left another handler of {} than it found", name);
  if (what == "protection")
    return fmt::format("changed the protection of memory that is not its own: {}", name);
  if (what == "rounding") return "left another rounding of floating-point numbers than it found";
  if (what == "code") return fmt::format("changed machine code of the process: {}", name);
  return fmt::format("left memory that later processes can read: {}", name);
}

std::string on_floor(const Cause& cause) {
  const bool memory = cause.text("bound") == "memory";
  return fmt::format(
      "a call takes {:.3g} us, less than the {:.3g} us in which this device can {} {} at {}; it does not do "
      "its work, or the workload declares too much",
      cause.number("call") * 1e6, cause.number("least") * 1e6, memory ? "read and write" : "do",
      format_si(cause.number("work"), memory ? "B" : "FLOP"),
      format_si(cause.number("rate"), memory ? "B/s" : "FLOP/s"));
}

// How a worker ended, and what it printed last.
std::string ending_of(const Cause& cause) {
  const Exit exit{static_cast<int>(cause.count("status")), static_cast<int>(cause.count("signal"))};
  return exit.text();
}

std::string printed_of(const Cause& cause) {
  const std::string printed = cause.text("printed");
  return printed.empty() ? "" : "; it printed last: " + printed;
}

std::string on_failed_runs(const Cause& cause) {
  constexpr int by_signal = -1;
  const std::string first = cause.count("status") == by_signal
                                ? "was ended by a signal"
                                : fmt::format("with status {}", cause.count("status"));
  return fmt::format("{} of {} runs failed, the first {}; a run that failed is no sample{}",
                     cause.count("runs"), cause.count("of"), first, advice_of(cause));
}

std::string on_earlier_process(const Cause& cause) {
  const std::string outcome = cause.text("outcome");
  return fmt::format("not tried again after process {}: {}", cause.count("process"),
                     outcome == name_of(Outcome::timed_out) ? "timed out" : outcome);
}

}  // namespace

std::string words(const Cause& cause) {
  switch (cause.code) {
    case CauseCode::told: return cause.text("text");
    case CauseCode::not_measured: return "not measured yet";
    case CauseCode::only_one_build: return "not measured: only one of the two builds has it";
    case CauseCode::left_out:
      if (cause.number("budget") > 0)
        return fmt::format("left out by --budget {}", format_seconds(cause.number("budget")));
      return cause.text("device").empty() ? "left out by a filter, a tag or --set"
                                          : fmt::format("left out by --device {}", cause.text("device"));
    case CauseCode::no_device: return why_or(cause, fmt::format("no {} device here", cause.text("device")));
    case CauseCode::no_cuda_module:
      return "this build has no CUDA module (configured without a CUDA toolkit)";
    case CauseCode::no_driver: return "no NVIDIA driver on this machine (libcuda.so.1 not found)";
    case CauseCode::architecture:
      return fmt::format("needs compute capability {}; this build has {}", cause.text("needs"),
                         cause.text("has"));
    case CauseCode::not_built: return why_or(cause, "this build cannot run the variant");
    case CauseCode::unsupported: return why_or(cause, "the workload does not support these parameters");
    case CauseCode::other_device:
      return fmt::format("variant `{}` runs on {}, and this device is {}", cause.text("variant"),
                         cause.text("needs"), cause.text("device"));
    case CauseCode::too_few_gpus:
      return fmt::format(
          "{} GPUs are needed; {} {}", cause.count("needs"),
          cause.text("device").empty() ? "this machine has" : "--device " + cause.text("device") + " names",
          cause.count("has"));
    case CauseCode::not_tuned:
      return fmt::format("not tuned for {}: run `harness tune {}`", cause.text("class"), cause.text("suite"));
    case CauseCode::tuned_to_other:
      return fmt::format("tuned to {} for {}, which the suite no longer tries: run `harness tune {}`",
                         cause.text("values"), cause.text("class"), cause.text("suite"));
    case CauseCode::no_workload:
      return fmt::format("this worker knows no workload `{}`", cause.text("workload"));
    case CauseCode::no_variant:
      return fmt::format("this worker knows no variant `{}` of `{}`", cause.text("variant"),
                         cause.text("workload"));
    case CauseCode::other_tensors: return "its tensors are not those of the current build's case";
    case CauseCode::no_kernel: return "the variant made no kernel";
    case CauseCode::threw: return on_exception(cause);
    case CauseCode::device_error: return on_device_error(cause);
    case CauseCode::other_build_failed:
      return fmt::format("the {} build, in the same process, lost the device: {}", cause.text("build"),
                         on_device_error(cause));
    case CauseCode::cannot_be_timed: return cause.text("problem") + advice_of(cause);
    case CauseCode::too_short: return "one call is shorter than the clock can tell; make the case larger";
    case CauseCode::queues_nothing: return on_empty_call(cause);
    case CauseCode::slower_when_audited: return on_slow_audit(cause);
    case CauseCode::faster_than_possible: return on_floor(cause);
    case CauseCode::clock_differs:
      return fmt::format(
          "a call was timed as {:.3g} us, but {:.3g} us passed: work is left outside of what is timed, or a "
          "clock was changed",
          cause.number("timed") * 1e6, cause.number("passed") * 1e6);
    case CauseCode::environment_changed:
      return fmt::format("its code changed the environment variable {}", cause.text("variable"));
    case CauseCode::left_behind: return on_left_behind(cause);
    case CauseCode::written_late:
      return "its outputs changed after the call had ended: work is left outside of what is timed";
    case CauseCode::input_changed:
      return fmt::format(
          "changed its input `{}` at {}; a tensor that a variant may change is declared `in_place`",
          cause.text("input"), cause.text("at"));
    case CauseCode::not_written:
    case CauseCode::not_finite:
    case CauseCode::wrong_values:
    case CauseCode::wrong_element: return on_output(cause);
    case CauseCode::crashed: return "crashed: " + ending_of(cause) + printed_of(cause);
    case CauseCode::timed_out:
      return fmt::format("did not end within {:g} s; raise `timeout`, or take fewer samples{}",
                         cause.number("limit"), printed_of(cause));
    case CauseCode::worker_ended:
      return "the worker ended before it was ready: " + ending_of(cause) + printed_of(cause);
    case CauseCode::worker_silent:
      return fmt::format("the worker said nothing for {:g} s{}", cause.number("limit"), printed_of(cause));
    case CauseCode::worker_unintelligible:
      return "the worker's message cannot be understood: " + cause.text("problem");
    case CauseCode::worker_forged:
      return "a message came that the harness did not send: code of the case wrote to its pipe";
    case CauseCode::worker_out_of_protocol:
      return fmt::format("the worker sent a `{}` message that should not have come", cause.text("message"));
    case CauseCode::no_worker_lasted: return "two workers in a row ended before they measured anything";
    case CauseCode::device_refused: return cause.text("problem");
    case CauseCode::not_tried_again: return on_earlier_process(cause);
    case CauseCode::program_not_started:
      return cause.text("problem") + "; check the command, and the folder that it starts in";
    case CauseCode::program_ended:
      return (cause.count("preparing") == 0 ? "the program failed: " : "`prepare` failed: ") +
             ending_of(cause) + printed_of(cause);
    case CauseCode::program_output: return "what it wrote cannot be read: " + cause.text("problem");
    case CauseCode::no_benchmark: return "the program's output no longer has this benchmark";
    case CauseCode::tool_failed: return "the tool reports an error: " + why_or(cause, "without a reason");
    case CauseCode::tool_skipped: return "the tool skipped it: " + why_or(cause, "without a reason");
    case CauseCode::runs_failed: return on_failed_runs(cause);
    case CauseCode::time_unusable:
      return fmt::format("`{}` is {}, which is no time{}", cause.text("member"), cause.text("value"),
                         advice_of(cause));
    case CauseCode::processes_named:
      return fmt::format("`{}` is {} in this process, and {} in an earlier one", cause.text("name"),
                         cause.text("other"), cause.text("one"));
    case CauseCode::trace_refused:
      return fmt::format("cannot be traced: {} holds CUPTI, which serves one tool at a time; run without it",
                         cause.text("holder"));
    case CauseCode::trace_failed: return "cannot be traced: " + cause.text("problem");
    case CauseCode::trace_lost_records:
      return fmt::format("the trace is void: {} records of process {} were lost", cause.count("records"),
                         cause.count("process"));
    case CauseCode::trace_without_times:
      return fmt::format("the trace is void: {} records of process {} have impossible times",
                         cause.count("records"), cause.count("process"));
    case CauseCode::trace_unfinished:
      return fmt::format(
          "the trace is void: process {} ended without its last records, by a signal or by _exit()",
          cause.count("process"));
    case CauseCode::trace_without_launches: return "no kernel was launched under the trace";
    case CauseCode::trace_without_range:
      return fmt::format("no NVTX range is called `{}`; `harness trace` shows the steps that it finds",
                         cause.text("range"));
    case CauseCode::launches_unseen: return "its launches cannot be read: " + cause.text("problem");
    case CauseCode::code_unknown:
      return fmt::format("the machine code of `{}` is not known for certain", cause.text("kernel"));
    case CauseCode::arguments_unread:
      return fmt::format("the arguments of `{}` cannot be read", cause.text("kernel"));
    case CauseCode::host_memory_used:
      return fmt::format("`{}` can read memory of the host, whose content is not known",
                         cause.text("kernel"));
    case CauseCode::call_not_followed:
      return fmt::format("it calls {}, whose effect is not followed", cause.text("call"));
    case CauseCode::older_memory_used:
      return fmt::format("`{}` works on memory that is older than the case", cause.text("kernel"));
    case CauseCode::several_gpus: return "what the GPUs beside the first do is not read";
    case CauseCode::graph_launched:
      return fmt::format("a graph launches `{}`, and what the graph does is not known", cause.text("kernel"));
    case CauseCode::inputs_unhashed:
      return fmt::format("not all that it copies from the host was compared: {}", cause.text("why"));
    case CauseCode::inputs_uncalled:
      return fmt::format("{} came from the host by calls that are not followed, as in graphs",
                         format_si(static_cast<double>(cause.count("bytes")), "B"));
    case CauseCode::inputs_shared:
      return fmt::format("it shares {} of memory between host and GPU, whose contents change without a call",
                         format_si(static_cast<double>(cause.count("bytes")), "B"));
    case CauseCode::calls_differ: return "one call launches other work than the next";
    case CauseCode::processes_differ: return "one process launches other work than the next";
    case CauseCode::launches_differ:
      return fmt::format("the host asked for {} launches, and the device carried out {}", cause.count("seen"),
                         cause.count("executed"));
    case CauseCode::no_code: return "it has no machine code of its own to compare, as a function in Python";
    case CauseCode::files_unseen: return "none of its starts can be observed: " + cause.text("problem");
    case CauseCode::files_unknown: return file_gap_words(cause);
    case CauseCode::code_unread: return "its machine code cannot be read: " + cause.text("problem");
  }
  return "?";
}

}  // namespace harness::report
