// Note: something that a reader of a result should know. It explains figures and decides nothing. Workers and
// summaries hold notes; report/words/note_words.h puts them into words.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "harness/model/fact.h"
#include "harness/schema/enum_names.h"

namespace harness {

enum class NoteCode {
  told,  // text: a sentence of a workload

  // Found by the worker, about one case in one process. In a summary, `other_processes` says how many have
  // the same note with other figures.
  forced_gates,            // samples, of, deadline: the launch gate opened on its deadline
  ungated_by_tool,         // tool, variable: nothing in this process can be gated under it
  ungated_by_debugger,     // likewise
  ungated_by_blocking,     // likewise: CUDA_LAUNCH_BLOCKING
  ungated_by_waiting,      // run() waits for the device, so it cannot be gated
  plain_streams,           // run() could not be captured: placements share streams
  out_of_time,             // max_time, samples, of
  wide_intervals,          // placements, of, width, samples, widest: not as narrow as asked for
  samples_retaken,         // samples: longer batches took no longer
  sets_fit_in_cache,       // sets, cache: the calls are not cold
  not_recorded,            // problem: so a short call is timed by events, not in batches
  bent_batches,            // calls, off_line: batches lie off a straight line
  cramped_placements,      // placements, of: no room for old and new buffers and padding at once
  clock_unsteady,          // tolerance, after: the device's clock after preheating
  metric_untold,           // metric: this device does not tell it
  metric_without_clock,    // metric: this device does not tell its clock
  metric_of_two_builds,    // metric: builds in one process cannot be told apart
  metric_of_single_calls,  // metric: a batch launches all its calls at once
  metric_without_counter,  // metric: the device has no counter of energy, or does not let it be read
  metric_beside_others,    // metric, processes: others that used the device meanwhile
  metric_beside_unknown,   // metric: whether others used the device is not known
  metric_of_long_calls,    // metric, seconds: of a call, most: that its window allows
  metric_of_one_gpu,       // metric, gpus: the case uses several
  energy_stands,           // metric, seconds, needs: the counter made fewer steps in this time
  energy_went_back,        // metric: the counter did
  energy_unseen,           // metric, seconds, of: the counter's steps lie within a part of the time
  energy_bent,             // metric, first, second: J of a call in both halves of the window
  idle_power_unknown,      // metric, idle: share of the window in pauses; seconds: that the device idled
  energy_unflushed,        // samples are of a cold cache, and the window's calls are not
  // calls, seconds: of a window. steps, interval, reading: of its counter; open: share of the energy that
  // these leave open. watts; idle_watts, where known; idle: share of the window in pauses
  energy_window,
  power_and_cap,      // watts, cap: W; boost, sustained: seconds of a call, where these compare
  metric_unreported,  // metric: neither the workload nor the variant reported it
  kernels_unseen,     // problem: the profiler's
  trace_overhead,     // traced, untraced: seconds that the program took with and without the trace
  // source: a StepSource; steps, launches: a step, settling, outside, processes: that have them;
  // helpers: processes without any, helper_launches
  steps_found,
  known_look,        // record: of the same build, so that nothing was run; unread: 1 without its launches
  counters_missing,  // counters; why: a CounterCode, with its figures
};

template <>
inline constexpr auto enum_names<NoteCode> =
    names<NoteCode>({{NoteCode::told, "told"},
                     {NoteCode::forced_gates, "forced_gates"},
                     {NoteCode::ungated_by_tool, "ungated_by_tool"},
                     {NoteCode::ungated_by_debugger, "ungated_by_debugger"},
                     {NoteCode::ungated_by_blocking, "ungated_by_blocking"},
                     {NoteCode::ungated_by_waiting, "ungated_by_waiting"},
                     {NoteCode::plain_streams, "plain_streams"},
                     {NoteCode::out_of_time, "out_of_time"},
                     {NoteCode::wide_intervals, "wide_intervals"},
                     {NoteCode::samples_retaken, "samples_retaken"},
                     {NoteCode::sets_fit_in_cache, "sets_fit_in_cache"},
                     {NoteCode::not_recorded, "not_recorded"},
                     {NoteCode::bent_batches, "bent_batches"},
                     {NoteCode::cramped_placements, "cramped_placements"},
                     {NoteCode::clock_unsteady, "clock_unsteady"},
                     {NoteCode::metric_untold, "metric_untold"},
                     {NoteCode::metric_without_clock, "metric_without_clock"},
                     {NoteCode::metric_of_two_builds, "metric_of_two_builds"},
                     {NoteCode::metric_of_single_calls, "metric_of_single_calls"},
                     {NoteCode::metric_without_counter, "metric_without_counter"},
                     {NoteCode::metric_beside_others, "metric_beside_others"},
                     {NoteCode::metric_beside_unknown, "metric_beside_unknown"},
                     {NoteCode::metric_of_long_calls, "metric_of_long_calls"},
                     {NoteCode::metric_of_one_gpu, "metric_of_one_gpu"},
                     {NoteCode::energy_stands, "energy_stands"},
                     {NoteCode::energy_went_back, "energy_went_back"},
                     {NoteCode::energy_unseen, "energy_unseen"},
                     {NoteCode::energy_bent, "energy_bent"},
                     {NoteCode::idle_power_unknown, "idle_power_unknown"},
                     {NoteCode::energy_unflushed, "energy_unflushed"},
                     {NoteCode::energy_window, "energy_window"},
                     {NoteCode::power_and_cap, "power_and_cap"},
                     {NoteCode::metric_unreported, "metric_unreported"},
                     {NoteCode::kernels_unseen, "kernels_unseen"},
                     {NoteCode::trace_overhead, "trace_overhead"},
                     {NoteCode::steps_found, "steps_found"},
                     {NoteCode::known_look, "known_look"},
                     {NoteCode::counters_missing, "counters_missing"}});

using Note = Fact<NoteCode>;
using Notes = std::vector<Note>;

inline Note told_note(std::string text) {
  return {NoteCode::told, {{"text", std::move(text)}}};
}

}  // namespace harness
