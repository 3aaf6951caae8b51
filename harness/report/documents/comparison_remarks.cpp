#include "harness/report/documents/comparison_remarks.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>
#include <tuple>

#include "harness/base/text.h"
#include "harness/base/units.h"
#include "harness/report/documents/standing.h"
#include "harness/report/numbers.h"
#include "harness/report/words/reason_words.h"
#include "harness/report/words/source_words.h"

namespace harness::report {
namespace {

constexpr std::array<Verdict, 11> worst_first{
    Verdict::failed,       Verdict::regressed, Verdict::missing,     Verdict::not_comparable,
    Verdict::inconclusive, Verdict::improved,  Verdict::environment, Verdict::not_worse,
    Verdict::unchanged,    Verdict::identical, Verdict::skipped};

using Counts = std::map<Verdict, std::size_t>;

// Counts the rows that decide.
Counts count(const Comparison& comparison) {
  Counts counts;
  for (const Verdict verdict : worst_first) counts[verdict] = 0;
  for (const ComparisonRow& row : comparison.rows)
    if (decides(row)) ++counts[row.verdict];
  return counts;
}

// Regressed and undecided rows that do not fail the build because a waiver covers them.
std::size_t count_waived(const Comparison& comparison, Verdict verdict) {
  return static_cast<std::size_t>(std::count_if(
      comparison.rows.begin(), comparison.rows.end(),
      [&](const ComparisonRow& row) { return row.verdict == verdict && !row.informative && !decides(row); }));
}

std::size_t count_waived(const Comparison& comparison) {
  return count_waived(comparison, Verdict::regressed) + count_waived(comparison, Verdict::inconclusive);
}

// "1 regression is", "2 undecided results are", or both; "" where nothing is waived.
std::string waived_words(const Comparison& comparison) {
  std::vector<std::string> parts;
  if (const std::size_t count = count_waived(comparison, Verdict::regressed); count > 0)
    parts.push_back(counted(count, "regression is waived", "regressions are waived"));
  if (const std::size_t count = count_waived(comparison, Verdict::inconclusive); count > 0)
    parts.push_back(counted(count, "undecided result is waived", "undecided results are waived"));
  return join(parts, ", ");
}

std::size_t count_informative(const Comparison& comparison) {
  return static_cast<std::size_t>(std::count_if(
      comparison.rows.begin(), comparison.rows.end(),
      [](const ComparisonRow& row) { return row.informative && row.verdict != Verdict::skipped; }));
}

bool one_row_a_case(const Comparison& comparison) {
  std::set<std::string_view> ids;
  return std::all_of(comparison.rows.begin(), comparison.rows.end(),
                     [&](const ComparisonRow& row) { return ids.insert(row.case_id).second; });
}

bool one_deciding_row_a_case(const Comparison& comparison) {
  std::set<std::string_view> ids;
  return std::all_of(comparison.rows.begin(), comparison.rows.end(), [&](const ComparisonRow& row) {
    return row.informative || ids.insert(row.case_id).second;
  });
}

// "slower" and "faster" where every row of that verdict is a time, else "worse" and "better".
std::string_view direction_word(const Comparison& comparison, Verdict verdict) {
  const bool times =
      std::all_of(comparison.rows.begin(), comparison.rows.end(), [&](const ComparisonRow& row) {
        return row.verdict != verdict ||
               (seconds_per_unit(row.unit) > 0 && row.direction == Direction::lower_is_better);
      });
  if (verdict == Verdict::regressed) return times ? "slower" : "worse";
  return times ? "faster" : "better";
}

// "2 of 18 cases", "all 3 results", "the only case".
std::string part_of_all(std::size_t some, std::size_t all, const std::string& noun) {
  if (some != all) return fmt::format("{} of {} {}", some, all, noun);
  return all == 1 ? "the only " + noun : fmt::format("all {} {}", all, noun);
}

std::string headline_for(Verdict verdict, const std::string& part, bool one, const Comparison& comparison) {
  const std::string_view are = one ? "is" : "are";
  switch (verdict) {
    case Verdict::failed: return fmt::format("FAILED: {} failed, timed out or computed a wrong result", part);
    case Verdict::regressed:
      return fmt::format("REGRESSED: {} {} {} by more than {} margin", part, are,
                         direction_word(comparison, verdict), one ? "its" : "their");
    case Verdict::missing:
      return fmt::format("MISSING: {} {} nothing to be compared with", part, one ? "has" : "have");
    case Verdict::not_comparable:
      return fmt::format("NOT COMPARABLE: {} {} measured on hardware or settings that must not be compared",
                         part, one ? "was" : "were");
    case Verdict::inconclusive: return fmt::format("INCONCLUSIVE: {} could not be decided", part);
    case Verdict::improved:
      return fmt::format("IMPROVED: {} {} {} by more than {} margin", part, are,
                         direction_word(comparison, verdict), one ? "its" : "their");
    case Verdict::not_worse:
      return fmt::format("NOT WORSE: {} {} not {} by more than {} margin", part, are,
                         direction_word(comparison, Verdict::regressed), one ? "its" : "their");
    case Verdict::identical:
      return fmt::format("IDENTICAL: {} {} the same machine code with the same launches", part,
                         one ? "runs" : "run");
    case Verdict::environment:
      return fmt::format(
          "ENVIRONMENT: {} {} identical machine code, and yet {} time changed: the machine, not the code",
          part, one ? "runs" : "run", one ? "its" : "their");
    case Verdict::unchanged:
    case Verdict::skipped: break;
  }
  return fmt::format("UNCHANGED: {} {} within {} margin", part, are, one ? "its" : "their");
}

std::string describe_source(const RecordSource& source) {
  std::string text = words(source);
  if (source.revision.dirty) text += ", with uncommitted changes";
  if (!source.device.empty()) text += " · " + source.device;
  return text;
}

// ", looks at 5, 10 and 20 processes" where all rows that have numbers declared the same; "each case's own"
// where they did not.
std::string shared_looks(const Comparison& comparison) {
  std::set<std::vector<int>> declared;
  for (const ComparisonRow& row : comparison.rows)
    if (has_numbers(row)) declared.insert(row.look.declared);
  if (declared.empty() || (declared.size() == 1 && declared.begin()->size() < 2)) return {};
  if (declared.size() > 1) return "; each case's own looks, alpha shared over them";
  return fmt::format("; looks at {} processes, alpha shared over them", fmt::join(*declared.begin(), ", "));
}

// ", 5 processes a side", ", 5 against 8 processes", or nothing where rows differ.
std::string shared_processes(const Comparison& comparison) {
  std::set<std::pair<int, int>> counts;
  for (const ComparisonRow& row : comparison.rows)
    if (has_numbers(row)) counts.emplace(row.baseline.processes, row.current.processes);
  if (counts.size() != 1) return {};
  const auto [baseline, current] = *counts.begin();
  if (baseline != current) return fmt::format(", {} against {} processes", baseline, current);
  return fmt::format(", {} a side", counted(static_cast<std::size_t>(baseline), "process", "processes"));
}

// A rate that is the same in every judged row: "1 %"; else "each case's own".
std::string shared_rate(const Comparison& comparison, const std::optional<double>& set,
                        double ComparisonRow::*member) {
  if (set) return plain_percent(*set);
  std::set<double> values;
  for (const ComparisonRow& row : comparison.rows)
    if (row.*member > 0) values.insert(row.*member);
  return values.size() == 1 ? plain_percent(*values.begin()) : "each case's own";
}

std::string rule_fact(const Comparison& comparison) {
  const auto judged = static_cast<std::size_t>(
      std::count_if(comparison.rows.begin(), comparison.rows.end(),
                    [](const ComparisonRow& row) { return row.p_adjusted.has_value(); }));
  const bool in_one_process = comparison.pairing == Pairing::Kind::process;
  std::string text = fmt::format("{} a process{}; margin {}, alpha {} one-sided, passing at 5 %",
                                 in_one_process ? "paired in one process: Student's t-test on one log ratio"
                                                : "moderated t-test on one value",
                                 shared_processes(comparison),
                                 shared_rate(comparison, comparison.policy.margin, &ComparisonRow::margin),
                                 shared_rate(comparison, comparison.policy.alpha, &ComparisonRow::alpha));
  text += shared_looks(comparison);
  if (judged > 1) text += fmt::format(", Holm over {} results", judged);
  if (comparison.policy.allow_other_device) text += "; another GPU of the same model was allowed";
  return text;
}

std::string where_text(const ComparisonRow& row) {
  return row.where.file.empty() ? std::string() : to_string(Location{row.where.file, row.where.line, 0});
}

}  // namespace

std::string look_words(const ComparisonRow& row) {
  if (row.look.declared.size() < 2 || row.look.number == 0) return {};
  return fmt::format(" (look {})", row.look.number);
}

std::string level_text(double alpha) {
  return fmt::format("{:.5g} %", (1 - 2 * alpha) * 100);
}

bool is_first(const Comparison& comparison) {
  return comparison.baseline.found.code == SourceCode::none && comparison.baseline.found.count("first") != 0;
}

bool has_numbers(const ComparisonRow& row) {
  return std::isfinite(row.ratio) && row.ratio > 0;
}

bool has_values_alone(const ComparisonRow& row) {
  return !has_numbers(row) && row.baseline.processes > 0 && row.current.processes > 0 &&
         std::isfinite(row.baseline.center) && std::isfinite(row.current.center) &&
         (row.baseline.center == 0 || row.current.center == 0) &&
         (row.verdict == Verdict::regressed || row.verdict == Verdict::improved);
}

std::string values_text(const ComparisonRow& row) {
  return fmt::format("{} -> {}{}", format_significant(row.baseline.center),
                     format_significant(row.current.center), after_number(row.unit));
}

std::string words_for(Verdict verdict) {
  if (verdict == Verdict::not_comparable) return "not comparable";
  if (verdict == Verdict::not_worse) return "not worse";
  return std::string(name_of(verdict));
}

Paint paint_for(Verdict verdict) {
  switch (verdict) {
    case Verdict::failed:
    case Verdict::regressed: return Paint::bad;
    case Verdict::missing:
    case Verdict::not_comparable:
    case Verdict::inconclusive: return Paint::doubtful;
    case Verdict::environment: return Paint::doubtful;
    case Verdict::improved: return Paint::good;
    case Verdict::identical:
    case Verdict::not_worse:
    case Verdict::unchanged:
    case Verdict::skipped: break;
  }
  return Paint::faint;
}

namespace {

std::string verdict_headline(const Comparison& comparison) {
  Counts counts = count(comparison);
  const bool cases = one_deciding_row_a_case(comparison);
  std::size_t judged = count_waived(comparison);
  for (const auto& [verdict, some] : counts)
    if (verdict != Verdict::skipped) judged += some;
  if (is_first(comparison) && comparison.verdict == Verdict::missing)
    return "FIRST MEASUREMENTS here, nothing to compare with yet";
  if (comparison.rows.empty()) return "NOTHING COMPARED: neither record has a case";
  if (judged == 0 && count_informative(comparison) > 0)
    return "UNCHANGED: everything that was compared is informative and decides nothing";
  if (judged == 0)
    return fmt::format("NOTHING COMPARED: {} skipped",
                       comparison.rows.size() == 1 ? "the only case is"
                                                   : fmt::format("all {} cases are", comparison.rows.size()));
  const Verdict verdict = comparison.verdict;
  const std::size_t some = counts[verdict];
  const std::string noun = cases ? (judged == 1 ? "case" : "cases") : (judged == 1 ? "result" : "results");
  const std::string part = part_of_all(some, judged, noun);
  const std::size_t waived = count_waived(comparison);
  if (verdict == Verdict::unchanged && waived == judged)
    return fmt::format("WAIVED: of {} {}, {}", judged, noun, waived_words(comparison));
  std::string headline = headline_for(verdict, part, some == 1, comparison);
  for (const auto& [other, words] : {std::pair(Verdict::environment, "changed with the environment alone"),
                                     std::pair(Verdict::identical, "identical")})
    if (other != verdict && counts[other] > 0) headline += fmt::format("; {} {}", counts[other], words);
  if (waived > 0) headline += "; " + waived_words(comparison);
  return headline;
}

}  // namespace

std::string gates_loosened(const Comparison& comparison) {
  const auto& rows = comparison.rows;
  const auto all = static_cast<std::size_t>(std::count_if(
      rows.begin(), rows.end(), [](const ComparisonRow& row) { return row.loosened.has_value(); }));
  if (all == 0) return {};
  const auto hidden = static_cast<std::size_t>(std::count_if(rows.begin(), rows.end(), hides_regression));
  std::string text = fmt::format("gates loosened for {}", counted(all, "result", "results"));
  if (hidden > 0) text += fmt::format(", and the baseline's gate would have failed {} of them", hidden);
  return text;
}

std::string proposed_by_change(const Comparison& comparison) {
  for (const PolicyFact& fact : comparison.policy_facts) {
    if (fact.value.code != PolicyCode::proposed) continue;
    const auto gates = static_cast<std::size_t>(fact.value.count("gates"));
    const auto waivers = static_cast<std::size_t>(fact.value.count("waivers"));
    std::vector<std::string> parts;
    if (gates > 0) parts.push_back("looser gates of " + counted(gates, "result", "results"));
    if (waivers > 0) parts.push_back(counted(waivers, "waiver", "waivers"));
    if (parts.empty()) return {};
    return fmt::format("the change proposes {}: {}", join(parts, " and "),
                       fact.value.count("accepted") != 0 ? "accepted" : "not counted");
  }
  return {};
}

std::string processes_loosened(const Comparison& comparison) {
  const Policy& policy = comparison.policy;
  const bool shared = comparison.pairing == Pairing::Kind::process;
  const int least = shared ? policy.min_shared_processes : policy.min_processes;
  const int usual = shared ? Policy{}.min_shared_processes : Policy{}.min_processes;
  return least < usual ? fmt::format("loosened to {} processes{}, where {} are needed", least,
                                     shared ? "" : " a side", usual)
                       : std::string();
}

std::string comparison_headline(const Comparison& comparison) {
  std::string headline = verdict_headline(comparison);
  for (const std::string& loosened :
       {gates_loosened(comparison), proposed_by_change(comparison), processes_loosened(comparison)})
    if (!loosened.empty()) headline += "; " + loosened;
  return headline;
}

std::string comparison_tally(const Comparison& comparison) {
  Counts counts = count(comparison);
  std::vector<std::string> parts;
  for (const Verdict verdict : worst_first)
    if (counts[verdict] > 0) parts.push_back(fmt::format("{} {}", counts[verdict], words_for(verdict)));
  for (const Verdict verdict : {Verdict::regressed, Verdict::inconclusive})
    if (const std::size_t waived = count_waived(comparison, verdict); waived > 0)
      parts.push_back(fmt::format("{} {} but waived", waived, words_for(verdict)));
  if (const std::size_t informative = count_informative(comparison); informative > 0)
    parts.push_back(fmt::format("{} informative", informative));
  return join(parts, ", ");
}

namespace {

// Whether any row depends on the rule and the policy. A row with a proof does not.
bool any_test(const Comparison& comparison) {
  if (comparison.rows.empty()) return true;
  return std::any_of(comparison.rows.begin(), comparison.rows.end(), [](const ComparisonRow& row) {
    return row.verdict != Verdict::skipped && (row.verdict != Verdict::identical || has_numbers(row));
  });
}

}  // namespace

NamedTexts comparison_facts(const Comparison& comparison) {
  NamedTexts facts;
  std::string suite = comparison.suite;
  if (!comparison.suite_file.empty()) suite += " (" + comparison.suite_file + ")";
  facts.emplace_back("suite", suite);
  if (const std::string tally = comparison_tally(comparison); !tally.empty())
    facts.emplace_back("results", tally);
  facts.emplace_back("baseline", describe_source(comparison.baseline));
  facts.emplace_back("current", describe_source(comparison.current));
  if (!any_test(comparison)) return facts;
  facts.emplace_back("rule", rule_fact(comparison));
  if (const std::string policy = policy_words(comparison); !policy.empty())
    facts.emplace_back("policy", policy);
  return facts;
}

std::vector<std::string> row_names(const Comparison& comparison) {
  const bool plain = one_row_a_case(comparison);
  std::vector<std::string> names;
  names.reserve(comparison.rows.size());
  for (const ComparisonRow& row : comparison.rows)
    names.push_back(plain || row.metric.empty() ? row.case_id : row.case_id + " " + row.metric);
  return names;
}

namespace {

// Why a row has no proof, where that is not simply because its code changed.
std::string lacking_proof(const ComparisonRow& row) {
  if (!row.unproven || row.reason.code == ReasonCode::unproven) return {};
  const ProofGapCode why = row.unproven->why.code;
  if (why == ProofGapCode::other_launches || why == ProofGapCode::not_looked) return {};
  return "no proof that it is identical: " + words(*row.unproven);
}

}  // namespace

Reasons identical_results(const Comparison& comparison) {
  const std::vector<std::string> names = row_names(comparison);
  Reasons reasons{words_for(Verdict::identical)};
  ReasonGroup group{
      "same machine code, same launches. The proof covers the device's time, cycles, counters and tensor "
      "memory, but not the time of the host, the first call and the overhead of launches.",
      {}};
  for (std::size_t i = 0; i < names.size(); ++i)
    if (comparison.rows[i].verdict == Verdict::identical) group.ids.push_back(names[i]);
  reasons.cases = group.ids.size();
  if (!group.ids.empty()) reasons.groups.push_back(std::move(group));
  return reasons;
}

std::vector<Finding> comparison_explanations(const Comparison& comparison) {
  const std::vector<std::string> names = row_names(comparison);
  std::vector<Finding> result;
  using Words = std::vector<std::string>;
  std::map<std::tuple<Verdict, std::string, std::string, Words, Words>, std::size_t> known;
  for (std::size_t i = 0; i < comparison.rows.size(); ++i) {
    const ComparisonRow& row = comparison.rows[i];
    if (row.verdict == Verdict::identical) continue;  // told once for all
    if (row.verdict == Verdict::missing && is_first(comparison)) continue;
    const bool passes = row.verdict == Verdict::unchanged || row.verdict == Verdict::not_worse;
    if (passes && row.diagnostics.empty() && row.kernels.empty()) continue;
    Finding why;
    why.label = words_for(row.verdict);
    why.standing = standing_words(row);
    why.paint = why.standing.empty() ? paint_for(row.verdict) : Paint::doubtful;
    why.text = reason_words(row);
    why.details = kernel_words(row);
    if (const std::string lacking = lacking_proof(row); !lacking.empty()) why.details.push_back(lacking);
    why.advice = advice_words(row);
    why.where = where_text(row);
    const auto [at, is_new] =
        known.try_emplace({row.verdict, why.standing, why.text, why.advice, why.details}, result.size());
    if (is_new) result.push_back(std::move(why));
    result[at->second].cases.push_back(names[i]);
  }
  for (Finding& why : result)
    if (why.cases.size() > 1) why.where.clear();
  return result;
}

std::vector<std::string> take_common_advice(std::vector<Finding>& findings) {
  std::vector<std::string> order;
  std::map<std::string, std::pair<std::size_t, std::size_t>> uses;  // findings and results
  for (const Finding& finding : findings)
    for (const std::string& advice : finding.advice) {
      auto& [found, results] = uses[advice];
      if (++found == 1) order.push_back(advice);
      results += finding.cases.size();
    }
  std::vector<std::string> common;
  for (const std::string& advice : order)
    if (uses[advice].first > 1) common.push_back(fmt::format("{} results: {}", uses[advice].second, advice));
  for (Finding& finding : findings)
    std::erase_if(finding.advice, [&](const std::string& advice) { return uses[advice].first > 1; });
  return common;
}

std::string exit_code_meaning(const Comparison& comparison) {
  const int code = exit_code(comparison);
  const Counts counts = count(comparison);
  switch (code) {
    case 1:
      return counts.at(Verdict::regressed) > 0
                 ? "exit code 1: at least one case regressed"
                 : "exit code 1: a case improved, and `--fail-on improved` asks for a new baseline";
    case 3: return "exit code 3: nothing regressed, but something could not be decided";
    case 4: return "exit code 4: a baseline is missing or must not be compared";
    case 5: return "exit code 5: a case failed or computed a wrong result";
    default: break;
  }
  if (is_first(comparison)) return "exit code 0: the next run is compared with this one";
  std::vector<std::string> allowed;
  if (counts.at(Verdict::missing) > 0) allowed.emplace_back("missing");
  if (comparison.verdict == Verdict::skipped) allowed.emplace_back("skipped");
  if (counts.at(Verdict::not_comparable) > 0) allowed.emplace_back("not-comparable");
  if (counts.at(Verdict::inconclusive) > 0) allowed.emplace_back("inconclusive");
  std::vector<std::string> causes;
  if (!allowed.empty()) causes.push_back(fmt::format("`--allow {}`", join(allowed, ",")));
  if (const std::size_t waived = count_waived(comparison); waived > 0)
    causes.push_back(counted(waived, "waived result", "waived results"));
  if (causes.empty()) return "exit code 0: no case regressed";
  return "exit code 0: WARNING, only because of " + join(causes, " and ");
}

}  // namespace harness::report
