#include "harness/report/words/policy_words.h"

#include <fmt/format.h>

#include <vector>

#include "harness/base/text.h"
#include "harness/base/units.h"
#include "harness/report/words/examination_words.h"
#include "harness/report/words/note_words.h"

namespace harness::report {
namespace {

using Value = Fact<PolicyCode>;

std::string percent(double share) {
  return fmt::format("{:.4g} %", share * 100);
}

bool has(const Value& value, std::string_view name) {
  for (const Figure& figure : value.figures)
    if (figure.name == name) return true;
  return false;
}

// "1 %", or "0.5 % to 5 %, by case and metric".
std::string gate_words(const Value& value) {
  if (has(value, "value")) return percent(value.number("value"));
  return fmt::format("{} to {}, by case and metric", percent(value.number("least")),
                     percent(value.number("most")));
}

std::string loosened_words(const Value& value) {
  const std::int64_t all = value.count("results"), hidden = value.count("hidden");
  std::string text = fmt::format("for {} {} since the baseline", all, all == 1 ? "result" : "results");
  if (hidden > 0) text += fmt::format("; the baseline's gate would have failed {}", hidden);
  return text;
}

// "looser gates of 2 results, 1 waiver: not counted".
std::string proposed_words(const Value& value) {
  const std::int64_t gates = value.count("gates"), waivers = value.count("waivers");
  std::vector<std::string> parts;
  if (gates > 0)
    parts.push_back(fmt::format("looser gates of {} {}", gates, gates == 1 ? "result" : "results"));
  if (waivers > 0) parts.push_back(fmt::format("{} {}", waivers, waivers == 1 ? "waiver" : "waivers"));
  if (value.count("accepted") != 0)
    return parts.empty() ? "nothing for --accept-proposed to accept"
                         : join(parts, ", ") + ": accepted by --accept-proposed";
  return join(parts, ", ") + ": not counted without --accept-proposed";
}

std::string processes_words(const Value& value) {
  const std::int64_t needed = value.count("needed"), usual = value.count("usual");
  std::string text = value.count("shared") != 0 ? fmt::format("at least {} with both builds", needed)
                                                : fmt::format("at least {} a side", needed);
  if (needed < usual) text += fmt::format(", loosened from {}", usual);
  return text;
}

std::string sessions_words(const Value& value) {
  const std::string usual = percent(value.number("sd"));
  if (!has(value, "results")) return fmt::format("differ by {} (sd), assumed", usual);
  const double least = value.number("least"), most = value.number("most");
  const std::string range = least == most ? percent(least) : percent(least) + " to " + percent(most);
  return fmt::format("differ by {} (sd), learned for {} {}; {} assumed for others", range,
                     value.count("results"), value.count("results") == 1 ? "result" : "results", usual);
}

std::string waivers_words(const Value& value) {
  std::vector<std::string> parts;
  for (const Figure& figure : value.figures)
    parts.push_back(fmt::format("{} {}", value.count(figure.name),
                                figure.name == name_of(WaiverUse::State::holds) ? "in use" : figure.name));
  return parts.empty() ? "none" : join(parts, ", ");
}

std::string name_words(PolicyCode code) {
  switch (code) {
    case PolicyCode::gates_loosened: return "gates loosened";
    case PolicyCode::proposed: return "proposed by the change";
    case PolicyCode::paired:
    case PolicyCode::one_session: return "sessions";
    case PolicyCode::other_device: return "other device";
    default: return std::string(name_of(code));
  }
}

std::string value_words(const Value& value) {
  switch (value.code) {
    case PolicyCode::margin:
    case PolicyCode::alpha: return gate_words(value);
    case PolicyCode::informative: return value.text("metrics");
    case PolicyCode::gates_loosened: return loosened_words(value);
    case PolicyCode::processes: return processes_words(value);
    case PolicyCode::paired:
      return value.count("shared") != 0 ? "paired in one process: both builds in turn, sample by sample"
                                        : "one session: processes of both builds in turn";
    case PolicyCode::one_session: return "one for both sides: " + value.text("session");
    case PolicyCode::sessions: return sessions_words(value);
    case PolicyCode::other_device: return fmt::format("allowed, adds {}", percent(value.number("sd")));
    case PolicyCode::allowed: return has(value, "verdicts") ? value.text("verdicts") : "no exceptions";
    case PolicyCode::improvements: return value.count("fail") != 0 ? "fail: the baseline is stale" : "pass";
    case PolicyCode::waivers: return waivers_words(value);
    case PolicyCode::proposed: return proposed_words(value);
  }
  return "?";
}

std::string waivers_origin(const Policy& policy) {
  switch (policy.waiver_trust) {
    case WaiverTrust::unversioned: return policy.waivers_file + ", in no repository";
    case WaiverTrust::no_baseline:
      return policy.waivers_file + "; this repository lacks the baseline's commit";
    case WaiverTrust::baseline: break;
  }
  return fmt::format("{} at {}", policy.waivers_file, policy.waivers_commit.substr(0, 10));
}

std::string origin_words(PolicyOrigin origin, const Comparison& comparison) {
  switch (origin) {
    case PolicyOrigin::standard: return "default";
    case PolicyOrigin::suite:
      return comparison.suite_file.empty() ? "suite" : "suite " + comparison.suite_file;
    case PolicyOrigin::command_line: return "command line";
    case PolicyOrigin::waivers_file: return waivers_origin(comparison.policy);
    case PolicyOrigin::calibration: return "calibration";
    case PolicyOrigin::history: return "earlier runs";
    case PolicyOrigin::ab_run: return "A/B run";
    case PolicyOrigin::records: return "both records";
    case PolicyOrigin::change: return "the change";
  }
  return "?";
}

std::string days_words(std::int64_t days) {
  if (days == 0) return "today";
  return days == 1 ? "tomorrow" : fmt::format("in {} days", days);
}

}  // namespace

PolicyWords words(const PolicyFact& fact, const Comparison& comparison) {
  return {name_words(fact.value.code), value_words(fact.value), origin_words(fact.origin, comparison)};
}

std::string words(const WaiverAdvice& advice) {
  switch (advice.code) {
    case WaiverAdviceCode::expires_soon:
      return fmt::format("It expires {}: fix the cause, or renew it with its reason.",
                         days_words(advice.count("days")));
    case WaiverAdviceCode::expired_unused:
      return fmt::format("It expired on {}, and nothing needs it: remove it.", advice.text("expires"));
    case WaiverAdviceCode::matches_nothing:
      return advice.figures.empty()
                 ? std::string("It matches no case here: correct the pattern, or remove the waiver.")
                 : fmt::format("It matches no case here: did you mean `{}`?", advice.text("pattern"));
    case WaiverAdviceCode::no_such_metric: {
      const std::string near = advice.text("near");
      return fmt::format("No case that it matches has the metric `{}`{}.", advice.text("metric"),
                         near.empty() ? "" : fmt::format(": did you mean `{}`?", near));
    }
    case WaiverAdviceCode::no_room:
      return "Its ceiling is not above the margin of the cases that it matches, so it waives nothing: raise "
             "the "
             "ceiling, or remove it.";
    case WaiverAdviceCode::proposed:
      return fmt::format(
          "The change itself adds it, so it does not count. It would cover {} {}: have it reviewed, and pass "
          "`--accept-proposed`.",
          advice.count("results"), advice.count("results") == 1 ? "result" : "results");
    case WaiverAdviceCode::unused:
      return "It is unused: no case that it matches regressed. Remove it if its cause is gone.";
  }
  return "?";
}

namespace {

std::string compared_by(const Remark& remark) {
  const std::string how = remark.text("how");
  const std::string why =
      remark.count("built") != 0 ? " No stored record can judge: the baseline's commit was built here." : "";
  if (how == "process") return "Compared by both builds in the same processes, sample by sample." + why;
  if (how == "without")
    return fmt::format("The results of {} are not used: {}.", remark.text("device"),
                       sick_words(remark.figures));
  if (how == "session") return "Compared by processes of both builds in turn." + why;
  const auto records = remark.count("records");
  return fmt::format("Compared with a stored baseline of the same device{}.",
                     records > 1 ? fmt::format(", pooled from {} records", records) : "");
}

std::string loose_text(const Remark& remark) {
  const auto loose = remark.count("loose");
  return loose == 0
             ? ""
             : fmt::format(" Nor does it cover {} of the arguments that {} between starts of one build.",
                           loose == 1 ? "1 word" : fmt::format("{} words", loose),
                           loose == 1 ? "differs" : "differ");
}

// The programs whose inputs the proof did not compare.
std::string trusted_text(const Remark& remark) {
  const std::string programs = remark.text("trusted");
  return programs.empty() ? ""
                          : fmt::format(" It trusts the inputs of {} unseen (`inputs: trusted`).", programs);
}

// Results whose place may hide a slowdown.
std::string places_words(const Remark& remark) {
  std::vector<std::string> sentences;
  const auto add = [&](const char* figure, std::string_view one, std::string_view several) {
    const auto results = remark.count(figure);
    if (results > 0)
      sentences.push_back(fmt::format("{} {}", results == 1 ? "1 result" : fmt::format("{} results", results),
                                      results == 1 ? one : several));
  };
  add("worse",
      "is worse in the mean over the places of its code, and stays: copies do not show it, or it is beyond "
      "the margin at 5 % alone.",
      "are worse in the mean over the places of their code, and stay: copies do not show it, or it is beyond "
      "the margin at 5 % alone.");
  add("unweighed",
      "was measured at other places of its code, and could not be weighed: let the device cool, stop its "
      "other users, and measure again.",
      "were measured at other places of their code, and could not be weighed: let the device cool, stop its "
      "other users, and measure again.");
  add("fixed", "may hide a slowdown by its place: its kernels cannot be moved.",
      "may hide a slowdown by their place: their kernels cannot be moved.");
  add("apart", "may hide a slowdown by its place: only `--pair process` measures others.",
      "may hide a slowdown by their place: only `--pair process` measures others.");
  return sentences.empty() ? "Other places of the code leave nothing open." : join(sentences, " ");
}

}  // namespace

std::string words(const Remark& remark) {
  switch (remark.code) {
    case RemarkCode::idle_gate: {
      const std::string near = remark.text("near"), known = remark.text("known");
      return fmt::format("The gate of the metric `{}` has no effect: no case has this metric{}",
                         remark.text("metric"),
                         !near.empty()   ? fmt::format("; did you mean `{}`?", near)
                         : known.empty() ? "."
                                         : fmt::format("; known: {}.", known));
    }
    case RemarkCode::gate_without_values:
      return fmt::format(
          "The gate of the metric `{}` judged nothing in {} {}: the current record has no value.",
          remark.text("metric"), remark.count("cases"), remark.count("cases") == 1 ? "case" : "cases");
    case RemarkCode::compared_by: return compared_by(remark);
    case RemarkCode::not_covered:
      return fmt::format("Not measured where code is identical, and not covered by the proof: {}.",
                         remark.text("metrics"));
    case RemarkCode::traced_proof:
      return fmt::format(
          "Proven by the launches of its steps, under the trace: {}. The proof covers machine code, shapes, "
          "arguments, streams and order, and the bytes that come from the host. It does not cover the host's "
          "time.{}{}",
          remark.text("programs"), loose_text(remark), trusted_text(remark));
    case RemarkCode::files_proof:
      return fmt::format(
          "Proven by the files that one start read: {}. The proof covers the command, its environment, the "
          "programs, libraries and files that it opens, and the names in folders. It does not cover times of "
          "files, random numbers, the clock, and the state of the machine.",
          remark.text("programs"));
    case RemarkCode::confirmed:
      return fmt::format("Measured {} regressed {} again on {} fresh processes before failing.",
                         remark.count("cases"), remark.count("cases") == 1 ? "case" : "cases",
                         remark.count("processes"));
    case RemarkCode::unconfirmed:
      return fmt::format(
          "{} regressed {} not measured again: {}.", remark.count("cases"),
          remark.count("cases") == 1 ? "case was" : "cases were",
          remark.text("reason") == "budget" ? "the budget had ended" : "--no-confirm was given");
    case RemarkCode::code_shifted:
      return fmt::format("Measured {} changed {} again at {} places of the code, on {} processes at each.",
                         remark.count("cases"), remark.count("cases") == 1 ? "case" : "cases",
                         remark.count("places"), remark.count("processes"));
    case RemarkCode::code_unshifted:
      return fmt::format("Not measured at other places of the code: {}: {}.", remark.text("cases"),
                         remark.text("reason"));
    case RemarkCode::places_left_out:
      return fmt::format(
          "{} {} not measured at other places of the code: the budget of {} ended (`--budget`).",
          remark.count("results"),
          remark.count("results") == 1 ? "result that passes or is undecided was"
                                       : "results that pass or are undecided were",
          remark.number("budget") == 0 ? "0 s" : format_seconds(remark.number("budget")));
    case RemarkCode::places_open: return places_words(remark);
    case RemarkCode::parameters_untold:
      return fmt::format("Of {} case{}, the files of one side alone tell: {}.", remark.count("cases"),
                         remark.count("cases") == 1 ? "" : "s", remark.text("parameters"));
    case RemarkCode::one_session:
      return fmt::format(
          "A side is one file with all its starts, which share a session. Sessions of host times are taken "
          "to "
          "differ by {}: several files, written in turns with the other build, tell it.",
          percent(remark.number("sd")));
    case RemarkCode::waivers_uncommitted:
      return fmt::format("{} has changes that are not committed; they do not count. Commit them.",
                         remark.text("file"));
    case RemarkCode::left_out:
      return fmt::format("A filter, a tag or --set left out {} of the baseline's {} cases.",
                         remark.count("cases"), remark.count("all"));
    case RemarkCode::suites_deleted:
      return fmt::format("The change deletes suites, and nobody measures them: {}.", remark.text("files"));
    case RemarkCode::counters_unread: {
      const auto why = fact_in<CounterCode>(remark.figures, "why");
      return fmt::format("No hardware counters explain what regressed: {}.", why ? words(*why) : "");
    }
    case RemarkCode::topped_up:
      return fmt::format("Continued {} undecided {} to {} processes.", remark.count("cases"),
                         remark.count("cases") == 1 ? "case" : "cases", remark.count("look"));
    case RemarkCode::top_up_done:
      return fmt::format("Continuing took {} and added {} {}.", format_seconds(remark.number("seconds")),
                         remark.count("results"), remark.count("results") == 1 ? "result" : "results");
    case RemarkCode::budget_ended:
      if (remark.count("cases") > 0)
        return fmt::format("The budget of {} left out {} {}; the table names them.",
                           format_seconds(remark.number("budget")), remark.count("cases"),
                           remark.count("cases") == 1 ? "case" : "cases");
      return fmt::format(
          "The budget of {} for continuing ended with {} {} undecided. Raise --budget, or continue with "
          "`harness "
          "compare --measure`.",
          remark.number("budget") == 0 ? "0 s" : format_seconds(remark.number("budget")),
          remark.count("results"), remark.count("results") == 1 ? "result" : "results");
  }
  return "?";
}

}  // namespace harness::report
