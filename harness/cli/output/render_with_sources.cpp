#include "harness/cli/output/render_with_sources.h"

#include <fmt/format.h>

#include <utility>

#include "harness/base/text.h"
#include "harness/verdict/read/summarize.h"

namespace harness {

Reproduction::Reproduction(const CommandLine& line, const StoreOption& store_option,
                           const DeviceOption& device_option, std::string against_name)
    : command_line(line.text()),
      device(device_option.text),
      store(store_option.url == default_store ? "" : without_password(store_option.url)),
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

std::string render_measured(const Record& record, const std::vector<Summary>& summaries, Format format,
                            const Style& style, const Reproduction& made_by) {
  Reproduction alone = made_by;
  alone.against.clear();
  const Sources sources{{}, {&record, &summaries}, made_by.command_line, alone.again()};
  return render(report::run_document(record, summaries, sources), format, style);
}

std::string render_judged(const Comparison& comparison, const Record& baseline, const Record& current,
                          Format format, const Style& style, const Reproduction& made_by) {
  if (format != Format::html) return render(report::comparison_document(comparison), format, style);
  Reproduction with_baseline = made_by;
  if (with_baseline.against.empty()) with_baseline.against = baseline.id;
  const std::vector<Summary> before = summarize(baseline), after = summarize(current);
  Sources sources{{&baseline, &before}, {&current, &after}, made_by.command_line, with_baseline.again()};
  if (baseline.cases.empty()) sources.baseline = {};
  return render(report::comparison_document(comparison, sources), format, style);
}

}  // namespace harness
