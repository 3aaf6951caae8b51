#include "harness/cli/measuring/calibrate_write.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>

#include "harness/base/files.h"
#include "harness/base/text.h"
#include "harness/catalog/catalog.h"
#include "harness/suite/load_suite.h"
#include "harness/suite/make_plan.h"
#include "harness/suite/yaml/edit.h"

namespace harness {
namespace {

struct Settings {
  int processes = 0;
  int placements = 0;
  double margin = 0;
  auto operator<=>(const Settings&) const = default;
};

Settings planned(const PlannedCase& one) {
  return {one.sampling.processes, one.sampling.placements, one.gate.margin};
}

// The case's own settings where several metrics of it were calibrated: what the most demanding one needs.
std::map<std::string, Settings> wanted_settings(const CalibrationReport& report) {
  std::map<std::string, Settings> wanted;
  for (const CalibratedCase& one : report.cases) {
    if (!one.proposal) continue;
    Settings& settings = wanted[one.case_id];
    settings.processes = std::max(settings.processes, one.proposal->processes);
    settings.placements = std::max(settings.placements, one.proposal->placements);
    settings.margin = std::max(settings.margin, one.proposal->margin);
  }
  return wanted;
}

// A scalar that YAML reads back as the text it is.
std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + '"';
}

std::string value_text(const sdk::Value& value) {
  if (const auto* text = std::get_if<std::string>(&value)) return quoted(*text);
  if (const auto* whole = std::get_if<std::int64_t>(&value)) return fmt::format("{}", *whole);
  if (const auto* flag = std::get_if<bool>(&value)) return *flag ? "true" : "false";
  return fmt::format("{}", std::get<double>(value));
}

// Without an exponent, which a suite does not take.
std::string percent_text(double share) {
  std::string text = fmt::format("{:.8f}", share * 100);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text;
}

std::string match_of(const PlannedCase& one, bool whole_variant) {
  std::string match = fmt::format("{{variant: {}", quoted(one.variant));
  if (!whole_variant)
    for (const auto& [name, value] : one.params.entries())
      match += fmt::format(", {}: {}", name, value_text(value));
  return match + "}";
}

// Only what differs, or all of it.
std::string entry_of(const std::string& match, const Settings& now, const Settings& wanted, bool all) {
  std::string sampling;
  if (all || wanted.processes != now.processes) sampling = fmt::format("processes: {}", wanted.processes);
  if (all || wanted.placements != now.placements)
    sampling += fmt::format("{}placements: {}", sampling.empty() ? "" : ", ", wanted.placements);
  std::string entry = "{match: " + match;
  if (!sampling.empty()) entry += ", sampling: {" + sampling + "}";
  if (all || wanted.margin != now.margin)
    entry += fmt::format(", gate: {{margin: {}%}}", percent_text(wanted.margin));
  return entry + "}";
}

// One entry for a variant whose cases all change alike, else one for each case. `anew`: the new entries
// replace those of an earlier calibration, so they must name all settings.
std::vector<GroupEdit> edits_for(const Plan& plan, const std::map<std::string, Settings>& wanted, bool anew) {
  std::map<std::pair<int, std::string>, std::vector<const PlannedCase*>> by_variant;
  for (const PlannedCase& one : plan.cases)
    if (!one.program)  // its settings stand in its own entry
      by_variant[{one.where.line, one.variant}].push_back(&one);
  std::map<int, GroupEdit> edits;
  for (const auto& [place, cases] : by_variant) {
    const auto settings_of = [&](const PlannedCase& one) {
      const auto found = wanted.find(one.id);
      return found == wanted.end() ? planned(one) : found->second;
    };
    const PlannedCase& first = *cases.front();
    const bool alike = std::all_of(cases.begin(), cases.end(), [&](const PlannedCase* one) {
      return settings_of(*one) == settings_of(first) && planned(*one) == planned(first);
    });
    for (const PlannedCase* one : cases) {
      if (settings_of(*one) != planned(*one) || (anew && wanted.contains(one->id))) {
        edits[place.first].line = place.first;
        edits[place.first].entries.push_back(
            entry_of(match_of(*one, alike), planned(*one), settings_of(*one), anew));
      }
      if (alike) break;
    }
  }
  std::vector<GroupEdit> list;
  for (auto& [line, edit] : edits) list.push_back(std::move(edit));
  return list;
}

// Whether `after` is `before` with the settings wanted, and nothing else.
Status check_only_wanted(const Plan& before, const Plan& after, const std::map<std::string, Settings>& wanted,
                         const std::string& file) {
  const auto refused = [&](const std::string& what) {
    return fail(ErrorKind::usage, Location{file}, "would not become what was meant: " + what,
                "nothing was written; set the proposals by hand");
  };
  if (before.cases.size() != after.cases.size()) return refused("another number of cases");
  for (std::size_t i = 0; i < before.cases.size(); ++i) {
    PlannedCase expected = before.cases[i];
    const PlannedCase& found = after.cases[i];
    if (const auto settings = wanted.find(expected.id); settings != wanted.end()) {
      expected.sampling.processes = settings->second.processes;
      expected.sampling.placements = settings->second.placements;
      if (std::abs(found.gate.margin - settings->second.margin) < 1e-9)
        expected.gate.margin = found.gate.margin;
    }
    const bool same = expected.id == found.id && expected.sampling == found.sampling &&
                      expected.gate == found.gate && expected.reference == found.reference &&
                      expected.tags == found.tags && expected.metrics == found.metrics;
    if (!same)
      return refused(fmt::format("case `{}` would be measured or judged otherwise", printable(found.id)));
  }
  return {};
}

}  // namespace

Result<Plan> plan_of(const std::string& text, const std::string& file,
                     const std::vector<std::string>& modules) {
  const Checked<Suite> suite = parse_suite(text, file);
  if (!suite) return fail(suite.error().front());
  Catalog catalog = Catalog::built_in();
  for (const std::string& module : module_paths(*suite))
    if (const Status loaded = catalog.load_module(module); !loaded) return fail(loaded.error());
  for (const std::string& module : modules)
    if (const Status loaded = catalog.load_module(std::filesystem::absolute(module).string()); !loaded)
      return fail(loaded.error());
  Checked<Plan> plan = make_plan(*suite, catalog, {});
  if (!plan) return fail(plan.error().front());
  return std::move(*plan);
}

Result<std::size_t> write_proposals(const std::string& suite_file, const std::vector<std::string>& modules,
                                    const CalibrationReport& report) {
  const Result<std::string> text = read_file(suite_file);
  if (!text) return fail(text.error());
  const Result<Plan> before = plan_of(*text, suite_file, modules);
  if (!before) return fail(before.error());
  std::map<std::string, Settings> wanted = wanted_settings(report);
  std::size_t changed = 0;
  for (const PlannedCase& one : before->cases)
    if (const auto found = wanted.find(one.id); found != wanted.end() && found->second != planned(one))
      ++changed;
  if (changed == 0) return changed;
  const Result<std::string> edited = with_overrides(
      *text, suite_file, edits_for(*before, wanted, text->find(override_mark) != std::string::npos));
  if (!edited) return fail(edited.error());
  const Result<Plan> after = plan_of(*edited, suite_file, modules);
  if (!after) return fail(after.error());
  if (const Status only = check_only_wanted(*before, *after, wanted, suite_file); !only)
    return fail(only.error());
  if (const Status written = write_file_atomically(suite_file, *edited); !written)
    return fail(written.error());
  return changed;
}

}  // namespace harness
