// The fields of a comparison's JSON report: its facts, and their words beside them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "harness/model/results/comparison_fields.h"
#include "harness/report/json_schema.h"
#include "harness/report/media/code_json.h"
#include "harness/report/words/change/change_cause_words.h"
#include "harness/report/words/kernel_words.h"
#include "harness/report/words/policy_words.h"
#include "harness/report/words/reason_words.h"
#include "harness/report/words/source_words.h"
#include "harness/schema/formats.h"

namespace harness {

template <>
struct Described<report::PolicyWords> {
  using Words = report::PolicyWords;
  static constexpr auto fields =
      list_fields<Words>(JsonLayout::line, field("name", &Words::name), field("value", &Words::value),
                         field("source", &Words::source));
};

}  // namespace harness

namespace harness::report {

// A list of facts as their sentences.
struct InWords {
  template <class Fact>
  static void write(JsonWriter& json, const std::vector<Fact>& facts) {
    json.open_array();
    for (const Fact& fact : facts) json.text(words(fact));
    json.close();
  }
  static void schema(JsonWriter& json) { write_list_schema<std::string>(json); }
};

struct SourceInWords {
  static constexpr auto fields =
      list_fields<RecordSource>(JsonLayout::lines,
                                derived("described", [](const RecordSource& one) { return words(one); })) +
      Described<RecordSource>::fields;
  static void write(JsonWriter& json, const RecordSource& source) {
    write_object(json, fields, source, JsonLayout::lines);
  }
  static void schema(JsonWriter& json) { write_object_schema(json, fields); }
};

// A waiver, and beside it what became of it.
struct WaiversUsed {
  static void write(JsonWriter& json, const std::vector<WaiverUse>& uses) {
    json.open_array();
    for (const WaiverUse& use : uses) {
      json.open_object();
      write_fields(json, Described<Waiver>::fields, use.waiver);
      write_fields(json, waiver_outcome, use);
      InWords::write(json.key("advice"), use.advice);
      json.close();
    }
    json.close();
  }
  static void schema(JsonWriter& json) {
    json.open_object().key("type").text("array").key("items").open_object().key("type").text("object");
    json.key("allOf").open_array();
    write_object_schema(json, Described<Waiver>::fields);
    write_object_schema(json, waiver_outcome);
    json.close().close().close();
  }
};

inline constexpr auto kernel_json =
    list_fields<KernelChange>(
        JsonLayout::lines, derived("kernel", [](const KernelChange& change) { return change.name(); }),
        derived("what", [](const KernelChange& change) { return words(change); }),
        derived("ratio", [](const KernelChange& change) { return change.ratio(); }).null_when_default()) +
    Described<KernelChange>::fields;

inline constexpr auto row_json =
    Described<ComparisonRow>::fields +
    list_fields<ComparisonRow>(
        JsonLayout::lines, derived("reason", [](const ComparisonRow& row) { return reason_words(row); }),
        derived("advice", [](const ComparisonRow& row) { return advice_words(row); }),
        derived("processes",
                [](const ComparisonRow& row) {
                  return std::vector<int>{row.baseline.processes, row.current.processes};
                }),
        derived("change_causes",
                [](const ComparisonRow& row) {
                  return row.causes ? row.causes->found : std::vector<ChangeCause>{};
                })
            .unless_default(),
        derived("why", cause_words).unless_default(),
        derived(
            "code",
            [](const ComparisonRow& row) { return row.causes ? row.causes->code : std::vector<CodeSides>{}; })
            .unless_default(),
        derived("decides", decides), field("kernels", &ComparisonRow::kernels).as<ListOf<kernel_json>>());

inline std::vector<PolicyWords> told_policy(const Comparison& comparison) {
  std::vector<PolicyWords> told;
  for (const PolicyFact& fact : comparison.policy_facts) told.push_back(words(fact, comparison));
  return told;
}

inline std::int64_t count_loosened(const Comparison& comparison) {
  return std::count_if(comparison.rows.begin(), comparison.rows.end(),
                       [](const ComparisonRow& row) { return row.loosened.has_value(); });
}

inline constexpr auto comparison_json = list_fields<Comparison>(
    JsonLayout::lines, derived("format", [](const Comparison&) { return formats::comparison.name; }),
    derived("version", [](const Comparison&) { return formats::comparison.version; }),
    field("verdict", &Comparison::verdict), derived("exit_code", exit_code),
    field("suite", &Comparison::suite), field("suite_file", &Comparison::suite_file),
    field("baseline", &Comparison::baseline).as<SourceInWords>(),
    field("current", &Comparison::current).as<SourceInWords>(), field("policy", &Comparison::policy),
    field("differences", &Comparison::differences).as<InWords>(),
    field("pairing", &Comparison::pairing).unless_default(),
    field("session", &Comparison::session).unless_default(), derived("policy_facts", told_policy),
    derived("gates_loosened", count_loosened), field("waivers", &Comparison::waivers).as<WaiversUsed>(),
    field("remarks", &Comparison::remarks).as<InWords>(), group("facts", harness::comparison_facts),
    field("cases", &Comparison::rows).as<ListOf<row_json>>());

// A comparison inside another report.
struct ComparisonJson {
  static void write(JsonWriter& json, const Comparison& comparison) {
    write_object(json, comparison_json, comparison, JsonLayout::lines);
  }
  static void schema(JsonWriter& json) { write_object_schema(json, comparison_json); }
};

}  // namespace harness::report
