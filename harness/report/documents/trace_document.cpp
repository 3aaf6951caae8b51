#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "harness/base/text.h"
#include "harness/model/record_fields.h"
#include "harness/model/results/kernel_label.h"
#include "harness/report/documents.h"
#include "harness/report/media/report_json.h"
#include "harness/report/numbers.h"
#include "harness/report/schemas.h"
#include "harness/report/words/cause_words.h"
#include "harness/schema/formats.h"

namespace harness {

template <>
struct Described<TracedKernel> {
  using One = TracedKernel;
  static constexpr auto fields =
      list_fields<One>(JsonLayout::line, field("kernel", &One::use), field("position", &One::position),
                       field("share", &One::share), field("times", &One::times));
};

template <>
struct Described<StepTimes> {
  using One = StepTimes;
  static constexpr auto fields =
      list_fields<One>(JsonLayout::lines, field("kernel", &One::kernel), field("busy", &One::busy),
                       field("copy", &One::copy), field("span", &One::span), field("gap", &One::gap));
};

template <>
struct Described<ProgramTrace> {
  using One = ProgramTrace;
  static constexpr auto fields = list_fields<One>(
      JsonLayout::lines, field("fault", &One::fault).unless_default(), field("steps_by", &One::source),
      field("range", &One::range).unless_default(), field("processes", &One::processes),
      field("launches", &One::launches), field("transfers", &One::transfers),
      field("launches_a_step", &One::period), field("settling_steps", &One::settling),
      field("launches_outside", &One::outside), field("bytes", &One::bytes), field("cupti", &One::cupti),
      field("identity", &One::identity), field("steps_us", &One::steps), field("kernels", &One::kernels));
};

template <>
struct Described<TraceOverhead> {
  using One = TraceOverhead;
  static constexpr auto fields = list_fields<One>(JsonLayout::line, field("traced_s", &One::traced),
                                                  field("untraced_s", &One::untraced).null_when_default());
};

template <>
struct Described<TracedRun> {
  using One = TracedRun;
  static constexpr auto fields = list_fields<One>(JsonLayout::lines, field("command", &One::command),
                                                  field("wall", &One::overhead), field("trace", &One::trace));
};

}  // namespace harness

