#include "harness/cli/bisect/bisect_search.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <map>
#include <utility>

#include "harness/base/text.h"
#include "harness/cli/bisect/judge_commit.h"
#include "harness/cli/judging/learned_policy.h"
#include "harness/report/words/study_words.h"
#include "harness/store/baselines.h"
#include "harness/study/bisection.h"

namespace harness {
namespace {

std::string short_hash(const std::string& hash) {
  return hash.substr(0, 10);
}

// The record of the good commit, which grows as more processes are needed.
class GoodSide {
 public:
  GoodSide(Store& store, BisectMeasurer& measurer, std::string hash, const Policy& policy)
      : store_(store), measurer_(measurer), hash_(std::move(hash)), policy_(policy) {}

  // A record with at least so many processes. False: interrupted.
  Result<bool> have(int processes) {
    auto there = measurer_.stored(hash_, device_, processes);
    if (!there) return fail(there.error());
    if (!*there) return measure(processes);
    take(std::move(**there), false);
    return true;
  }

  // A record that this search measured, under the present conditions. False: interrupted.
  Result<bool> have_measured(int processes) { return measured_ ? true : measure(processes); }

  [[nodiscard]] const Record& record() const { return record_; }
  [[nodiscard]] const std::string& device() const { return device_; }  // UUID
  // The policy with the spreads that calibrations of the record's device found.
  [[nodiscard]] const Policy& policy() const { return informed_; }

 private:
  Result<bool> measure(int processes) {
    Result<BisectSide> side = measurer_.measure(hash_, processes);
    if (!side) return fail(side.error());
    if (side->interrupted) return false;
    if (!side->record)
      return fail(ErrorKind::usage,
                  fmt::format("the good commit {} cannot be measured: {}", short_hash(hash_), side->why_not),
                  "name another one, or a command that builds it with --build");
    take(std::move(*side->record), true);
    return true;
  }

  void take(Record record, bool measured) {
    record_ = std::move(record);
    measured_ = measured;
    const Machine* machine = primary_machine(record_);
    device_ = machine == nullptr ? "" : machine->device_uuid;
    informed_ = with_learned(store_, policy_, record_);
  }

  Store& store_;
  BisectMeasurer& measurer_;
  std::string hash_;
  const Policy& policy_;
  Record record_;
  Policy informed_;
  bool measured_ = false;
  std::string device_;
};

// std::nullopt: interrupted.
using MaybeJudged = Result<std::optional<JudgedCommit>>;

class Search {
 public:
  Search(Store& store, const BisectMeasuring& how, const BisectLimits& limits, const Policy& policy,
         const std::vector<Commit>& line)
      : measurer_(store, how),
        limits_(limits),
        line_(line),
        good_(store, measurer_, line.front().hash, policy),
        cases_{how.pattern, how.metric, {}} {}

  Result<std::optional<BisectReport>> run() {
    report_.good = commit(0);
    report_.bad = commit(line_.size() - 1);
    const Result<bool> good = good_.have(0);
    if (!good) return fail(good.error());
    if (!*good) return std::nullopt;
    const MaybeJudged bad = test(line_.size() - 1);
    if (!bad) return fail(bad.error());
    if (!*bad) return std::nullopt;
    if ((*bad)->result != BisectStep::Result::bad) return fail(nothing_to_find(**bad));
    cases_.ids = (*bad)->worse;
    report_.cases.assign(cases_.ids.begin(), cases_.ids.end());
    const Result<bool> ended = search();
    if (!ended) return fail(ended.error());
    if (!*ended) return std::nullopt;
    return std::move(report_);
  }

 private:
  [[nodiscard]] BisectCommit commit(std::size_t i) const {
    return {line_[i].hash, line_[i].date, line_[i].author, line_[i].subject};
  }

  // False: interrupted.
  Result<bool> search() {
    Bisection bisection(line_.size());
    const auto is_cheap = [&](std::size_t i) {
      const auto there = measurer_.stored(line_[i].hash, good_.device(), 0);
      return there && *there;
    };
    int steps = 0;
    while (const auto next = bisection.next(is_cheap)) {
      report_.out_of_time =
          limits_.budget && Clock::now() - begin_ >= std::chrono::duration<double>(*limits_.budget);
      report_.stopped = report_.out_of_time || (limits_.max_steps > 0 && steps++ == limits_.max_steps);
      if (report_.stopped) break;
      const MaybeJudged judged = test(*next);
      if (!judged) return fail(judged.error());
      if (!*judged) return false;
      bisection.mark(*next, mark_of((*judged)->result));
    }
    for (std::size_t i = bisection.good() + 1; i <= bisection.bad(); ++i)
      report_.culprits.push_back(commit(i));
    sort_steps();
    return true;
  }

