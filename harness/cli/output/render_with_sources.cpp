#include "harness/cli/output/render_with_sources.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <utility>

#include "harness/base/text.h"
#include "harness/model/code/shifted_process.h"
#include "harness/verdict/read/summarize.h"

namespace harness {

Reproduction::Reproduction(const CommandLine& line, const StoreOption& store_option,
                           const DeviceOption& device_option, std::string against_name)
    : command_line(line.text()),
      device(device_option.text),
      store(store_option.is_usual() ? "" : without_password(store_option.url)),
      against(std::move(against_name)) {}

std::string Reproduction::again() const {
  std::string text;
  const auto add = [&](const char* option, const std::string& value) {
    if (!value.empty()) text += fmt::format(" {} {}", option, shell_quoted(value));
  };
  add("--device", device);
  add("--store", store);
  add("--against", against);
  return text;
}

namespace {

// A record and its summaries.
struct Measured {
  Record record;
  std::vector<Summary> summaries = summarize(record);
};

struct Judged {
  Comparison comparison;
  Record baseline, current;
  Reproduction made_by;
};

// Options by which a command judges, or stores, otherwise than `compare` of its records does.
constexpr std::array of_the_command{" --margin",     " --alpha",           " --allow",
                                    " --fail-on",    " --min-processes",   " --waivers",
                                    " --no-waivers", " --accept-proposed", " --keep-in"};

// Judges as this command did, without measuring again where nothing else than the records decides.
std::string unfolding_command(const Comparison& comparison, const Reproduction& made_by) {
  if (made_by.command_line.starts_with("harness compare ")) return made_by.command_line + " --verbose";
  const bool differs = std::any_of(of_the_command.begin(), of_the_command.end(), [&](const char* option) {
    return made_by.command_line.find(option) != std::string::npos;
  });
  if (differs || comparison.baseline.found.code == SourceCode::none) return "--verbose";
  return fmt::format("harness compare --baseline {} --current {}{} --verbose",
                     report::name_of_side(comparison.baseline), report::name_of_side(comparison.current),
                     made_by.store.empty() ? "" : " --store " + shell_quoted(made_by.store));
}

Report judged_page(const std::shared_ptr<const Judged>& facts) {
  Reproduction again = facts->made_by;
  if (again.against.empty()) again.against = facts->baseline.id;
  const auto before = std::make_shared<const std::vector<Summary>>(summarize(facts->baseline));
  const auto after = std::make_shared<const std::vector<Summary>>(summarize(facts->current));
  Sources sources{{&facts->baseline, before.get()},
                  {&facts->current, after.get()},
                  facts->made_by.command_line,
                  again.again()};
  if (facts->baseline.cases.empty()) sources.baseline = {};
  Report report = report::comparison_document(facts->comparison, sources);
  // The report keeps what only it needs.
  report.page = [before, after, page = std::move(report.page)](std::size_t room) { return page(room); };
  return report;
}

}  // namespace

MakeReport measured_report(Record record, const Reproduction& made_by) {
  Reproduction alone = made_by;
  alone.against.clear();
  return [facts = std::make_shared<const Measured>(Measured{without_shifted(std::move(record))}),
          alone](Format) {
    const Sources sources{{}, {&facts->record, &facts->summaries}, alone.command_line, alone.again()};
    return report::run_document(facts->record, facts->summaries, sources);
  };
}

MakeReport judged_report(Comparison comparison, Record baseline, Record current,
                         const Reproduction& made_by) {
  const auto facts =
      std::make_shared<const Judged>(Judged{std::move(comparison), without_shifted(std::move(baseline)),
                                            without_shifted(std::move(current)), made_by});
  return [facts](Format format) {
    if (format == Format::html) return judged_page(facts);
    Sources sources;
    sources.unfolds = unfolding_command(facts->comparison, facts->made_by);
    return report::comparison_document(facts->comparison, sources);
  };
}

}  // namespace harness