namespace harness::report {
namespace {

// Mean and spread of the steps.
struct Spread {
  double mean = 0;
  double sd = 0;  // relative; 0 where there is only one step
};

Spread spread_of(const std::vector<double>& values) {
  Spread spread;
  if (values.empty()) return spread;
  const auto count = static_cast<double>(values.size());
  spread.mean = std::accumulate(values.begin(), values.end(), 0.0) / count;
  double squares = 0;
  for (const double one : values) squares += (one - spread.mean) * (one - spread.mean);
  if (values.size() > 1 && spread.mean > 0) spread.sd = std::sqrt(squares / (count - 1)) / spread.mean;
  return spread;
}

std::string time_text(double us) {
  if (!(us > 0)) return "0 us";
  const double values[] = {us};
  const Scale scale = scale_for("us", values);
  return quantity(us, scale) + (scale.shared ? " " + scale.unit : "");
}

std::string with_spread(const std::vector<double>& values) {
  const Spread spread = spread_of(values);
  if (values.size() < 2 || spread.mean == 0) return time_text(spread.mean);
  return fmt::format("{} (sd {} between steps)", time_text(spread.mean), short_percent(spread.sd));
}

std::string steps_text(const ProgramTrace& trace) {
  const std::string counted_steps = counted(trace.steps.kernel.size(), "step", "steps");
  std::string text;
  switch (trace.source) {
    case StepSource::nvtx:
      text = fmt::format("{}, by the NVTX range `{}`, of {}", counted_steps, trace.range,
                         counted(trace.period, "launch", "launches"));
      break;
    case StepSource::period:
      text = fmt::format("{}, by the period of the launches, which is {}", counted_steps,
                         counted(trace.period, "launch", "launches"));
      break;
    case StepSource::whole: return "the whole run: its launches have no period";
  }
  if (trace.settling > 0)
    text += fmt::format("; {} before them, until the sum settled", counted(trace.settling, "step", "steps"));
  if (trace.outside > 0)
    text += fmt::format("; {} outside of all steps", counted(trace.outside, "launch", "launches"));
  if (trace.helpers > 0) text += fmt::format(", {} of them in other processes", trace.helper_launches);
  return text;
}

std::string overhead_text(const TraceOverhead& overhead) {
  if (overhead.untraced <= 0)
    return fmt::format("{} with the trace; not run without it", coarse_duration(overhead.traced));
  return fmt::format("{:.2f} s with the trace, {:.2f} s without: {}", overhead.traced, overhead.untraced,
                     signed_percent(overhead.traced / overhead.untraced - 1));
}

std::string shape_text(const std::array<std::int64_t, 3>& shape) {
  std::size_t count = shape.size();
  while (count > 1 && shape.at(count - 1) == 1) --count;
  return fmt::format("{}", fmt::join(shape.begin(), shape.begin() + static_cast<std::ptrdiff_t>(count), "x"));
}

GridRow row_of(const TracedKernel& kernel) {
  const double step = spread_of(kernel.times).mean;
  return {kernel_label(kernel.use.name),
          {{fmt::format("{:.1f} %", kernel.share * 100), Paint::strong},
           {fmt::format("{:.2f}", step)},
           {short_percent(spread_of(kernel.times).sd)},
           {fmt::to_string(kernel.use.launches)},
           {fmt::format("{:.2f}", kernel.use.us)},
           {shape_text(kernel.use.grid)},
           {shape_text(kernel.use.block)},
           {fmt::to_string(kernel.position)}},
          kernel.use.name};
}

Table table_of(const ProgramTrace& trace) {
  Grid grid;
  grid.label_header = "kernel";
  grid.columns = {{"share", Align::right, 0, 0},     {"us a step", Align::decimal, 0, 0},
                  {"sd", Align::right, 0, 3},        {"launches", Align::right, 0, 1},
                  {"us each", Align::decimal, 0, 2}, {"grid", Align::right, 0, 4},
                  {"block", Align::right, 0, 5},     {"first at", Align::right, 0, 6}};
  std::vector<const TracedKernel*> kernels;
  for (const TracedKernel& one : trace.kernels) kernels.push_back(&one);
  std::stable_sort(kernels.begin(), kernels.end(), [](const TracedKernel* one, const TracedKernel* other) {
    return one->share > other->share;
  });
  grid.sections.emplace_back();
  for (const TracedKernel* one : kernels) grid.sections.back().rows.push_back(row_of(*one));
  return {"kernels of a step, by their share of its kernel time", std::move(grid)};
}

NamedTexts facts_of(const TracedRun& run) {
  const ProgramTrace& trace = run.trace;
  NamedTexts facts{{"command", run.command}};
  if (trace.fault) return facts;
  facts.emplace_back("steps", steps_text(trace));
  facts.emplace_back("kernel time", with_spread(trace.steps.kernel) + " a step");
  facts.emplace_back("busy time", with_spread(trace.steps.busy) + " a step, while any kernel ran");
  facts.emplace_back("copies and fills", with_spread(trace.steps.copy) + " a step");
  facts.emplace_back("span", with_spread(trace.steps.span) + ", from the first start to the last end");
  facts.emplace_back("gaps", with_spread(trace.steps.gap) + " of it without work on a GPU");
  facts.emplace_back(
      "trace",
      fmt::format("{} and {} of {}; no record lost; {:.2f} MB", counted(trace.launches, "launch", "launches"),
                  counted(trace.transfers, "copy or fill", "copies and fills"),
                  counted(static_cast<std::size_t>(trace.processes), "process", "processes"),
                  static_cast<double>(trace.bytes) / 1e6));
  facts.emplace_back("proof", trace.identity.gap ? "not possible: " + words(*trace.identity.gap)
                                                 : "possible: each launch of the steps is known");
  if (run.overhead.traced > 0) facts.emplace_back("overhead", overhead_text(run.overhead));
  return facts;
}

std::string headline_of(const ProgramTrace& trace) {
  if (trace.fault) return words(*trace.fault);
  return fmt::format("{} of kernel time a step, in {} of {}", time_text(spread_of(trace.steps.kernel).mean),
                     counted(trace.period, "launch", "launches"),
                     counted(trace.kernels.size(), "kernel", "kernels"));
}

CiView ci_of(const TracedRun& run, const std::string& headline) {
  CiView view{"trace"};
  CiCase one;
  one.name = run.command;
  one.code = run.trace.fault ? "failed" : "measured";
  one.message = one.output = headline;
  if (run.trace.fault) {
    one.state = CiState::failure;
    one.alarm = Alarm::error;
    one.label = one.code;
    one.body = one.explanation = headline;
  } else {
    view.alerts.push_back({Alarm::notice, headline});
  }
  view.cases.push_back(std::move(one));
  return view;
}

}  // namespace

Report trace_document(const TracedRun& run) {
  Document document;
  document.title = "harness trace";
  document.headline = headline_of(run.trace);
  document.tone = run.trace.fault ? Paint::bad : Paint::strong;
  document.facts = facts_of(run);
  if (!run.trace.kernels.empty() && !run.trace.fault) document.blocks.push_back({table_of(run.trace)});
  const std::string headline = document.headline;
  return {std::move(document), [&run, headline] { return ci_of(run, headline); },
          [&run] { return report_json(run, formats::trace); }};
}

std::string trace_schema() {
  return schema_text(Described<TracedRun>::fields, formats::trace);
}

}  // namespace harness::report
