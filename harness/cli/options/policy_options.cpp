#include "harness/cli/options/policy_options.h"

#include <algorithm>
#include <filesystem>

#include "harness/base/environment.h"
#include "harness/base/files.h"
#include "harness/base/units.h"
#include "harness/cli/options/date.h"
#include "harness/cli/options/typed_option.h"
#include "harness/suite/waivers.h"

namespace harness {
namespace fs = std::filesystem;
namespace {

enum class Allowance { inconclusive, missing, not_comparable, skipped, stale, left_out };

}  // namespace

template <>
inline constexpr auto enum_names<Allowance> = names<Allowance>({{Allowance::inconclusive, "inconclusive"},
                                                                {Allowance::missing, "missing"},
                                                                {Allowance::not_comparable, "not-comparable"},
                                                                {Allowance::skipped, "skipped"},
                                                                {Allowance::stale, "stale"},
                                                                {Allowance::left_out, "left-out"}});

namespace {

Status allow(Policy& policy, bool& stale, const std::string& word) {
  const Result<Allowance> allowed = parse_choice<Allowance>(word);
  if (!allowed) return fail(allowed.error());
  stale |= *allowed == Allowance::stale;
  policy.allow_inconclusive |= *allowed == Allowance::inconclusive;
  policy.allow_missing |= *allowed == Allowance::missing;
  policy.allow_not_comparable |= *allowed == Allowance::not_comparable;
  policy.allow_skipped |= *allowed == Allowance::skipped;
  policy.allow_left_out |= *allowed == Allowance::left_out;
  return {};
}

// Only `improved` can be added. A misspelt word may mean a verdict that always fails.
Status fail_on(Policy& policy, const std::string& word) {
  policy.fail_on_improved = true;
  if (word == "improved") return {};
  const std::vector<std::string> verdicts{"improved", "regressed", "inconclusive", "missing", "failed"};
  const auto near = nearest(word, verdicts);
  return fail(ErrorKind::usage,
              fmt::format("`{}` cannot be asked for{}; regressions always fail, and only `improved` can be "
                          "added",
                          printable(word), near && *near != word ? "; did you mean `" + *near + "`?" : ""));
}

Result<double> parse_alpha(const std::string& text) {
  const Result<double> alpha = parse_fraction(text);
  if (alpha && *alpha >= smallest_alpha && *alpha < 0.5) return alpha;
  return fail(ErrorKind::usage,
              fmt::format("`{}` is not from {:g} to below 0.5", printable(text), smallest_alpha),
              "0.01 is the default; 0.05 finds more and errs more");
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

CLI::Option* MarginOption::add_to(CLI::App& command) {
  return add_typed(command, "--margin", margin, parse_fraction,
                   "changes this small do not matter, e.g. 0.5%; wins over the suite")
      ->type_name("PERCENT");
}

void PolicyOptions::add_to(CLI::App& command) {
  CLI::Option* margin = margin_.add_to(command);
  CLI::Option* alpha = add_typed(command, "--alpha", given_.alpha, parse_alpha,
                                 "one-sided error rate after correction; wins over the suite")
                           ->type_name("FRACTION");
  CLI::Option* allowed =
      add_words(
          command, "--allow", [this](const std::string& word) { return allow(given_, stale_, word); },
          "verdicts that do not fail the command; stale: a program or plug-in built from other sources")
          ->expected(1, CLI::detail::expected_max_vector_size)
          ->delimiter(',')
          ->type_name(join(all_names<Allowance>(), "|"));
  CLI::Option* failing =
      add_words(
          command, "--fail-on", [this](const std::string& word) { return fail_on(given_, word); },
          "verdicts that fail the command as a regression does")
          ->expected(1, CLI::detail::expected_max_vector_size)
          ->delimiter(',')
          ->type_name("improved");
  CLI::Option* other = command.add_flag("--allow-other-device", given_.allow_other_device,
                                        "compare different GPUs of one model; their usual spread is added");
  CLI::Option* least =
      command
          .add_option_function<int>(
              "--min-processes",
              [this](int count) { given_.min_processes = given_.min_shared_processes = count; },
              "least processes a side for a verdict; below 5 (3 with both builds) the error rates no "
              "longer hold")
          ->check(whole_number(2, most_processes))
          ->type_name("P");
  CLI::Option* file = command.add_option("--waivers", waivers_,
                                         "accepted regressions; default: waivers.yaml beside the suite, or "
                                         "in baselines/");
  file->type_name("FILE");
  CLI::Option* proposed = command.add_flag(
      "--accept-proposed", given_.accept_proposed,
      "let looser gates and new waivers of the change count; without it the baseline's decide");
  CLI::Option* none = command.add_flag("--no-waivers", no_waivers_, "ignore all waivers");
  none->excludes(file);
  declared_ = {margin, alpha, allowed, failing, other, least, file, proposed, none};
}

std::string PolicyOptions::given(std::initializer_list<std::string_view> among) const {
  for (const CLI::Option* option : declared_) {
    const bool asked =
        among.size() == 0 || std::find(among.begin(), among.end(), option->get_name()) != among.end();
    if (asked && option->count() > 0) return option->get_name();
  }
  return {};
}

Result<Policy> PolicyOptions::policy() const {
  Result<std::string> date = today();
  if (!date) return fail(date.error());
  Policy policy = given_;
  policy.margin = margin_.margin;
  policy.today = std::move(*date);
  return policy;
}

std::string PolicyOptions::waivers_file(const std::string& suite_file) const {
  if (no_waivers_) return {};
  return waivers_.empty() ? default_waivers(suite_file) : waivers_;
}

Checked<Policy> PolicyOptions::with_waivers(Policy policy, const std::string& suite_file) const {
  const std::string file = waivers_file(suite_file);
  if (file.empty()) return policy;
  Checked<std::vector<Waiver>> waivers = load_waivers(file);
  if (!waivers) return tl::unexpected(std::move(waivers.error()));
  policy.waivers = std::move(*waivers);
  policy.waivers_file = file;
  return policy;
}

Status PolicyOptions::check_used(const std::string& baseline, const std::string& option) const {
  std::string idle = given();
  const bool judges = given_.allow_inconclusive || given_.allow_missing || given_.allow_not_comparable ||
                      given_.allow_left_out;
  if (idle == "--allow" && !judges)
    idle = given({"--fail-on", "--allow-other-device", "--min-processes", "--waivers", "--accept-proposed",
                  "--no-waivers"});
  if (idle.empty() || !baseline.empty()) return {};
  return fail(ErrorKind::usage, fmt::format("{} needs {}: without one nothing is judged", idle, option),
              fmt::format("name what to compare with ({} REV|FILE), or leave {} out", option, idle));
}

}  // namespace harness
