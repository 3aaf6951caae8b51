#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "harness/base/text.h"
#include "harness/model/counter.h"
#include "harness/model/plan_fields.h"
#include "harness/report/documents.h"
#include "harness/report/documents/identity.h"
#include "harness/report/inputs_words.h"
#include "harness/report/media/report_json.h"
#include "harness/report/numbers.h"
#include "harness/report/schemas.h"
#include "harness/report/words/cause_words.h"
#include "harness/report/words/note_words.h"
#include "harness/schema/formats.h"

namespace harness::report {
namespace {

// How much a plan measures. `longest` is the sum over cases of processes x max_time, in seconds: the most
// that sampling may take. Start-up and verification are not included.
struct PlanSize {
  unsigned long long samples = 0;
  int processes = 0;  // of the case that has most
  double longest = 0;
};

}  // namespace
}  // namespace harness::report

namespace harness {

template <>
struct Described<report::PlanSize> {
  static constexpr auto fields = list_fields<report::PlanSize>(
      JsonLayout::line, field("samples", &report::PlanSize::samples),
      field("processes", &report::PlanSize::processes), field("longest_s", &report::PlanSize::longest));
};

}  // namespace harness

namespace harness::report {
namespace {

PlanSize size_of(const Plan& plan) {
  PlanSize size;
  for (const PlannedCase& one : plan.cases) {
    if (one.skip) continue;
    const Sampling& how = one.sampling;
    size.samples += static_cast<unsigned long long>(how.processes) *
                    static_cast<unsigned long long>(how.placements) *
                    static_cast<unsigned long long>(how.samples);
    size.processes = std::max(size.processes, how.processes);
    size.longest += how.processes * how.max_time;
  }
  return size;
}

using Cases = std::vector<const PlannedCase*>;

Cases runnable_cases(const Plan& plan) {
  Cases cases;
  for (const PlannedCase& one : plan.cases)
    if (!one.skip) cases.push_back(&one);
  return cases;
}

template <class Value>
bool uniform(const Cases& cases, Value value) {
  return std::all_of(cases.begin(), cases.end(),
                     [&](const PlannedCase* one) { return value(*one) == value(*cases.front()); });
}

std::string describe_gate(const Gate& gate) {
  return fmt::format(
      "margin {}, alpha {}{}", plain_percent(gate.margin), plain_percent(gate.alpha),
      gate.looks.empty() ? "" : fmt::format(", looks at {} processes", fmt::join(gate.looks, ", ")));
}

std::string size_fact(const Plan& plan) {
  const PlanSize size = size_of(plan);
  const bool may_be_fewer = std::any_of(plan.cases.begin(), plan.cases.end(), [](const PlannedCase& one) {
    return !one.skip && one.sampling.width > 0;
  });
  return fmt::format("{}{} from {}; sampling takes at most {}, start-up and verification come on top",
                     may_be_fewer ? "at most " : "", counted(size.samples, "sample", "samples"),
                     counted(static_cast<std::size_t>(size.processes), "worker process", "worker processes"),
                     coarse_duration(size.longest));
}

// Skipped cases count, too: their needs are known without a GPU.
std::string counters_fact(const Plan& plan, const CounterFact& look_up) {
  const bool known = look_up.code == CounterCode::looked_up;
  const std::string found =
      (known ? "" : "not looked up, so that a misspelt name shows only where they are read: ") +
      words(look_up);

  int least = 0, most = 0;
  for (const PlannedCase& one : plan.cases) {
    if (one.counter_passes == 0) continue;
    least = least == 0 ? one.counter_passes : std::min(least, one.counter_passes);
    most = std::max(most, one.counter_passes);
  }
  if (most == 0) return found;
  const std::string span = least == most ? fmt::to_string(most) : fmt::format("{} to {}", least, most);
  return fmt::format("{}; read after sampling, by {} {} of a call", found, span,
                     most == 1 ? "replay" : "replays");
}

// The variant of the case's reference, or its id where the plan knows none.
std::string reference_label(const std::map<std::string_view, std::string_view>& variants,
                            const PlannedCase& one) {
  if (one.reference == one.id) return "itself";
  const auto known = variants.find(one.reference);
  return std::string(known == variants.end() || known->second.empty() ? one.reference : known->second);
}

std::string describe_timing(const Sampling& how) {
  if (how.timing == TimingMode::events) return {};
  if (how.timing == TimingMode::automatic) return ", short calls in batches";
  return how.batch_nodes.empty() ? ", in batches"
                                 : fmt::format(", in batches of {}", fmt::join(how.batch_nodes, ", "));
}

std::vector<std::string> metrics_of(const PlannedCase& one) {
  return one.metrics;
}

// The names of hardware counters are long; the header has them in full.
std::string brief_metrics(const PlannedCase& one) {
  std::vector<std::string> names = one.metrics;
  const std::size_t counters = std::erase_if(names, is_counter_name);
  if (counters > 0) names.push_back(counted(counters, "counter", "counters"));
  return join(names, ", ");
}

// Each once, of all cases.
std::vector<std::string> counter_names(const Plan& plan) {
  std::vector<std::string> names;
  for (const PlannedCase& one : plan.cases)
    for (const std::string& metric : one.metrics)
      if (is_counter_name(metric) && std::find(names.begin(), names.end(), metric) == names.end())
        names.push_back(metric);
  return names;
}

// A number, or a range where a narrow interval of the mean may end a placement early.
std::string describe_samples(const Sampling& sampling) {
  return sampling.width > 0 ? fmt::format("{} to {}", sampling.width_samples, sampling.samples)
                            : std::to_string(sampling.samples);
}

std::string describe_sampling(const Sampling& sampling) {
  return fmt::format("{} x {} x {} {}{}", sampling.processes, sampling.placements, describe_samples(sampling),
                     name_of(sampling.cache), sampling.timing == TimingMode::batch ? ", batches" : "") +
         describe_inputs(sampling);
}

// A column for everything that differs between cases. The header has what is the same for all.
Grid make_grid(const Plan& plan, const Cases& cases) {
  std::map<std::string_view, std::string_view> variants;
  for (const PlannedCase& one : plan.cases) variants.emplace(one.id, one.variant);
  const bool sampling = !uniform(cases, [](const PlannedCase& one) { return one.sampling; });
  const bool gate = !uniform(cases, [](const PlannedCase& one) { return one.gate; });
  const bool metrics = !uniform(cases, metrics_of);
  const auto has = [&](auto predicate) {
    return std::any_of(cases.begin(), cases.end(), [&](const PlannedCase* one) { return predicate(*one); });
  };
  const bool passes = has([](const PlannedCase& one) { return one.counter_passes > 0; });
  const bool references = has([](const PlannedCase& one) { return !one.reference.empty(); });
  const bool tags = has([](const PlannedCase& one) { return !one.tags.empty(); });
  const bool commands = has([](const PlannedCase& one) { return one.program.has_value(); });
  Grid grid;
  grid.label_header = "case";
  grid.columns.push_back({"device", Align::left, 0, 0});
  if (metrics) grid.columns.push_back({"metrics", Align::left, 0, 3});
  if (passes) grid.columns.push_back({"passes", Align::right, 0, 3});
  if (sampling) grid.columns.push_back({"sampling", Align::left, 0, 1});
  if (gate) grid.columns.push_back({"gate", Align::left, 0, 2});
  if (references) grid.columns.push_back({"reference", Align::left, 0, 2});
  if (tags) grid.columns.push_back({"tags", Align::left, 0, 4});
  if (commands) grid.columns.push_back({"command", Align::left, 0, 5});
  std::vector<NamedCase> names;
  names.reserve(cases.size());
  for (const PlannedCase* one : cases) names.push_back(named(*one));
  for (CaseGroup& group : group_cases(names)) {
    Section section{std::move(group.heading), Paint::faint, {}, true};
    for (Member& member : group.members) {
      const PlannedCase& one = *cases[member.index];
      GridRow row{std::move(member.label), {{one.device}}, one.id};
      if (metrics) row.cells.push_back({brief_metrics(one)});
      if (passes) row.cells.push_back({one.counter_passes > 0 ? fmt::to_string(one.counter_passes) : ""});
      if (sampling) row.cells.push_back({describe_sampling(one.sampling)});
      if (gate) row.cells.push_back({describe_gate(one.gate)});
      if (references) row.cells.push_back({reference_label(variants, one)});
      if (tags) row.cells.push_back({join(one.tags, ", ")});
      if (commands) row.cells.push_back({one.program ? printable(join(one.program->command, " ")) : ""});
      section.rows.push_back(std::move(row));
    }
    grid.sections.push_back(std::move(section));
  }
  return grid;
}

std::string json_plan(const Plan& plan) {
  JsonWriter json;
  json.open_object();
  write_format(json, formats::plan);
  write_json(json.key("size"), size_of(plan));
  write_fields(json, Described<Plan>::fields, plan);
  json.close();
  return without_commands(json.take() + "\n");
}

CiView ci_of(const Plan& plan, const std::string& headline, const std::vector<ReasonGroup>& skipped) {
  CiView view{plan.suite.name, plan.suite.file};
  for (const PlannedCase& planned : plan.cases) {
    view.cases.push_back({planned.id, planned.where, CiState::skipped, planned.skip ? "skipped" : "listed",
                          planned.skip ? words(*planned.skip) : "listed, not measured"});
  }
  std::vector<std::string> reasons;
  for (const ReasonGroup& group : skipped)
    reasons.push_back(
        fmt::format("{} skipped: {}", counted(group.ids.size(), "case", "cases"), group.reason));
  view.alerts.push_back({Alarm::notice, headline, join(reasons, "\n")});
  return view;
}

}  // namespace

Report plan_document(const Plan& plan) {
  const Cases cases = runnable_cases(plan);
  Document document;
  document.title = plan.suite.name;
  document.command = "harness list " + shell_quoted(plan.suite.file);
  const std::size_t skipped_count = plan.cases.size() - cases.size();
  document.headline = fmt::format("{}: {}", plan.suite.name, counted(plan.cases.size(), "case", "cases"));
  if (skipped_count > 0)
    document.headline +=
        fmt::format(", {} here, {} skipped",
                    cases.size() == 1 ? "1 runs" : fmt::format("{} run", cases.size()), skipped_count);
  if (!plan.suite.file.empty()) document.facts.emplace_back("suite", plan.suite.file);
  for (const std::string& module : plan.modules) document.facts.emplace_back("module", module);
  if (!cases.empty()) {
    if (uniform(cases, [](const PlannedCase& one) { return one.sampling; })) {
      const Sampling& how = cases.front()->sampling;
      document.facts.emplace_back(
          "sampling", fmt::format("{} processes x {} placements x {} samples{}, {} cache{}", how.processes,
                                  how.placements, describe_samples(how),
                                  how.width > 0 ? fmt::format(" (mean within {:g} %)", how.width * 100) : "",
                                  name_of(how.cache), describe_timing(how) + describe_inputs(how)));
    } else {
      document.facts.emplace_back("sampling", "differs by case: processes x placements x samples, cache");
    }
    if (uniform(cases, metrics_of))
      document.facts.emplace_back("metrics", join(cases.front()->metrics, ", "));
    if (uniform(cases, [](const PlannedCase& one) { return one.gate; }))
      document.facts.emplace_back("gate", describe_gate(cases.front()->gate));
    document.facts.emplace_back("size", size_fact(plan));
    document.blocks.push_back({Table{"", make_grid(plan, cases)}});
  }
  if (plan.counters) {
    const bool named = !cases.empty() && uniform(cases, metrics_of) && any_counter(cases.front()->metrics);
    document.facts.emplace_back("counters", (named ? "" : join(counter_names(plan), ", ") + ": ") +
                                                counters_fact(plan, *plan.counters));
  }
  std::vector<Reasoned> skipped;
  for (const PlannedCase& one : plan.cases)
    if (one.skip) skipped.push_back({one.id, words(*one.skip)});
  const std::vector<ReasonGroup> groups = group_by_reason(skipped);
  document.blocks.push_back({Reasons{"skipped", skipped_count, groups}, Place::folded});
  const std::string headline = document.headline;
  return {std::move(document), [&plan, headline, groups] { return ci_of(plan, headline, groups); },
          [&plan] { return json_plan(plan); }};
}

std::string plan_schema() {
  JsonWriter json;
  open_schema(json, formats::plan);
  write_members_schema(json, Described<Plan>::fields, &formats::plan, [](JsonWriter& members) {
    write_schema<PlanSize>(members.key("size"));
    write_text_schema(members);
  });
  return close_schema(json);
}

}  // namespace harness::report
