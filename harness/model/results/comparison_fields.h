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
      field("issue", &Waiver::issue).null_when_default(), field("where", &Waiver::where).null_when_default(),
      field("undecided", &Waiver::undecided).unless_default(),
      field("proposed", &Waiver::proposed).unless_default());
};

template <>
struct Described<LearnedSpread> {
  static constexpr auto fields = list_fields<LearnedSpread>(
      JsonLayout::line, field("case", &LearnedSpread::case_id).required(),
      field("metric", &LearnedSpread::metric).required(),
      field("session_sd", &LearnedSpread::session_sd).required(),
      field("device_sd", &LearnedSpread::device_sd).required(), field("sessions", &LearnedSpread::sessions),
      field("devices", &LearnedSpread::devices),
      field("process_sd", &LearnedSpread::process_sd).unless_default(),
      field("process_degrees_of_freedom", &LearnedSpread::process_freedom).unless_default(),
      field("from", &LearnedSpread::from));
};

// All but the waivers, which a comparison tells with what became of them.
template <>
struct Described<Policy> {
  static constexpr auto fields = list_fields<Policy>(
      JsonLayout::lines, field("margin", &Policy::margin).null_when_default(),
      field("alpha", &Policy::alpha).null_when_default(),
      field("allow_inconclusive", &Policy::allow_inconclusive),
      field("allow_missing", &Policy::allow_missing),
      field("allow_not_comparable", &Policy::allow_not_comparable),
      field("allow_other_device", &Policy::allow_other_device), field("session_sd", &Policy::session_sd),
      field("device_sd", &Policy::device_sd), field("learned", &Policy::learned),
      field("min_processes", &Policy::min_processes),
      field("min_shared_processes", &Policy::min_shared_processes),
      field("fail_on_improved", &Policy::fail_on_improved),
      field("waivers_file", &Policy::waivers_file).null_when_default(),
      field("today", &Policy::today).null_when_default(), field("allow_skipped", &Policy::allow_skipped),
      field("accept_proposed", &Policy::accept_proposed),
      field("allow_left_out", &Policy::allow_left_out).unless_default(),
      field("waiver_trust", &Policy::waiver_trust),
      field("waivers_commit", &Policy::waivers_commit).null_when_default(),
      field("waivers_uncommitted", &Policy::waivers_uncommitted).unless_default());
};

template <>
struct Described<Side> {
  static constexpr bool measured(const Side& side) { return side.processes > 0; }

  static constexpr auto fields =
      list_fields<Side>(JsonLayout::line, field("processes", &Side::processes),
                        field("center", &Side::center).null_when_default().when(measured),
                        field("process_sd", &Side::process_sd).null_when_default().when([](const Side& side) {
                          return side.processes > 1;
                        }),
                        field("outlier_rate", &Side::outlier_rate).null_when_default().when(measured),
                        field("process_values", &Side::process_values));
};

template <>
struct Described<LookState> {
  static constexpr auto fields = list_fields<LookState>(JsonLayout::line, field("number", &LookState::number),
                                                        field("declared", &LookState::declared),
                                                        field("next", &LookState::next).null_when_default());
};

template <>
struct Described<LoosenedGate> {
  static constexpr auto fields = list_fields<LoosenedGate>(
      JsonLayout::line, field("margin", &LoosenedGate::margin), field("alpha", &LoosenedGate::alpha),
      field("informative", &LoosenedGate::informative), field("regressed", &LoosenedGate::regressed),
      field("unit", &LoosenedGate::unit).unless_default());
};

template <>
struct Described<ProposedGate> {
  static constexpr auto fields = list_fields<ProposedGate>(
      JsonLayout::line, field("margin", &ProposedGate::margin), field("alpha", &ProposedGate::alpha),
      field("throttled", &ProposedGate::throttled), field("informative", &ProposedGate::informative),
      field("unit", &ProposedGate::unit).unless_default());
};

template <>
struct Described<Difference> {
  static constexpr auto fields =
      list_fields<Difference>(JsonLayout::line, field("name", &Difference::name),
                              field("baseline", &Difference::baseline).null_when_default(),
                              field("current", &Difference::current).null_when_default());
};

template <>
struct Described<MachineDifference> {
  static constexpr auto fields = list_fields<MachineDifference>(
      JsonLayout::line, field("device", &MachineDifference::device).null_when_default(),
      field("field", &MachineDifference::field));
};

template <>
struct Described<KernelChange> {
  static constexpr auto fields = list_fields<KernelChange>(
      JsonLayout::lines, field("change", &KernelChange::kind), field("share", &KernelChange::share),
      field("baseline", &KernelChange::baseline).null_when_default(),
      field("current", &KernelChange::current).null_when_default());
};

template <>
struct Described<ProofGap> {
  static constexpr auto fields = list_fields<ProofGap>(JsonLayout::line, field("why", &ProofGap::why),
                                                       field("cause", &ProofGap::cause).null_when_default(),
                                                       field("differences", &ProofGap::differences));
};

