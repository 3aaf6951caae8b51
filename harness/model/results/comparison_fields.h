// The fields of comparison.h's structs, as JSON reports hold them (schema/fields.h).
#pragma once

#include "harness/model/results/comparison.h"
#include "harness/model/results/summary_fields.h"

namespace harness {

template <>
struct Described<Waiver> {
  static constexpr auto fields = list_fields<Waiver>(
      JsonLayout::lines, field("pattern", &Waiver::pattern).required(),
      field("metric", &Waiver::metric).null_when_default(), field("ceiling", &Waiver::ceiling).required(),
      field("expires", &Waiver::expires).required(), field("reason", &Waiver::reason).required(),
      field("issue", &Waiver::issue).null_when_default(), field("where", &Waiver::where).null_when_default());
};

template <>
struct Described<LearnedSpread> {
  static constexpr auto fields = list_fields<LearnedSpread>(
      JsonLayout::line, field("case", &LearnedSpread::case_id).required(),
      field("metric", &LearnedSpread::metric).required(),
      field("session_sd", &LearnedSpread::session_sd).required(),
      field("device_sd", &LearnedSpread::device_sd).required(), field("sessions", &LearnedSpread::sessions),
      field("devices", &LearnedSpread::devices));
};

// All but the waivers, which a comparison tells with what became of them.
template <>
struct Described<Policy> {
  static constexpr auto fields =
      list_fields<Policy>(JsonLayout::lines, field("margin", &Policy::margin).null_when_default(),
                          field("alpha", &Policy::alpha).null_when_default(),
                          field("allow_inconclusive", &Policy::allow_inconclusive),
                          field("allow_missing", &Policy::allow_missing),
                          field("allow_not_comparable", &Policy::allow_not_comparable),
                          field("allow_other_device", &Policy::allow_other_device),
                          field("session_sd", &Policy::session_sd), field("device_sd", &Policy::device_sd),
                          field("learned", &Policy::learned), field("min_processes", &Policy::min_processes),
                          field("min_shared_processes", &Policy::min_shared_processes),
                          field("fail_on_improved", &Policy::fail_on_improved),
                          field("waivers_file", &Policy::waivers_file).null_when_default(),
                          field("today", &Policy::today).null_when_default());
};

}  // namespace harness
