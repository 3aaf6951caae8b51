#include "harness/report/documents/doctor_document.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "harness/base/text.h"
#include "harness/report/media/json_parts.h"
#include "harness/report/media/terminal_text.h"
#include "harness/report/words/examination_words.h"

namespace harness {
namespace report {
namespace {

constexpr std::size_t name_width = 18;
constexpr std::size_t word_width = 7;  // "unfit" and two spaces

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

std::string headline(const Examination& examination) {
  const std::size_t unfit = count_of(examination, Fitness::unfit);
  const std::size_t warnings = count_of(examination, Fitness::warn);
  const auto counted = [](std::size_t count, const char* what) {
    return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
  };
  std::string text = unfit > 0 ? "UNFIT to measure: " + counted(unfit, "obstacle") : "fit to measure";
  if (warnings > 0) text += (unfit > 0 ? ", " : ", with ") + counted(warnings, "warning");
  return text;
}

std::string padded(const std::string& text, std::size_t width) {
  const std::size_t taken = display_width(text);
  return text + std::string(taken < width ? width - taken : 1, ' ');
}

std::string line_of(const Observation& finding, const Style& style) {
  const std::string word(name_of(finding.fitness));
  const std::string margin(2 + name_width + word_width, ' ');
  const std::string state = words(finding);
  // Wrapped behind a margin that is replaced, so that colours do not count as columns.
  std::string text = wrapped(state.empty() ? "-" : state, margin, style);
  const std::string lead = "  " + padded(safe_name(name_of(finding.code), name_width - 1), name_width) +
                           paint(word, paint_of(finding.fitness), style) +
                           std::string(word_width - word.size(), ' ');
  text.replace(0, margin.size(), lead);
  if (const std::string todo = advice(finding); !todo.empty())
    text += wrapped("advice: " + todo, margin, style);
  return text;
}

std::string terminal_examination(const Examination& examination, const Style& style) {
  const Fitness worst = fitness_of(examination);
  std::string text =
      paint(headline(examination), worst == Fitness::ok ? Paint::good : paint_of(worst), style) + "\n";
  text += wrapped(examination.device + ", " + examination.described, "  ", style);
  std::optional<Topic> topic;
  for (const Observation& finding : examination.findings) {
    if (topic_of(finding.code) != topic) {
      topic = topic_of(finding.code);
      text += "\n" + paint(std::string(name_of(*topic)), Paint::strong, style) + "\n";
    }
    text += line_of(finding, style);
  }
  return text;
}

std::string json_examination(const Examination& examination) {
  Json json{{"format", "harness-doctor"},
            {"version", 1},
            {"device", examination.device},
            {"described", examination.described},
            {"fitness", name_of(fitness_of(examination))},
            {"findings", Json::array()}};
  for (const Observation& finding : examination.findings) {
    Json one{{"topic", name_of(topic_of(finding.code))},
             {"name", name_of(finding.code)},
             {"value", words(finding)},
             {"fitness", name_of(finding.fitness)}};
    if (std::string todo = advice(finding); !todo.empty()) one["advice"] = std::move(todo);
    json["findings"].push_back(std::move(one));
  }
  return dump(json);
}

}  // namespace
}  // namespace report

std::string render_examination(const Examination& examination, Format format, const Style& style) {
  if (format == Format::json) return report::json_examination(examination);
  return report::terminal_examination(examination, style);
}

}  // namespace harness
