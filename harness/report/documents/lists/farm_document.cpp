#include <fmt/format.h>

#include "harness/base/text.h"
#include "harness/model/fact_fields.h"
#include "harness/model/results/farm_progress.h"
#include "harness/report/documents.h"
#include "harness/report/media/report_json.h"
#include "harness/report/numbers.h"
#include "harness/report/schemas.h"
#include "harness/report/words/examination_words.h"
#include "harness/schema/formats.h"

namespace harness {

template <>
struct Described<FarmElement> {
  using One = FarmElement;
  static constexpr auto fields = list_fields<One>(
      JsonLayout::line, field("name", &One::name), field("done", &One::done), field("task", &One::task),
      field("lease", &One::lease), field("device", &One::device), field("sick", &One::sick).unless_default(),
      field("refused", &One::refused).unless_default(), field("checking", &One::checking).unless_default());
};

template <>
struct Described<FarmProgress> {
  using One = FarmProgress;
  static constexpr auto fields = list_fields<One>(
      JsonLayout::lines, field("campaign", &One::campaign), field("created", &One::created),
      field("store", &One::store), field("owner", &One::owner).unless_default(),
      field("repository", &One::repository).unless_default(),
      field("cancelled", &One::cancelled).unless_default(), field("suites", &One::suites),
      field("against", &One::against), field("tasks", &One::tasks), field("done", &One::done),
      field("leased", &One::leased), field("waiting", &One::waiting).unless_default(),
      field("in_vain", &One::in_vain).unless_default(), field("again", &One::again),
      field("judging", &One::judging), field("budget", &One::budget), field("running", &One::running),
      field("device_time", &One::device_time), field("results", &One::results), field("stored", &One::stored),
      field("elements", &One::elements));
};

}  // namespace harness

namespace harness::report {
namespace {

GridRow row_of(const FarmElement& one) {
  return {one.name,
          {{fmt::to_string(one.done)},
           {one.task == 0 ? "" : fmt::to_string(one.task)},
           {one.task == 0 ? "" : format_seconds(one.lease)},
           {one.device},
           {one.sick               ? "in quarantine: " + words(*one.sick)
            : !one.refused.empty() ? "refused: " + one.refused
            : one.checking         ? "checks its device"
                                   : ""}}};
}

}  // namespace

Report farm_document(const FarmProgress& progress) {
  Document document;
  document.title = "campaign";
  document.headline = fmt::format("campaign {}: {} of {} tasks are done", progress.campaign.substr(0, 8),
                                  progress.done, progress.tasks);
  document.command = "harness farm status";
  document.facts = {
      {"suites", join(progress.suites, ", ")},
      {"against", progress.against},
      {"created", progress.created},
      {"owner", progress.owner},
      {"repository", progress.repository},
      {"store", progress.store},
      {"results", fmt::format("{} of {} are stored", progress.stored, progress.results)},
      {"tasks", fmt::format("{} being measured, {} free, {} taken more than once", progress.leased,
                            progress.tasks - progress.done - progress.leased, progress.again)}};
  if (progress.cancelled) document.facts.emplace_back("cancelled", "nobody measures it any longer");
  if (progress.judging) document.facts.emplace_back("then", "judging, which may add tasks");
  if (progress.budget > 0)
    document.facts.emplace_back("budget", fmt::format("{} of {} are used", format_seconds(progress.running),
                                                      format_seconds(progress.budget)));
  if (progress.in_vain > 0)
    document.facts.emplace_back("too long", fmt::format("a task was measured for {} and did not end: give "
                                                        "elements more time than that",
                                                        coarse_duration(progress.in_vain)));
  if (progress.waiting)
    document.next_steps = {
        fmt::format("No element has a task at hand. Start elements with `harness farm work {}`.",
                    progress.campaign.substr(0, 8)),
        "Under Slurm, submit the script of --slurm again with `sbatch`, unless `squeue` shows jobs that "
        "wait."};
  std::erase_if(document.facts, [](const auto& fact) { return fact.second.empty(); });
  Grid grid;
  grid.label_header = "element";
  grid.columns = {{"tasks done", Align::right},
                  {"measures task", Align::right},
                  {"lease left", Align::right},
                  {"device"},
                  {"state"}};
  grid.sections.emplace_back();
  for (const FarmElement& one : progress.elements) grid.sections.back().rows.push_back(row_of(one));
  if (!progress.elements.empty()) document.blocks.push_back({Table{"", std::move(grid)}});
  const std::string headline = document.headline;
  const auto ci = [headline] {
    CiView view;
    view.alerts.push_back({Alarm::notice, headline, ""});
    return view;
  };
  return {std::move(document), ci, [&progress] { return report_json(progress, formats::farm); }};
}

std::string farm_schema() {
  return schema_text(Described<FarmProgress>::fields, formats::farm);
}

}  // namespace harness::report
