#include "harness/report/documents/comparison/comparison_headline.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <unordered_set>

#include "harness/base/text.h"
#include "harness/base/units.h"
#include "harness/report/numbers.h"

namespace harness::report {
namespace {

constexpr std::array<Verdict, 12> worst_first{
    Verdict::failed,       Verdict::regressed, Verdict::missing,     Verdict::not_comparable,
    Verdict::inconclusive, Verdict::improved,  Verdict::environment, Verdict::moved,
    Verdict::not_worse,    Verdict::unchanged, Verdict::identical,   Verdict::skipped};

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

bool one_deciding_row_a_case(const Comparison& comparison) {
  if (has_one_metric(comparison)) return true;
  std::unordered_set<std::string_view> ids;
  ids.reserve(comparison.rows.size());
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

std::string identical_words(const Comparison& comparison, bool one) {
  std::size_t all = 0, by_build = 0, by_files = 0;
  for (const ComparisonRow& row : comparison.rows) {
    if (row.verdict != Verdict::identical || !decides(row)) continue;
    ++all;
    by_build += row.by_build ? 1 : 0;
    by_files += row.by_files ? 1 : 0;
  }
  if (by_files > 0 && by_files == all) return fmt::format("{} the same in all files", one ? "reads" : "read");
  if (by_files > 0) return fmt::format("are the same, {} by the files that they read", by_files);
  if (by_build == 0)
    return fmt::format("{} the same machine code with the same launches", one ? "runs" : "run");
  if (by_build == all) return fmt::format("{} of the same build in the same environment", one ? "is" : "are");
  return fmt::format("are the same, {} by machine code and launches, {} by their build", all - by_build,
                     by_build);
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
    case Verdict::identical: return fmt::format("IDENTICAL: {} {}", part, identical_words(comparison, one));
    case Verdict::environment:
      return fmt::format(
          "ENVIRONMENT: {} {} identical machine code, and yet {} time changed: the machine, not the code",
          part, one ? "runs" : "run", one ? "its" : "their");
    case Verdict::moved:
      return fmt::format(
          "MOVED: the time of {} changed with the place of {} code, and not in the mean over all places",
          part, one ? "its" : "their");
    case Verdict::unchanged:
    case Verdict::skipped: break;
  }
  return fmt::format("UNCHANGED: {} {} within {} margin", part, are, one ? "its" : "their");
}

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
                                     std::pair(Verdict::moved, "changed with the place of the code alone"),
                                     std::pair(Verdict::identical, "identical")})
    if (other != verdict && counts[other] > 0) headline += fmt::format("; {} {}", counts[other], words);
  if (waived > 0) headline += "; " + waived_words(comparison);
  return headline;
}

}  // namespace

bool has_one_metric(const Comparison& comparison) {
  return std::all_of(comparison.rows.begin(), comparison.rows.end(),
                     [&](const ComparisonRow& row) { return row.metric == comparison.rows.front().metric; });
}

bool is_first(const Comparison& comparison) {
  return comparison.baseline.found.code == SourceCode::none && comparison.baseline.found.count("first") != 0;
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
    case Verdict::moved:
    case Verdict::not_worse:
    case Verdict::unchanged:
    case Verdict::skipped: break;
  }
  return Paint::faint;
}

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

namespace {

// "only 3 of 72 cases were selected"; "" where none was left out.
std::string selected_words(const Comparison& comparison) {
  for (const Remark& remark : comparison.remarks)
    if (remark.code == RemarkCode::left_out)
      return fmt::format("only {} of {} cases were selected", remark.count("all") - remark.count("cases"),
                         remark.count("all"));
  return {};
}

}  // namespace

std::string perhaps_unbuilt(const Comparison& comparison) {
  if (comparison.unbuilt.empty()) return {};
  return fmt::format("WARNING: perhaps {} not built again: the sources changed, and {} the baseline's",
                     join(comparison.unbuilt, ", ") + (comparison.unbuilt.size() == 1 ? " was" : " were"),
                     comparison.unbuilt.size() == 1 ? "its file is" : "their files are");
}

std::string comparison_headline(const Comparison& comparison) {
  std::string headline = verdict_headline(comparison);
  for (const std::string& loosened :
       {selected_words(comparison), gates_loosened(comparison), proposed_by_change(comparison),
        processes_loosened(comparison), perhaps_unbuilt(comparison)})
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