template <>
struct Described<Estimate> {
  static constexpr auto fields = list_fields<Estimate>(
      JsonLayout::line, field("ratio", &Estimate::ratio).null_when_default(),
      field("interval", &Estimate::interval).null_when_default(),
      field("p", &Estimate::p).null_when_default(), field("processes", &Estimate::processes));
};

template <>
struct Described<Confirmation> {
  static constexpr auto fields =
      list_fields<Confirmation>(JsonLayout::lines, field("confirmed", &Confirmation::confirmed),
                                field("first", &Confirmation::first), field("fresh", &Confirmation::fresh),
                                field("pooled", &Confirmation::pooled), field("alpha", &Confirmation::alpha));
};

template <>
struct Described<OverPlaces> {
  static constexpr auto fields = list_fields<OverPlaces>(
      JsonLayout::lines, field("ratio", &OverPlaces::ratio),
      field("interval", &OverPlaces::interval).null_when_default(),
      field("p", &OverPlaces::p).null_when_default(),
      field("p_passes", &OverPlaces::p_passes).null_when_default(), field("places", &OverPlaces::places),
      field("processes", &OverPlaces::processes), field("sd", &OverPlaces::sd),
      field("lowest", &OverPlaces::lowest), field("highest", &OverPlaces::highest),
      field("best_shift", &OverPlaces::best_shift), field("best", &OverPlaces::best));
};

template <>
struct Described<UnitChange> {
  static constexpr auto fields =
      list_fields<UnitChange>(JsonLayout::line, field("margin", &UnitChange::margin),
                              field("unit", &UnitChange::unit), field("difference", &UnitChange::difference),
                              field("interval", &UnitChange::interval).null_when_default(),
                              field("by_process", &UnitChange::by_process));
};

// All but the kernels, which a report writes with their words.
template <>
struct Described<ComparisonRow> {
  using Row = ComparisonRow;
  static constexpr auto fields = list_fields<Row>(
      JsonLayout::lines, field("case", &Row::case_id), field("metric", &Row::metric),
      field("verdict", &Row::verdict), field("reason_fact", &Row::reason),
      field("cause", &Row::cause).null_when_default(), field("differences", &Row::differences),
      field("diagnostics", &Row::diagnostics), field("unit", &Row::unit), field("direction", &Row::direction),
      field("ratio", &Row::ratio).null_when_default(), field("interval", &Row::interval).null_when_default(),
      field("p", &Row::p).null_when_default(), field("p_adjusted", &Row::p_adjusted).null_when_default(),
      field("p_passes", &Row::p_passes).null_when_default(),
      field("p_improved", &Row::p_improved).null_when_default(),
      field("p_improved_adjusted", &Row::p_improved_adjusted).null_when_default(),
      field("degrees_of_freedom", &Row::degrees_of_freedom).null_when_default(),
      field("margin", &Row::margin), field("alpha", &Row::alpha),
      field("throttled_share", &Row::throttled_share),
      field("minimum_detectable", &Row::minimum_detectable).null_when_default(),
      field("processes_needed", &Row::processes_needed).null_when_default(),
      field("look", &Row::look).null_when_default().when([](const Row& row) {
        return !row.look.declared.empty();
      }),
      field("proven", &Row::proven), field("by_build", &Row::by_build).unless_default(),
      field("by_files", &Row::by_files).unless_default(),
      field("unproven", &Row::unproven).null_when_default(),
      field("confirmation", &Row::confirmation).null_when_default(),
      field("over_places", &Row::over_places).unless_default(), field("baseline", &Row::baseline),
      field("current", &Row::current), field("waiver", &Row::waiver).null_when_default(),
      field("informative", &Row::informative), field("one_file", &Row::one_file).unless_default(),
      field("loosened", &Row::loosened).null_when_default(), field("exact", &Row::exact),
      field("where", &Row::where).null_when_default(), field("proposed", &Row::proposed).null_when_default(),
      field("in_unit", &Row::in_unit).unless_default());
};

template <>
struct Described<RecordSource> {
  static constexpr auto fields = list_fields<RecordSource>(
      JsonLayout::lines, field("id", &RecordSource::id).required(), field("found", &RecordSource::found),
      field("revision", &RecordSource::revision), field("device", &RecordSource::device),
      field("distance", &RecordSource::distance), field("records", &RecordSource::records).unless_default());
};

template <>
struct Described<PolicyFact> {
  static constexpr auto fields = list_fields<PolicyFact>(JsonLayout::line, field("value", &PolicyFact::value),
                                                         field("origin", &PolicyFact::origin));
};

// The result of a waiver. The waiver itself is written beside it.
inline constexpr auto waiver_outcome = list_fields<WaiverUse>(
    JsonLayout::lines, field("state", &WaiverUse::state), field("waived", &WaiverUse::waived),
    field("refused", &WaiverUse::refused), field("advice_facts", &WaiverUse::advice));

// Facts that a comparison also tells in words.
inline constexpr auto comparison_facts = list_fields<Comparison>(
    JsonLayout::lines, field("differences", &Comparison::differences),
    field("policy", &Comparison::policy_facts), field("remarks", &Comparison::remarks),
    field("unbuilt", &Comparison::unbuilt).unless_default());

}  // namespace harness
