#include "harness/store/adapters/merge_files.h"

#include <fmt/format.h>
#include <fnmatch.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <unordered_set>

#include "harness/base/files.h"
#include "harness/base/text.h"
#include "harness/model/device_kinds.h"
#include "harness/store/adapters/known_units.h"

namespace harness {
namespace {

constexpr double longest_session = 12.0 * 3600;  // seconds between the dates of two files of one session

// Two starts do not agree in so many decimal digits of different samples by chance.
constexpr std::size_t telling_digits = 12;

std::size_t digits_of(double value) {
  const std::string text = fmt::format("{:e}", value);
  std::size_t digits = 0, last = 0;
  for (const char sign : text.substr(0, text.find('e'))) {
    if (sign < '0' || sign > '9') continue;
    ++digits;
    if (sign != '0') last = digits;
  }
  return last;
}

bool has_same_samples(const ProcessSamples& one, const ProcessSamples& other) {
  return std::equal(one.placements.begin(), one.placements.end(), other.placements.begin(),
                    other.placements.end(),
                    [](const Placement& a, const Placement& b) { return a.samples == b.samples; });
}

// The first of the known processes that have the very times of all added ones; 0 without any. Counters may
// agree.
int copied_process(const Series& added, const Series& known) {
  const auto found = std::search(known.processes.begin(), known.processes.end(), added.processes.begin(),
                                 added.processes.end(), has_same_samples);
  if (found == known.processes.end() || !time_unit(added.unit)) return 0;
  std::set<double> values;
  for (const ProcessSamples& process : added.processes)
    for (const Placement& placement : process.placements)
      for (std::size_t i = 0; i < placement.samples.size() && values.size() < telling_digits; ++i)
        values.insert(placement.samples[i]);
  std::size_t digits = 0;
  for (const double value : values) digits += digits_of(value);
  return digits < telling_digits ? 0 : found->process;
}

// Each placement as a process of its own. Returns how many there are.
int split_starts(CaseRecord& one) {
  std::vector<ProcessResult> results;
  const ProcessResult like = one.processes.front();
  int most = 1;
  for (Series& series : one.series) {
    std::vector<ProcessSamples> starts;
    for (ProcessSamples& process : series.processes)
      for (Placement& placement : process.placements)
        starts.push_back({static_cast<int>(starts.size()) + 1, {std::move(placement)}});
    most = std::max(most, static_cast<int>(starts.size()));
    series.processes = std::move(starts);
  }
  for (int start = 1; start <= most; ++start) {
    results.push_back(like);
    results.back().process = start;
    if (start > 1) results.back().outcome = Outcome::measured, results.back().reason.reset();
  }
  one.processes = std::move(results);
  return most;
}

Error differs(const CaseRecord& one, const std::string& what, const std::string& value,
              const std::string& before, const std::string& now_file, const std::string& first_file,
              const std::string& advice) {
  const auto said = [](const std::string& text) {
    return text.empty() ? std::string("not told") : "`" + printable(text) + "`";
  };
  return {ErrorKind::usage,
          fmt::format("is no further process of `{}`: {} is {}, and {} in {}", printable(one.id), what,
                      said(value), said(before), printable(first_file)),
          Location{now_file}, advice};
}

// The values of a field of the machine in all files, of which a reader sees a few.
void join_value(std::string& values, const std::string& more) {
  constexpr std::size_t most = 4;
  const std::vector<std::string> known = split(values, ';');
  const bool met = std::any_of(known.begin(), known.end(),
                               [&](const std::string& one) { return trim(one) == more || one == " ..."; });
  if (met || more.empty()) return;
  values += known.size() < most ? "; " + more : "; ...";
}

}  // namespace

std::optional<double> seconds_of_date(const std::string& date) {
  int parts[6] = {};
  constexpr std::size_t at[6] = {0, 5, 8, 11, 14, 17}, digits[6] = {4, 2, 2, 2, 2, 2};
  if (date.size() < 19) return std::nullopt;
  for (std::size_t i = 0; i < 6; ++i) {
    const char* begin = date.data() + at[i];
    const auto [end, code] = std::from_chars(begin, begin + digits[i], parts[i]);
    if (code != std::errc{} || end != begin + digits[i]) return std::nullopt;
  }
  const std::chrono::year_month_day day{std::chrono::year(parts[0]),
                                        std::chrono::month(static_cast<unsigned>(parts[1])),
                                        std::chrono::day(static_cast<unsigned>(parts[2]))};
  if (!day.ok()) return std::nullopt;
  const auto days = std::chrono::sys_days(day).time_since_epoch().count();
  return static_cast<double>(days) * 86400 + parts[3] * 3600 + parts[4] * 60 + parts[5];
}

Result<int> MergedFiles::session_of(const std::string& file, const ToolFile& read) const {
  // One session alone tells no more than none: nobody knows how sessions differ.
  const bool several = options_.sessions.size() > 1;
  for (std::size_t i = 0; i < options_.sessions.size(); ++i)
    if (fnmatch(options_.sessions[i].files.c_str(), file.c_str(), 0) == 0)
      return several ? static_cast<int>(i) + 1 : 0;
  if (!options_.sessions.empty())
    return fail(ErrorKind::usage, Location{file}, "belongs to no session that --session names",
                "name it, too: --session NAME=FILES, with wildcards");
  if (sources_.empty()) return 0;
  const Source& first = sources_.front();
  const auto advice = [](const char* what) {
    return fmt::format(
        "sessions on several hosts or days differ more than processes do: name them, such as --session "
        "monday='mon/*' --session tuesday='tue/*'; or say `--same {}` if all were started as one session",
        what);
  };
  if (!options_.may_differ.contains("host") && !first.host.empty() && !read.host.empty() &&
      first.host != read.host)
    return fail(ErrorKind::usage, Location{file},
                fmt::format("was written on host `{}`, and {} on `{}`", printable(read.host),
                            printable(first.file), printable(first.host)),
                advice("host"));
  const auto now = seconds_of_date(read.date);
  if (options_.may_differ.contains("date") || !now) return 0;
  for (const Source& other : sources_)
    if (const auto then = seconds_of_date(other.date); then && std::abs(*now - *then) > longest_session)
      return fail(ErrorKind::usage, Location{file},
                  fmt::format("is of {}, and {} of {}", printable(read.date), printable(other.file),
                              printable(other.date)),
                  advice("date"));
  return 0;
}

Status MergedFiles::check_alike(const CaseRecord& known, const Source& first, const CaseRecord& added,
                                const Source& now) const {
  const auto check = [&](const Texts& before, const Texts& after) -> Status {
    if (before == after) return {};
    std::set<std::string> names;
    for (const Texts* texts : {&before, &after})
      for (const auto& [name, value] : *texts) names.insert(name);
    for (const std::string& name : names) {
      if (options_.may_differ.contains(name)) continue;
      const auto value = [&](const Texts& texts) {
        const auto found = texts.find(name);
        return found == texts.end() ? std::string() : found->second;
      };
      if (value(before) != value(after))
        return fail(differs(
            added, "`" + name + "`", value(after), value(before), now.file, first.file,
            fmt::format("import them apart, each with a --suite of its own; or say {} if they are starts of "
                        "one thing",
                        "`--same " + shell_quoted(name) + "`")));
    }
    return {};
  };
  if (Status alike = check(first.same, now.same); !alike) return alike;
  static const Texts none;
  if (Status alike = check(known.tool_case ? known.tool_case->source : none,
                           added.tool_case ? added.tool_case->source : none);
      !alike)
    return alike;
  for (const Series& series : known.series)
    for (const Series& other : added.series)
      if (series.metric == other.metric && (series.unit != other.unit || series.direction != other.direction))
        return fail(differs(added, fmt::format("the unit or direction of `{}`", printable(series.metric)),
                            other.unit, series.unit, now.file, first.file, {}));
  return {};
}

// A record has one machine: fields that forbid comparisons have to be equal where two files tell them.
Status MergedFiles::check_machine(const Machine& machine, const std::string& file) const {
  if (sources_.empty()) return {};
  for (const MachineField& known : record_.machines.at(std::string(import_device)).fields)
    for (const MachineField& field : machine.fields)
      if (field.name == known.name && field.kind == FieldClass::block && field.value != known.value &&
          !options_.may_differ.contains(field.name))
        return fail(
            ErrorKind::usage, Location{file},
            fmt::format("`{}` is `{}`, and `{}` in {}", field.name, printable(field.value),
                        printable(known.value), printable(sources_.front().file)),
            fmt::format("import the files of each machine and build apart; or say {} if that changes no time",
                        "`--same " + shell_quoted(field.name) + "`"));
  return {};
}

// A field that forbids comparisons has to be equal; of the others the values are kept.
void MergedFiles::add_machine(Machine machine) {
  Machine& whole = record_.machines.at(std::string(import_device));
  for (MachineField& field : machine.fields) {
    const auto known = std::find_if(whole.fields.begin(), whole.fields.end(),
                                    [&](const MachineField& one) { return one.name == field.name; });
    if (known == whole.fields.end())
      whole.fields.push_back(std::move(field));
    else
      join_value(known->value, field.value);
  }
}

Status MergedFiles::add(ToolFile read, const std::string& file) {
  const Result<int> session = session_of(file, read);
  if (!session) return fail(session.error());
  Source now{file, std::move(read.same), read.host, read.date, *session};
  for (const MachineField& field : read.machine.fields)
    if (field.kind == FieldClass::block) now.same.emplace(field.name, field.value);
  if (!read.machine.machine_class.empty()) now.same.emplace("machine class", read.machine.machine_class);
  if (!read.machine.device_uuid.empty()) now.same.emplace("device", read.machine.device_uuid);
  const std::size_t number = sources_.size();
  if (Status alike = check_machine(read.machine, file); !alike) return alike;
  if (number == 0) {
    record_.machines[std::string(import_device)] = std::move(read.machine);
    record_.session = read.session;
    record_.suite.name = read.suite;
  }
  const int before = last_process_;
  for (CaseRecord& added : read.cases) {
    const bool shares_session =
        (read.starts ? split_starts(added) : static_cast<int>(added.processes.size())) > 1;
    const int numbered = shares_session && *session == 0 ? static_cast<int>(number) + 1 : *session;
    for (ProcessResult& result : added.processes) {
      if (number > 0) result.process += before;
      last_process_ = std::max(last_process_, result.process);
    }
    for (Series& series : added.series)
      for (ProcessSamples& process : series.processes) {
        if (number > 0) process.process += before;
        process.session = numbered;
      }
  }
  if (last_process_ > last_plain_process)  // higher numbers tell of other processes (model/record.h)
    return fail(
        ErrorKind::usage, Location{file},
        fmt::format("with it, a case has {} starts; {} is the most", last_process_, last_plain_process),
        "import fewer files or runs together");
  if (number == 0)
    cases_ = std::move(read.cases);
  else if (Status added = add_cases(std::move(read.cases), now); !added)
    return added;
  if (number > 0) add_machine(std::move(read.machine));
  now.last_process = last_process_;
  sources_.push_back(std::move(now));
  return {};
}

// The cases of the first file are looked up only where there is a second one.
Status MergedFiles::add_cases(std::vector<CaseRecord> cases, const Source& now) {
  if (index_.empty()) index_.reserve(cases_.size());
  if (index_.empty())
    for (std::size_t i = 0; i < cases_.size(); ++i) index_.emplace(key_of(cases_[i]), Known{i, 0});
  for (CaseRecord& added : cases) {
    const auto [found, fresh] = index_.try_emplace(key_of(added), Known{cases_.size(), sources_.size()});
    if (fresh) {
      cases_.push_back(std::move(added));
      continue;
    }
    CaseRecord& known = cases_[found->second.place];
    if (Status alike = check_alike(known, sources_[found->second.source], added, now); !alike) return alike;
    std::move(added.processes.begin(), added.processes.end(), std::back_inserter(known.processes));
    for (Series& series : added.series) {
      const auto same = std::find_if(known.series.begin(), known.series.end(),
                                     [&](const Series& one) { return one.metric == series.metric; });
      if (same == known.series.end()) {
        known.series.push_back(std::move(series));
        continue;
      }
      if (const int copied = copied_process(series, *same); copied > 0)
        return fail(ErrorKind::usage, Location{now.file},
                    fmt::format("holds the samples of `{}` that {} holds", printable(known.id),
                                printable(file_of(copied))),
                    "a copy is no further process: start the program once for each file");
      std::move(series.processes.begin(), series.processes.end(), std::back_inserter(same->processes));
    }
  }
  return {};
}

const std::string& MergedFiles::file_of(int process) const {
  const auto after = std::find_if(sources_.begin(), sources_.end(),
                                  [&](const Source& one) { return one.last_process >= process; });
  return after == sources_.end() ? sources_.back().file : after->file;
}

Result<Record> MergedFiles::take() && {
  if (Status named = name_cases(cases_, sources_.empty() ? "" : sources_.front().file); !named)
    return fail(named.error());
  for (CaseRecord& one : cases_) {
    one.outcome = worst_outcome(one.processes);
    const auto worst =
        std::find_if(one.processes.begin(), one.processes.end(),
                     [&](const ProcessResult& result) { return result.outcome == one.outcome; });
    if (worst != one.processes.end()) one.reason = worst->reason;
  }
  record_.cases = std::move(cases_);
  return std::move(record_);
}

namespace {

// The values of `texts` in which the cases of a name differ, as the end of an id.
std::string ending(const CaseRecord& one, const std::set<std::string>& differing, Texts ToolCase::*texts) {
  std::string end;
  if (!one.tool_case) return end;
  const Texts& all = (*one.tool_case).*texts;
  for (const std::string& name : differing)
    if (const auto found = all.find(name); found != all.end())
      end += fmt::format("/{}={}", name, found->second);
  return end;
}

std::set<std::string> differing_names(const std::vector<CaseRecord*>& cases, Texts ToolCase::*texts) {
  std::map<std::string, std::map<std::string, std::size_t>> values;
  for (const CaseRecord* one : cases)
    if (one->tool_case)
      for (const auto& [name, value] : (*one->tool_case).*texts) ++values[name][value];
  std::set<std::string> differing;
  for (const auto& [name, counts] : values)
    if (counts.size() > 1 || counts.begin()->second < cases.size()) differing.insert(name);
  return differing;
}

}  // namespace

Status name_cases(std::vector<CaseRecord>& cases, const std::string& file) {
  if (std::none_of(cases.begin(), cases.end(),
                   [](const CaseRecord& one) { return one.tool_case.has_value(); }))
    return {};
  std::unordered_map<std::string, std::vector<CaseRecord*>> by_name;
  for (CaseRecord& one : cases) by_name[one.tool_case ? one.tool_case->name : one.id].push_back(&one);
  for (const auto& [name, alike] : by_name) {
    if (alike.size() == 1) continue;
    const std::set<std::string> parameters = differing_names(alike, &ToolCase::parameters);
    const std::set<std::string> launch = differing_names(alike, &ToolCase::launch);
    for (CaseRecord* one : alike)
      one->id =
          name + ending(*one, parameters, &ToolCase::parameters) + ending(*one, launch, &ToolCase::launch);
  }
  std::unordered_set<std::string_view> ids;
  ids.reserve(cases.size());
  for (CaseRecord& one : cases) {
    if (!ids.insert(one.id).second)
      return fail(ErrorKind::usage, Location{file},
                  fmt::format("has two cases that would be called `{}`", printable(one.id)),
                  "give each benchmark a name of its own");
    for (ProcessResult& result : one.processes) result.case_id = one.id;
  }
  return {};
}

}  // namespace harness
