// Cause: why a case was not measured. The plan and the record hold causes; report/words/cause_words.h puts
// them into words.
// Figures: text from outside (`why`, `what`, `problem`, `advice`, `printed`) is safe to show (base/text.h).
#pragma once

#include <string>
#include <utility>

#include "harness/model/fact.h"
#include "harness/schema/enum_names.h"

namespace harness {

enum class CauseCode {
  told,  // text: a sentence that somebody else wrote

  // Found by the plan.
  not_measured,    // the case's turn has not come yet
  only_one_build,  // of an A/B run in one process has the case
  left_out,        // device: the user chose only this one; or budget: of a campaign, in seconds; or neither:
                   // by a filter, a tag or --set
  no_device,       // device; why: what its library says, or no figure
  no_cuda_module,  // the build was configured without a CUDA toolkit
  no_driver,       // NVIDIA's is not installed
  architecture,    // needs, has: compute capabilities, "90a" and "80;90a"
  not_built,       // why: what the author of the variant says, or no figure
  unsupported,     // why: what the workload or the variant says about this point, or no figure
  other_device,    // variant, needs, device: kinds of devices
  too_few_gpus,    // needs, has; device: what the user chose, or no figure
  not_tuned,       // class, suite: of the machine; `harness tune` has pinned nothing for the case
  tuned_to_other,  // class, suite, values: that are pinned, and that the suite's `tune` no longer has

  // Found by the worker, about one case in one process. `step` is a CaseStep; `placement` counts from 1.
  no_workload,           // workload: the worker does not know it
  no_variant,            // workload, variant: the worker does not know it
  other_tensors,         // the baseline's tensors are not those of the current build
  no_kernel,             // the variant made none
  threw,                 // what, or no figure where it was no std::exception; step, placement
  device_error,          // problem, advice, step, placement
  other_build_failed,    // build: it lost the device that both use; the figures of its device_error
  cannot_be_timed,       // problem, advice: as the suite asks for
  too_short,             // for the clock
  queues_nothing,        // call, nothing, empty_kernel: seconds; run() queues nothing on its stream
  slower_when_audited,   // unseen, usual, sample: seconds of calls on inputs never seen, on the usual ones
                         // written again, and of samples; placement
  faster_than_possible,  // call, least: seconds; bound: "memory" or "compute"; work, rate: of that bound
  clock_differs,         // timed, passed: seconds by the device's timer and by the system's clock
  environment_changed,   // variable
  left_behind,  // what: "thread", "timer", "handler", "protection", "code", "rounding" or "memory" that it
                // left otherwise than it was; name: of it
  // Wrong results. `output`, `at`: where; after_timing: 1 where the first call was right; audited: 1 where
  // a call between samples was verified, on other inputs, in `placement`.
  not_written,    // elements, of, at: the first
  not_finite,     // got: "nan" or "inf", as text; expected, at
  wrong_values,   // error, tolerance, elements, got, expected, at: the worst; unwritten: 1 where it holds
                  // poison
  wrong_element,  // got, expected, at; error, tolerance, elements, allowance
  written_late,   // an output changed after the call had ended; audited, placement
  input_changed,  // input, at: a sample left another value there than was written; audited, placement

  // Found by the run, about a worker process. `status` or `signal`: how it ended; `printed`: its last lines,
  // if any.
  crashed,                 // in the case
  timed_out,               // limit, printed
  worker_ended,            // before it was ready
  worker_silent,           // limit, printed
  worker_unintelligible,   // problem
  worker_forged,           // a message was not signed by the harness
  worker_out_of_protocol,  // message: the type of the one that should not have come
  no_worker_lasted,        // two in a row ended before they measured anything
  device_refused,          // problem: the device's, as the worker tells it
  not_tried_again,         // process, outcome: of the case in an earlier process

  // Found by the run, about a program. `status` or `signal`, and `printed`, as above.
  program_not_started,  // problem
  program_ended,        // the command failed; preparing: 1 where it was `prepare`
  program_output,       // problem: what it wrote cannot be read
  no_benchmark,         // its output lacks this benchmark

  // Told by the file of another tool, about one benchmark in it.
  tool_failed,      // why: the tool's words, or no figure
  tool_skipped,     // likewise
  runs_failed,      // runs, of, status: of the first
  time_unusable,    // member, value: as text, such as "0" or "NaN"; advice
  processes_named,  // name, one, other: the same id stands for other parameters in an earlier process

  // Found by the run, in the trace of a program.
  trace_refused,           // holder: the tool that holds CUPTI
  trace_failed,            // problem
  trace_lost_records,      // records, process: its id
  trace_without_times,     // records, process
  trace_unfinished,        // process: it ended without writing its last records
  trace_without_launches,  // no process used a GPU
  trace_without_range,     // range: no NVTX range has this name

