#include <fmt/format.h>

#include <algorithm>

#include "harness/report/documents.h"
#include "harness/report/media/report_json.h"
#include "harness/report/numbers.h"
#include "harness/report/schemas.h"
#include "harness/report/words/examination_words.h"
#include "harness/schema/formats.h"

namespace harness {

template <>
struct Described<Observation> {
  static constexpr auto fields = list_fields<Observation>(
      JsonLayout::lines, derived("topic", [](const Observation& one) { return topic_of(one.code); }),
      derived("name", [](const Observation& one) { return one.code; }),
      derived("value", [](const Observation& one) { return report::words(one); }),
      derived("fitness", [](const Observation& one) { return one.fitness; }),
      derived("advice", report::advice).unless_default());
};

template <>
struct Described<Examination> {
  static constexpr auto fields = list_fields<Examination>(
      JsonLayout::lines, field("device", &Examination::device), field("described", &Examination::described),
      derived("fitness", fitness_of), field("findings", &Examination::findings));
};

}  // namespace harness

namespace harness::report {
namespace {

std::size_t count_of(const Examination& examination, Fitness fitness) {
  return static_cast<std::size_t>(
      std::count_if(examination.findings.begin(), examination.findings.end(),
                    [&](const Observation& finding) { return finding.fitness == fitness; }));
}

Paint paint_of(Fitness fitness) {
  switch (fitness) {
    case Fitness::ok: return Paint::good;
    case Fitness::warn: return Paint::doubtful;
    case Fitness::unfit: return Paint::bad;
  }
  return Paint::plain;
}

std::string headline_of(const Examination& examination) {
  const std::size_t unfit = count_of(examination, Fitness::unfit);
  const std::size_t warnings = count_of(examination, Fitness::warn);
  std::string text =
      unfit > 0 ? "UNFIT to measure: " + counted(unfit, "obstacle", "obstacles") : "fit to measure";
  if (warnings > 0) text += (unfit > 0 ? ", " : ", with ") + counted(warnings, "warning", "warnings");
  return text;
}

std::vector<Checklist> checklists_of(const Examination& examination) {
  std::vector<Checklist> lists;
  for (const Observation& finding : examination.findings) {
    const std::string topic(name_of(topic_of(finding.code)));
    if (lists.empty() || lists.back().heading != topic) lists.push_back({topic, {}});
    lists.back().facts.push_back({std::string(name_of(finding.code)),
                                  {std::string(name_of(finding.fitness)), paint_of(finding.fitness)},
                                  words(finding),
                                  advice(finding)});
  }
  return lists;
}

CiCase case_of(const Observation& finding) {
  CiCase one;
  one.name = fmt::format("{} {}", name_of(topic_of(finding.code)), name_of(finding.code));
  one.label = one.code = std::string(name_of(finding.fitness));
  one.message = one.explanation = words(finding);
  if (const std::string todo = advice(finding); !todo.empty()) one.explanation += "\n" + todo;
  one.output = one.explanation;
  if (finding.fitness == Fitness::warn) one.alarm = Alarm::warning;
  if (finding.fitness != Fitness::unfit) return one;
  one.alarm = Alarm::error;
  one.state = CiState::failure;
  one.body = one.explanation;
  return one;
}

CiView ci_of(const Examination& examination) {
  CiView view{"doctor"};
  for (const Observation& finding : examination.findings) view.cases.push_back(case_of(finding));
  if (fitness_of(examination) == Fitness::ok)
    view.alerts.push_back({Alarm::notice, headline_of(examination), examination.described});
  return view;
}

}  // namespace

Report doctor_document(const Examination& examination) {
  Document document;
  document.title = "harness doctor: " + examination.device;
  document.headline = headline_of(examination);
  document.tone = paint_of(fitness_of(examination));
  document.marked = true;
  document.facts = {{"device", examination.device + ", " + examination.described}};
  for (Checklist& list : checklists_of(examination)) document.blocks.push_back({std::move(list)});
  return {std::move(document), [&examination] { return ci_of(examination); },
          [&examination] { return report_json(examination, formats::doctor); }};
}

std::string doctor_schema() {
  return schema_text(Described<Examination>::fields, formats::doctor);
}

}  // namespace harness::report
