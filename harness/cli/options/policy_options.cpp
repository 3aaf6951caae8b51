#include "harness/cli/options/policy_options.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>

#include "harness/base/environment.h"
#include "harness/base/files.h"
#include "harness/base/text.h"
#include "harness/base/units.h"
#include "harness/suite/waivers.h"

namespace harness {
namespace fs = std::filesystem;
namespace {

// A check of one word of a list, whose error names the nearest.
CLI::Validator one_of(std::vector<std::string> names) {
  const std::string known = join(names, ",");
  return {[names = std::move(names)](std::string& word) -> std::string {
            if (std::find(names.begin(), names.end(), word) != names.end()) return {};
            const auto near = nearest(word, names);
            return fmt::format("`{}` is not one of {}{}", printable(word), join(names, ", "),
                               near ? "; did you mean `" + *near + "`?" : "");
          },
          known};
}

// The one word that --fail-on takes. What a slip most likely meant may be what fails anyway.
std::string check_fail_on(const std::string& word) {
  if (word == "improved") return {};
  const std::vector<std::string> verdicts{"improved", "regressed", "inconclusive", "missing", "failed"};
  const auto near = nearest(word, verdicts);
  return fmt::format("`{}` cannot be asked for{}; regressions always fail, and only `improved` can be added",
                     printable(word), near && *near != word ? "; did you mean `" + *near + "`?" : "");
}

bool is_date(const std::string& text) {
  const std::string shape = "dddd-dd-dd";
  if (text.size() != shape.size() ||
      !std::equal(text.begin(), text.end(), shape.begin(),
                  [](char c, char kind) { return kind == '-' ? c == '-' : c >= '0' && c <= '9'; }))
    return false;
  const std::chrono::year_month_day day{std::chrono::year(std::stoi(text.substr(0, 4))),
                                        std::chrono::month(std::stoul(text.substr(5, 2))),
                                        std::chrono::day(std::stoul(text.substr(8, 2)))};
  return day.ok();
}

Result<std::string> today() {
  std::string chosen = environment::today();
  if (chosen.empty()) return utc_timestamp().substr(0, 10);
  if (is_date(chosen)) return chosen;
  return fail(ErrorKind::usage, fmt::format("HARNESS_TODAY: `{}` is no date", printable(chosen)),
              "write year-month-day, such as 2026-12-31");
}

// "" when there is none.
std::string default_waivers(const std::string& suite_file) {
  std::error_code code;
  const fs::path beside = fs::path(suite_file).parent_path() / "waivers.yaml";
  if (!suite_file.empty() && fs::exists(beside, code)) return beside.string();
  const fs::path shared = fs::path("baselines") / "waivers.yaml";
  return fs::exists(shared, code) ? shared.string() : std::string();
}

}  // namespace

void add_policy_options(CLI::App& command, PolicyArguments& arguments) {
  command
      .add_option("--margin", arguments.margin,
                  "changes this small do not matter, e.g. 0.5%; wins over the suite")
      ->type_name("PERCENT");
  command
      .add_option("--alpha", arguments.alpha, "one-sided error rate after correction; wins over the suite")
      ->type_name("FRACTION");
  command.add_option("--allow", arguments.allow, "verdicts that do not fail the command")
      ->delimiter(',')
      ->check(one_of({"inconclusive", "missing", "not-comparable"}));
  command.add_option("--fail-on", arguments.fail_on, "verdicts that fail the command as a regression does")
      ->delimiter(',')
      ->check(CLI::Validator(check_fail_on, "improved"));
  command.add_flag("--allow-other-device", arguments.allow_other_device,
                   "compare across GPUs of the same model, at the price of their spread");
  command
      .add_option("--min-processes", arguments.min_processes,
                  "processes a side that a verdict needs; below 5 (3 that hold both builds) the error rates "
                  "no longer hold")
      ->check(CLI::Range(2, 1000))
      ->type_name("P");
  CLI::Option* file = command.add_option("--waivers", arguments.waivers,
                                         "accepted regressions; default: waivers.yaml beside the suite, or "
                                         "in baselines/");
  file->type_name("FILE");
  command.add_flag("--no-waivers", arguments.no_waivers, "judge as if nothing were accepted")->excludes(file);
}

std::string policy_option_given(const PolicyArguments& arguments) {
  if (!arguments.margin.empty()) return "--margin";
  if (!arguments.alpha.empty()) return "--alpha";
  if (!arguments.allow.empty()) return "--allow";
  if (!arguments.fail_on.empty()) return "--fail-on";
  if (arguments.allow_other_device) return "--allow-other-device";
  if (arguments.min_processes > 0) return "--min-processes";
  if (!arguments.waivers.empty()) return "--waivers";
  return arguments.no_waivers ? "--no-waivers" : "";
}

Status check_policy_is_used(const PolicyArguments& arguments, const std::string& baseline,
                            const std::string& option) {
  const std::string given = policy_option_given(arguments);
  if (given.empty() || !baseline.empty()) return {};
  return fail(ErrorKind::usage, fmt::format("{} needs {}: without one nothing is judged", given, option),
              fmt::format("name what to compare with ({} REV|FILE), or leave {} out", option, given));
}

std::vector<std::string> policy_files(const PolicyArguments& arguments, const std::string& suite_file) {
  if (arguments.no_waivers) return {};
  return {arguments.waivers.empty() ? default_waivers(suite_file) : arguments.waivers};
}

Result<Policy> make_policy(const PolicyArguments& arguments) {
  Policy policy;
  if (!arguments.margin.empty()) {
    const Result<double> margin = parse_fraction(arguments.margin);
    if (!margin) return fail(ErrorKind::usage, "--margin: " + margin.error().message, margin.error().advice);
    policy.margin = *margin;
  }
  if (!arguments.alpha.empty()) {
    const Result<double> alpha = parse_fraction(arguments.alpha);
    if (!alpha || *alpha <= 0 || *alpha >= 0.5)
      return fail(ErrorKind::usage,
                  fmt::format("--alpha: `{}` is not above 0 and below 0.5", printable(arguments.alpha)),
                  "0.01 is the default; 0.05 finds more and errs more");
    policy.alpha = *alpha;
  }
  for (const std::string& allowed : arguments.allow) {
    policy.allow_inconclusive |= allowed == "inconclusive";
    policy.allow_missing |= allowed == "missing";
    policy.allow_not_comparable |= allowed == "not-comparable";
  }
  policy.fail_on_improved = !arguments.fail_on.empty();
  policy.allow_other_device = arguments.allow_other_device;
  if (arguments.min_processes > 0)
    policy.min_processes = policy.min_shared_processes = arguments.min_processes;
  const Result<std::string> date = today();
  if (!date) return fail(date.error());
  policy.today = *date;
  return policy;
}

Checked<Policy> with_waivers(Policy policy, const PolicyArguments& arguments, const std::string& suite_file) {
  if (arguments.no_waivers) return policy;
  const std::string file = arguments.waivers.empty() ? default_waivers(suite_file) : arguments.waivers;
  if (file.empty()) return policy;
  Checked<std::vector<Waiver>> waivers = load_waivers(file);
  if (!waivers) return tl::unexpected(std::move(waivers.error()));
  policy.waivers = std::move(*waivers);
  policy.waivers_file = file;
  return policy;
}

void explain_status(const Comparison& comparison, int status) {
  Comparison strict = comparison;
  strict.policy.allow_inconclusive = false;
  strict.policy.allow_missing = false;
  strict.policy.allow_not_comparable = false;
  if (const int without = exit_code(strict); without != status)
    fmt::print(stderr, "warning: exit status {} was allowed by --allow; the verdict is `{}`\n", without,
               name_of(comparison.verdict));
  Comparison lenient = comparison;
  lenient.policy.fail_on_improved = false;
  if (status == 1 && exit_code(lenient) != 1)
    fmt::print(stderr,
               "failed by --fail-on improved: the baseline is slower than the code, so it would hide a later "
               "regression back to it; promote a new one with `harness baseline promote {} --author NAME "
               "--reason TEXT` and commit it\n",
               comparison.current.id.empty() ? "HEAD" : shell_quoted(comparison.current.id));
}

}  // namespace harness
