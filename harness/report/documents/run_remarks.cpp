#include "harness/report/documents/run_remarks.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <set>

#include "harness/base/text.h"
#include "harness/base/units.h"
#include "harness/model/device_kinds.h"
#include "harness/model/pin/figures.h"
#include "harness/report/documents/identity.h"
#include "harness/report/inputs_words.h"
#include "harness/report/numbers.h"
#include "harness/report/words/cause_words.h"
#include "harness/report/words/source_words.h"

namespace harness::report {
namespace {

// The outcomes in the order in which they are told. `measured` here is a case without any sample.
constexpr std::array<Outcome, 6> telling_order{Outcome::incorrect, Outcome::failed,    Outcome::timed_out,
                                               Outcome::measured,  Outcome::looked_at, Outcome::skipped};

// "copy_bytes_per_s", 3.9e12 -> "copy 3.90 TB/s".
std::string describe_ceiling(const std::string& name, double value) {
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 2> units{
      {{"_bytes_per_s", "B/s"}, {"_flops_per_s", "FLOP/s"}}};
  for (const auto& [suffix, unit] : units) {
    if (!name.ends_with(suffix)) continue;
    std::string what = name.substr(0, name.size() - suffix.size());
    std::replace(what.begin(), what.end(), '_', ' ');
    return what + " " + format_si(value, unit);
  }
  return name + " " + format_significant(value);
}

// The mean that `calls` calls from a cold start would have had.
double cold_mean(const Summary& summary, int calls) {
  return (*summary.first_call + (calls - 1) * summary.center) / calls;
}

bool has_first_call(const Summary& summary) {
  return summary.outcome == Outcome::measured && summary.samples > 0 && summary.center > 0 &&
         summary.first_call && std::isfinite(*summary.first_call) && *summary.first_call > 0 &&
         seconds_per_unit(summary.unit) > 0;
}

struct Distortion {
  const Summary* summary = nullptr;
  int calls = 0;
  double honest = 0;
  double claimed = 0;
  [[nodiscard]] double size() const { return honest > 0 ? std::fabs(std::log(claimed / honest)) : 0; }
};

using SummaryIndex = std::map<std::pair<std::string_view, std::string_view>, const Summary*>;

Distortion speedup_distortion(const Summary& summary, int calls, const SummaryIndex& index) {
  if (!summary.speedup) return {};
  const auto reference = index.find({summary.speedup->reference, summary.metric});
  if (reference == index.end() || !has_first_call(*reference->second)) return {};
  return {&summary, calls, summary.speedup->ratio,
          cold_mean(*reference->second, calls) / cold_mean(summary, calls)};
}

std::string remark_on(const Distortion& worst, bool speedup) {
  const auto shown = [&](double value) {
    return speedup ? format_significant(value, 3) + "x"
                   : format_seconds(value * seconds_per_unit(worst.summary->unit));
  };
  if (worst.summary == nullptr || shown(worst.claimed) == shown(worst.honest)) return {};
  return fmt::format(
      "first call: cold, timed apart and part of no other figure. With it included, the mean of {} calls "
      "would show {} for {}, instead of {}.",
      worst.calls, shown(worst.claimed), worst.summary->case_id, shown(worst.honest));
}

std::string sampling_fact(const Record& record) {
  for (const CaseRecord& one : record.cases) {
    if (one.outcome == Outcome::skipped || one.device == import_device) continue;  // sampled by another tool
    const Sampling& how = one.sampling;
    bool same_timing = true;
    const bool uniform = std::all_of(record.cases.begin(), record.cases.end(), [&](const CaseRecord& other) {
      Sampling sampling = other.sampling;
      same_timing &= other.outcome == Outcome::skipped || sampling.timing == how.timing;
      sampling.timing = how.timing;
      return other.outcome == Outcome::skipped || sampling == how;
    });
    if (!uniform) return "differs by case";
    const char* timing = !same_timing                      ? ", short calls in batches"
                         : how.timing == TimingMode::batch ? ", in batches"
                                                           : "";
    const std::string first =
        how.full_power > 0 ? ", after " + format_seconds(how.full_power) + " at full power" : "";
    return fmt::format("{} x {} x {}, {} cache{}{}",
                       counted(static_cast<std::size_t>(how.processes), "process", "processes"),
                       counted(static_cast<std::size_t>(how.placements), "placement", "placements"),
                       (how.width > 0 ? fmt::format("{} to ", how.width_samples) : "") +
                           counted(static_cast<std::size_t>(how.samples), "sample", "samples"),
                       name_of(how.cache), timing, first) +
           describe_inputs(how);
  }
  return {};
}

class Range {
 public:
  void add(double value) {
    lowest_ = std::min(lowest_, value);
    highest_ = std::max(highest_, value);
  }
  [[nodiscard]] bool known() const { return lowest_ <= highest_; }
  [[nodiscard]] double highest() const { return highest_; }
  [[nodiscard]] std::string text(int digits) const {
    const std::string low = fmt::format("{:.{}f}", lowest_, digits),
                      high = fmt::format("{:.{}f}", highest_, digits);
    return low == high ? low : low + " to " + high;
  }