  // Found by a look: why it is not known what a call does, so that nothing is proven.
  launches_unseen,    // problem: why the profiler cannot look
  code_unknown,       // kernel: several machine codes have its name, or it was loaded before the look
  arguments_unread,   // kernel: nothing tells where its arguments lie
  host_memory_used,   // kernel: it can read memory of the host, whose content is not known
  call_not_followed,  // call: of the driver; the harness does not know what it queues or changes
  older_memory_used,  // kernel: it works on memory that was allocated before its case began
  calls_differ,       // one call launches other work than the next
  processes_differ,   // one process launches other work than the next
  several_gpus,       // what GPUs beside the first do is not read
  graph_launched,     // kernel: a graph launches it, and what the graph does is not known
  inputs_unhashed,    // why: not all bytes that come from the host were hashed
  inputs_uncalled,    // bytes: of copies from the host of which nobody saw the call
  inputs_shared,      // bytes: of memory that host and GPU share, so that contents change without a call
  launches_differ,    // seen, executed: launches that the host asked for, and that the device carried out
  files_unseen,       // problem: why no start of the program can be observed
  files_unknown,      // gap: a FileGap; name: of a path or a call, or no figure
  code_unread,        // problem: the file that holds a CPU kernel's machine code cannot be read
  no_code,            // a CPU variant names no machine code, as those in Python
};

template <>
inline constexpr auto enum_names<CauseCode> =
    names<CauseCode>({{CauseCode::told, "told"},
                      {CauseCode::not_measured, "not_measured"},
                      {CauseCode::only_one_build, "only_one_build"},
                      {CauseCode::left_out, "left_out"},
                      {CauseCode::no_device, "no_device"},
                      {CauseCode::no_cuda_module, "no_cuda_module"},
                      {CauseCode::no_driver, "no_driver"},
                      {CauseCode::architecture, "architecture"},
                      {CauseCode::not_built, "not_built"},
                      {CauseCode::unsupported, "unsupported"},
                      {CauseCode::other_device, "other_device"},
                      {CauseCode::too_few_gpus, "too_few_gpus"},
                      {CauseCode::not_tuned, "not_tuned"},
                      {CauseCode::tuned_to_other, "tuned_to_other"},
                      {CauseCode::no_workload, "no_workload"},
                      {CauseCode::no_variant, "no_variant"},
                      {CauseCode::other_tensors, "other_tensors"},
                      {CauseCode::no_kernel, "no_kernel"},
                      {CauseCode::threw, "threw"},
                      {CauseCode::device_error, "device_error"},
                      {CauseCode::other_build_failed, "other_build_failed"},
                      {CauseCode::cannot_be_timed, "cannot_be_timed"},
                      {CauseCode::too_short, "too_short"},
                      {CauseCode::queues_nothing, "queues_nothing"},
                      {CauseCode::slower_when_audited, "slower_when_audited"},
                      {CauseCode::faster_than_possible, "faster_than_possible"},
                      {CauseCode::clock_differs, "clock_differs"},
                      {CauseCode::environment_changed, "environment_changed"},
                      {CauseCode::left_behind, "left_behind"},
                      {CauseCode::not_written, "not_written"},
                      {CauseCode::not_finite, "not_finite"},
                      {CauseCode::wrong_values, "wrong_values"},
                      {CauseCode::wrong_element, "wrong_element"},
                      {CauseCode::written_late, "written_late"},
                      {CauseCode::input_changed, "input_changed"},
                      {CauseCode::crashed, "crashed"},
                      {CauseCode::timed_out, "timed_out"},
                      {CauseCode::worker_ended, "worker_ended"},
                      {CauseCode::worker_silent, "worker_silent"},
                      {CauseCode::worker_unintelligible, "worker_unintelligible"},
                      {CauseCode::worker_forged, "worker_forged"},
                      {CauseCode::worker_out_of_protocol, "worker_out_of_protocol"},
                      {CauseCode::no_worker_lasted, "no_worker_lasted"},
                      {CauseCode::device_refused, "device_refused"},
                      {CauseCode::not_tried_again, "not_tried_again"},
                      {CauseCode::program_not_started, "program_not_started"},
                      {CauseCode::program_ended, "program_ended"},
                      {CauseCode::program_output, "program_output"},
                      {CauseCode::no_benchmark, "no_benchmark"},
                      {CauseCode::tool_failed, "tool_failed"},
                      {CauseCode::tool_skipped, "tool_skipped"},
                      {CauseCode::runs_failed, "runs_failed"},
                      {CauseCode::time_unusable, "time_unusable"},
                      {CauseCode::processes_named, "processes_named"},
                      {CauseCode::trace_refused, "trace_refused"},
                      {CauseCode::trace_failed, "trace_failed"},
                      {CauseCode::trace_lost_records, "trace_lost_records"},
                      {CauseCode::trace_without_times, "trace_without_times"},
                      {CauseCode::trace_unfinished, "trace_unfinished"},
                      {CauseCode::trace_without_launches, "trace_without_launches"},
                      {CauseCode::trace_without_range, "trace_without_range"},
                      {CauseCode::launches_unseen, "launches_unseen"},
                      {CauseCode::code_unknown, "code_unknown"},
                      {CauseCode::arguments_unread, "arguments_unread"},
                      {CauseCode::host_memory_used, "host_memory_used"},
                      {CauseCode::call_not_followed, "call_not_followed"},
                      {CauseCode::older_memory_used, "older_memory_used"},
                      {CauseCode::calls_differ, "calls_differ"},
                      {CauseCode::processes_differ, "processes_differ"},
                      {CauseCode::several_gpus, "several_gpus"},
                      {CauseCode::graph_launched, "graph_launched"},
                      {CauseCode::inputs_unhashed, "inputs_unhashed"},
                      {CauseCode::inputs_uncalled, "inputs_uncalled"},
                      {CauseCode::inputs_shared, "inputs_shared"},
                      {CauseCode::launches_differ, "launches_differ"},
                      {CauseCode::files_unseen, "files_unseen"},
                      {CauseCode::files_unknown, "files_unknown"},
                      {CauseCode::code_unread, "code_unread"},
                      {CauseCode::no_code, "no_code"}});

using Cause = Fact<CauseCode>;

inline Cause told_cause(std::string text) {
  return {CauseCode::told, {{"text", std::move(text)}}};
}

// A cause with the words of an outside author, who may say nothing.
inline Cause cause_with_why(CauseCode code, std::string why) {
  return why.empty() ? Cause{code} : Cause{code, {{"why", std::move(why)}}};
}

}  // namespace harness
