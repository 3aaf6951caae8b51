// The steps of measuring one case in one process, for causes that say when something went wrong.
#pragma once

#include "harness/schema/enum_names.h"

namespace harness {

enum class CaseStep {
  look_up,      // the workload and its variant
  describe,     // the problem
  construct,    // the kernel
  fill_inputs,  // and compute the reference
  allocate,     // and bind buffers
  first_call,
  first_check,    // of the first call's result
  find_streams,   // on which run() queues its work
  choose_timing,  // single calls or batches
  change_placement,
  preheat,          // again, before a placement
  warm_up,          // in a placement
  record_batches,   // likewise
  sample,           // likewise
  audit,            // likewise: a call between samples is verified
  measure_energy,   // and the sustained time
  last_check,       // of a result after timing
  report_metrics,   // by the workload and the variant
  look_at_kernels,  // with a profiler
  measure_control,  // what the instrument reads of nothing
};

template <>
inline constexpr auto enum_names<CaseStep> =
    names<CaseStep>({{CaseStep::look_up, "look_up"},
                     {CaseStep::describe, "describe"},
                     {CaseStep::construct, "construct"},
                     {CaseStep::fill_inputs, "fill_inputs"},
                     {CaseStep::allocate, "allocate"},
                     {CaseStep::first_call, "first_call"},
                     {CaseStep::first_check, "first_check"},
                     {CaseStep::find_streams, "find_streams"},
                     {CaseStep::choose_timing, "choose_timing"},
                     {CaseStep::change_placement, "change_placement"},
                     {CaseStep::preheat, "preheat"},
                     {CaseStep::warm_up, "warm_up"},
                     {CaseStep::record_batches, "record_batches"},
                     {CaseStep::sample, "sample"},
                     {CaseStep::audit, "audit"},
                     {CaseStep::measure_energy, "measure_energy"},
                     {CaseStep::last_check, "last_check"},
                     {CaseStep::report_metrics, "report_metrics"},
                     {CaseStep::look_at_kernels, "look_at_kernels"},
                     {CaseStep::measure_control, "measure_control"}});

}  // namespace harness