  static Bisection::Mark mark_of(BisectStep::Result result) {
    switch (result) {
      case BisectStep::Result::good: return Bisection::Mark::good;
      case BisectStep::Result::bad: return Bisection::Mark::bad;
      case BisectStep::Result::skipped: return Bisection::Mark::skipped;
    }
    return Bisection::Mark::skipped;
  }

  // Judges a commit and adds the result to the log.
  MaybeJudged test(std::size_t i) {
    MaybeJudged judged = judge(line_[i].hash);
    if (!judged || !*judged) return judged;
    const JudgedCommit& result = **judged;
    report_.steps.push_back({commit(i), result.result, result.skip, result.stored, result.row});
    const std::string why = report::skip_words(report_.steps.back());
    fmt::print(stderr, "{}: {}{}\n", short_hash(line_[i].hash), name_of(result.result),
               why.empty() ? "" : ": " + printable(why));
    return judged;
  }

  void sort_steps() {
    std::map<std::string, std::size_t> places;
    for (std::size_t i = 0; i < line_.size(); ++i) places[line_[i].hash] = i;
    std::sort(report_.steps.begin(), report_.steps.end(), [&](const BisectStep& a, const BisectStep& b) {
      return places[a.commit.hash] < places[b.commit.hash];
    });
  }

  // Measures more processes on both sides until there is a verdict or the limit is reached.
  MaybeJudged judge(const std::string& hash) {
    int processes = 0;
    bool fresh = false;
    while (true) {
      Result<BisectSide> side = side_of(hash, processes, fresh);
      if (!side) return fail(side.error());
      if (side->interrupted) return std::nullopt;
      if (!side->record)
        return JudgedCommit{
            BisectStep::Result::skipped, {SkipCode::unmeasurable, {{"why", side->why_not}}}, false, {}, {}};
      JudgedCommit judged = judge_commit(good_.record(), *side->record, good_.policy(), cases_);
      judged.stored = side->stored;
      const Verdict verdict = judged.row ? judged.row->verdict : Verdict::missing;
      const bool elsewhere = verdict == Verdict::not_comparable && !fresh;  // stored under other conditions
      if (judged.result != BisectStep::Result::skipped || (verdict != Verdict::inconclusive && !elsewhere))
        return judged;
      const int had = std::max(judged.row->baseline.processes, judged.row->current.processes);
      if (!elsewhere && had >= limits_.max_processes) {
        judged.skip = {SkipCode::inconclusive, {{"processes", had}}};
        return judged;
      }
      fresh |= elsewhere;
      if (!elsewhere) processes = std::min(2 * had, limits_.max_processes);
      const Result<bool> good = elsewhere ? good_.have_measured(processes) : good_.have(processes);
      if (!good) return fail(good.error());
      if (!*good) return std::nullopt;
    }
  }

  Result<BisectSide> side_of(const std::string& hash, int processes, bool fresh) {
    if (!fresh) {
      auto there = measurer_.stored(hash, good_.device(), processes);
      if (!there) return fail(there.error());
      if (*there) return BisectSide{std::move(*there), {}, true, false};
    }
    return measurer_.measure(hash, processes);
  }

  [[nodiscard]] Error nothing_to_find(const JudgedCommit& bad) const {
    const std::string hash = short_hash(line_.back().hash);
    if (bad.result == BisectStep::Result::skipped)
      return {ErrorKind::missing,
              fmt::format("the bad commit {} cannot be judged: {}", hash,
                          report::skip_words({{}, bad.result, bad.skip, bad.stored, bad.row})),
              {},
              "name another one with --bad, or raise --max-processes"};
    return {ErrorKind::missing,
            fmt::format("nothing to find: {} is not worse than {}{}", hash, short_hash(line_.front().hash),
                        bad.row ? fmt::format(" (`{}` is {}, {:+.2f} %)", printable(bad.row->case_id),
                                              name_of(bad.row->verdict), (bad.row->ratio - 1) * 100)
                                : ""),
            {},
            "check --good and --bad, the case and the margin (--margin)"};
  }

  using Clock = std::chrono::steady_clock;

  const Clock::time_point begin_ = Clock::now();
  BisectMeasurer measurer_;
  const BisectLimits& limits_;
  const std::vector<Commit>& line_;
  GoodSide good_;
  CasesInQuestion cases_;
  BisectReport report_;
};

}  // namespace

Result<std::optional<BisectReport>> search_culprit(Store& store, const BisectMeasuring& how,
                                                   const BisectLimits& limits, const Policy& policy,
                                                   const std::vector<Commit>& line) {
  return Search(store, how, limits, policy, line).run();
}

}  // namespace harness