 private:
  double lowest_ = std::numeric_limits<double>::infinity();
  double highest_ = -lowest_;
};

// How busy the device was, at which clock and power; "" where it was not paced.
std::string power_fact(const Record& record) {
  Range duty, clock, power;
  std::size_t samples = 0, slow = 0;
  const auto add = [&](const Placement& placement) {
    if (!(placement.duty > 0)) return;
    duty.add(placement.duty);
    if (placement.clock_ghz > 0) clock.add(placement.clock_ghz);
    if (placement.conditions && placement.conditions->power_w) power.add(*placement.conditions->power_w);
    samples += placement.samples.size();
    slow += static_cast<std::size_t>(placement.slow_samples);
  };
  const auto add_pinned = [&](const ProcessFigures& figures) {
    if (!(figures.duty > 0)) return;
    duty.add(figures.duty);
    if (figures.conditions.clock_ghz) clock.add(*figures.conditions.clock_ghz);
    if (figures.conditions.power_w) power.add(*figures.conditions.power_w);
    samples += static_cast<std::size_t>(figures.samples);
    slow += static_cast<std::size_t>(figures.slow_samples);
  };
  for (const CaseRecord& one : record.cases)
    for (const Series& series : one.series)
      for (const ProcessSamples& process : series.processes) {
        for (const Placement& placement : process.placements) add(placement);
        if (process.figures) add_pinned(*process.figures);
      }
  if (samples == 0) return {};
  std::string text =
      fmt::format("busy for {} of the time, {:.1f} % of the samples below the boost clock", duty.text(2),
                  100 * static_cast<double>(slow) / static_cast<double>(samples));
  if (clock.known()) text += fmt::format("; {} GHz", clock.text(3));
  if (power.known()) text += fmt::format(", up to {:.0f} W", power.highest());
  return text;
}

}  // namespace

std::string quiet_name(Outcome outcome) {
  if (outcome == Outcome::timed_out) return "timed out";
  if (outcome == Outcome::measured) return "without samples";
  if (outcome == Outcome::looked_at) return "only looked at";
  return std::string(name_of(outcome));
}

std::string loud_name(Outcome outcome) {
  std::string name = quiet_name(outcome);
  std::transform(name.begin(), name.end(), name.begin(),
                 [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; });
  return name;
}

std::string describe_machine(const Machine& machine) {
  std::vector<std::string> parts;
  if (!machine.machine_class.empty()) parts.push_back(machine.machine_class);
  for (const MachineField& field : machine.fields)
    if (field.kind != FieldClass::info && !field.value.empty())
      parts.push_back(field.name + " " + field.value);
  std::vector<std::string> ceilings;
  for (const auto& [name, value] : machine.ceilings) ceilings.push_back(describe_ceiling(name, value));
  if (!ceilings.empty()) parts.push_back("measured ceilings: " + join(ceilings, ", "));
  return join(parts, " · ");
}

std::string describe_revision(const Revision& revision) {
  std::string text = revision.commit.empty() ? "not in a repository" : revision.commit.substr(0, 12);
  if (!revision.branch.empty()) text += " on " + revision.branch;
  if (revision.dirty) text += ", with uncommitted changes";
  return text;
}

std::string why_unmeasured(const Summary& summary) {
  if (summary.reason) return words(*summary.reason);
  const auto unread = [](const Note& note) {
    return note.code == NoteCode::known_look && note.count("unread") != 0;
  };
  if (summary.outcome == Outcome::looked_at &&
      std::any_of(summary.notes.begin(), summary.notes.end(), unread))
    return "it is of the baseline's build in the same environment, so it was not measured";
  if (summary.outcome == Outcome::looked_at)
    return "its machine code and its launches were those of the baseline, so it was not measured";
  return "no reason was recorded";
}

bool is_harmless(Outcome outcome) {
  return outcome == Outcome::skipped || outcome == Outcome::looked_at;
}

std::vector<Unmeasured> unmeasured_cases(const std::vector<Summary>& summaries) {
  std::map<Outcome, std::vector<Reasoned>> by_outcome;
  std::set<std::string_view> told;
  for (const Summary& summary : summaries) {
    if (summary.outcome == Outcome::measured && summary.samples > 0) continue;
    if (!told.insert(summary.case_id).second) continue;
    by_outcome[summary.outcome].push_back({summary.case_id, why_unmeasured(summary)});
  }
  std::vector<Unmeasured> result;
  for (const Outcome outcome : telling_order)
    if (const auto at = by_outcome.find(outcome); at != by_outcome.end())
      result.push_back({outcome, at->second.size(), group_by_reason(at->second)});
  return result;
}

std::string run_headline(const Record& record, const std::vector<Summary>& summaries,
                         const std::vector<Unmeasured>& unmeasured) {
  std::set<std::string_view> all;
  for (const Summary& summary : summaries) all.insert(summary.case_id);
  std::size_t without = 0;
  std::string rest;
  for (const Unmeasured& some : unmeasured) {
    without += some.count;
    rest += fmt::format(", {} {}", some.count,
                        is_harmless(some.outcome) ? quiet_name(some.outcome) : loud_name(some.outcome));
  }
  const std::string count =
      without == 0 ? fmt::format("all {}", counted(all.size(), "case", "cases"))
                   : fmt::format("{} of {}", all.size() - without, counted(all.size(), "case", "cases"));
  if (all.empty()) return record.suite.name + ": no cases";
  return fmt::format("{}: {} measured{}", record.suite.name, count, rest);
}

NamedTexts run_facts(const Record& record) {
  NamedTexts facts;
  if (!record.suite.file.empty()) facts.emplace_back("suite", record.suite.file);
  facts.emplace_back("revision", describe_revision(record.revision));
  facts.emplace_back("measured",
                     fmt::format("{} to {} by {}", record.started,
                                 record.finished.empty() ? "(not finished)" : record.finished, record.tool));
  for (const auto& [kind, machine] : record.machines) facts.emplace_back(kind, describe_machine(machine));
  if (const std::string sampling = sampling_fact(record); !sampling.empty())
    facts.emplace_back("sampling", sampling);
  if (const std::string power = power_fact(record); !power.empty()) facts.emplace_back("power", power);
  if (record.promotion)
    facts.emplace_back("pinned", fmt::format("by {} on {}: {}", record.promotion->author,
                                             record.promotion->date, record.promotion->reason));
  if (lacks_samples(record)) facts.emplace_back("samples", std::string(pin_without_samples));
  if (!record.id.empty()) facts.emplace_back("record", record.id);
  return facts;
}

Prose run_legend(const std::vector<Summary>& summaries) {
  Prose legend;
  const auto explain = [&](const char* column, const char* words) {
    legend.columns.emplace_back(column);
    legend.lines.emplace_back(words);
  };
  explain("centre",
          "centre: geometric mean of one value a process, and its interval. Every other figure is of all "
          "samples, none removed.");
  explain("outliers", "outliers: mild/far: beyond 1.5 and 3 interquartile ranges of their placement.");
  const auto has = [&](auto predicate) { return std::any_of(summaries.begin(), summaries.end(), predicate); };
  if (has([](const Summary& summary) { return summary.share_of_ceiling.has_value(); }))
    explain(
        "of ceiling",
        "of ceiling: share of the ceiling measured on this machine, in arithmetic (compute) or in copying "
        "(memory), whichever is larger.");
  if (has([](const Summary& summary) { return summary.share_of_ceiling.value_or(0) > 1; }))
    explain("of ceiling",
            "! above 100 %: the declared FLOPs or bytes are too many, or the data stayed in a cache; do not "
            "quote this throughput.");
  return legend;
}

std::string first_call_remark(const Record& record, const std::vector<Summary>& summaries) {
  std::map<std::string_view, int> calls;
  for (const CaseRecord& one : record.cases) calls.emplace(one.id, std::max(1, one.sampling.samples));
  SummaryIndex index;
  for (const Summary& summary : summaries)
    index.emplace(std::pair<std::string_view, std::string_view>{summary.case_id, summary.metric}, &summary);
  Distortion worst_speedup;
  Distortion worst_time;
  for (const Summary& summary : summaries) {
    if (!has_first_call(summary)) continue;
    const auto at = calls.find(summary.case_id);
    const int n = at == calls.end() ? 50 : at->second;
    const Distortion speedup = speedup_distortion(summary, n, index);
    if (speedup.size() > worst_speedup.size()) worst_speedup = speedup;
    const Distortion time{&summary, n, summary.center, cold_mean(summary, n)};
    if (time.size() > worst_time.size()) worst_time = time;
  }
  const std::string remark = remark_on(worst_speedup, true);
  return remark.empty() ? remark_on(worst_time, false) : remark;
}

}  // namespace harness::report
