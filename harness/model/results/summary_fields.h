// The fields of summary.h's structs, as JSON reports hold them (schema/fields.h).
#pragma once

#include "harness/model/record_fields.h"
#include "harness/model/results/summary.h"

namespace harness {

// [lo, hi].
inline void write_json(JsonWriter& json, const Interval& interval) {
  json.open_array(JsonLayout::line).number(interval.lo).number(interval.hi).close();
}

template <>
struct Described<Speedup> {
  static constexpr auto fields = list_fields<Speedup>(
      JsonLayout::line, field("reference", &Speedup::reference), field("ratio", &Speedup::ratio),
      field("interval", &Speedup::interval).null_when_default());
};

template <>
struct Described<Efficiency> {
  static constexpr auto fields =
      list_fields<Efficiency>(JsonLayout::line, field("ratio", &Efficiency::ratio),
                              field("interval", &Efficiency::interval).null_when_default());
};

// A figure over samples: null where there are none.
constexpr auto sample_figure(std::string_view name, double Summary::*member) {
  return field(name, member).null_when_default().when([](const Summary& one) { return one.samples > 0; });
}

template <>
struct Described<Summary> {
  static constexpr auto fields = list_fields<Summary>(
      JsonLayout::lines, field("case", &Summary::case_id), field("metric", &Summary::metric),
      field("unit", &Summary::unit), field("outcome", &Summary::outcome), field("reason", &Summary::reason),
      field("processes", &Summary::processes), field("samples", &Summary::samples),
      sample_figure("median", &Summary::median), sample_figure("mean", &Summary::mean),
      sample_figure("sd", &Summary::sd), sample_figure("min", &Summary::min),
      sample_figure("max", &Summary::max), sample_figure("p95", &Summary::p95),
      sample_figure("p99", &Summary::p99), sample_figure("cv", &Summary::cv),
      field("mild_outliers", &Summary::mild_outliers), field("far_outliers", &Summary::far_outliers),
      sample_figure("center", &Summary::center), sample_figure("process_sd", &Summary::process_sd),
      field("confidence", &Summary::confidence), field("interval", &Summary::interval).null_when_default(),
      field("first_call", &Summary::first_call).null_when_default(),
      field("flops_per_s", &Summary::flops_per_s).null_when_default(),
      field("bytes_per_s", &Summary::bytes_per_s).null_when_default(),
      field("items_per_s", &Summary::items_per_s).null_when_default(),
      field("share_of_ceiling", &Summary::share_of_ceiling).null_when_default(),
      field("bound", &Summary::bound).null_when_default(),
      field("speedup", &Summary::speedup).null_when_default(),
      field("efficiency", &Summary::efficiency).unless_default(),
      field("verification", &Summary::verification).null_when_default(), field("notes", &Summary::notes),
      field("diagnostics", &Summary::diagnostics));
};

}  // namespace harness
