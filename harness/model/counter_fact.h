// CounterFact: what became of the look-up of hardware counters, and why a counter has no value. Plans hold
// such facts; a note of a worker holds their code and figures. report/words/note_words.h puts them into
// words.
#pragma once

#include "harness/model/fact.h"
#include "harness/schema/enum_names.h"

namespace harness {

enum class CounterCode {
  looked_up,  // chip: it has all these counters

  // Why names were not looked up.
  not_asked,          // no profiler was asked
  unknown_chip,       // the GPU's chip is not known here
  no_module,          // this build has no CUDA module
  unloadable_module,  // problem: the loader's
  other_module,       // the CUDA module is of another build

  // Why there is no value.
  no_counters,      // the device has none
  no_profiler,      // the libcupti found has no Range Profiler
  unknown_counter,  // nearest: a name that the chip has, or no figure
  not_finite,       // the profiler's value is no number

  refused,  // problem: the profiler's, for either
};

template <>
inline constexpr auto enum_names<CounterCode> =
    names<CounterCode>({{CounterCode::looked_up, "looked_up"},
                        {CounterCode::not_asked, "not_asked"},
                        {CounterCode::unknown_chip, "unknown_chip"},
                        {CounterCode::no_module, "no_module"},
                        {CounterCode::unloadable_module, "unloadable_module"},
                        {CounterCode::other_module, "other_module"},
                        {CounterCode::no_counters, "no_counters"},
                        {CounterCode::no_profiler, "no_profiler"},
                        {CounterCode::unknown_counter, "unknown_counter"},
                        {CounterCode::not_finite, "not_finite"},
                        {CounterCode::refused, "refused"}});

using CounterFact = Fact<CounterCode>;

}  // namespace harness
