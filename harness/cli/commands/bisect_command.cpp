// `harness bisect`: the first commit for which cases are worse than at a good one, by verdict.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <memory>
#include <set>

#include "harness/base/text.h"
#include "harness/cli/commands.h"
#include "harness/cli/exit_status.h"
#include "harness/cli/judging/learned_policy.h"
#include "harness/cli/options/policy_options.h"
#include "harness/cli/output/emit.h"
#include "harness/cli/output/input_files.h"
#include "harness/cli/output/terminal_unicode.h"
#include "harness/cli/programs/build_commit.h"
#include "harness/cli/programs/measure_commit.h"
#include "harness/measure/schedule/interrupt.h"
#include "harness/report/documents/bisect_document.h"
#include "harness/store/baselines.h"
#include "harness/store/git.h"
#include "harness/study/bisection.h"
#include "harness/suite/load_suite.h"
#include "harness/verdict/compare.h"

namespace harness {
namespace fs = std::filesystem;
namespace {

constexpr int exit_range = 3;          // the culprit is one of several commits
constexpr int most_commits = 100'000;  // between good and bad

struct Arguments {
  std::string suite;
  std::string good;
  std::string bad = "HEAD";
  std::string pattern;
  std::string build = default_build;
  std::string device;
  std::string store = default_store;
  int max_steps = 0;
  int max_processes = 40;
  PolicyArguments policy;
  OutputArguments output;
};

const Error stopped{ErrorKind::internal, "interrupted", {}, {}};

// A commit judged against the good one.
struct Judged {
  BisectStep::Result result = BisectStep::Result::skipped;
  std::string reason;
  bool stored = false;
  std::optional<ComparisonRow> row;
  std::set<std::string> worse;  // cases that regressed
};

class Search {
 public:
  Search(Store& store, BisectMeasuring how, const Arguments& arguments, const Policy& policy,
         std::vector<Commit> line)
      : store_(store),
        measurer_(store, std::move(how)),
        arguments_(arguments),
        policy_(policy),
        line_(std::move(line)) {
    std::reverse(line_.begin(), line_.end());  // oldest first: 0 is good
  }

  // std::nullopt: interrupted.
  Result<std::optional<BisectReport>> run() {
    report_.good = commit(0);
    report_.bad = commit(line_.size() - 1);
    Result<bool> good = have_good(0);
    if (!good) return fail(good.error());
    if (!*good) return std::nullopt;
    const Result<Judged> bad = judge(line_.size() - 1);
    if (!bad) return interrupted_ ? Result<std::optional<BisectReport>>(std::nullopt) : fail(bad.error());
    note(line_.size() - 1, *bad);
    if (bad->result != BisectStep::Result::bad) return fail(nothing_to_find(*bad));
    cases_ = bad->worse;
    report_.cases.assign(cases_.begin(), cases_.end());
    const Status searched = search();
    if (!searched)
      return interrupted_ ? Result<std::optional<BisectReport>>(std::nullopt) : fail(searched.error());
    return std::optional<BisectReport>(std::move(report_));
  }

 private:
  [[nodiscard]] BisectCommit commit(std::size_t i) const {
    return {line_[i].hash, line_[i].date, line_[i].author, line_[i].subject};
  }

  Status search() {
    Bisection bisection(line_.size());
    const auto is_cheap = [&](std::size_t i) {
      const auto there = measurer_.stored(line_[i].hash, device_, 0);
      return there && *there;
    };
    int steps = 0;
    while (const auto next = bisection.next(is_cheap)) {
      if (arguments_.max_steps > 0 && steps++ == arguments_.max_steps) {
        report_.stopped = true;
        break;
      }
      const Result<Judged> judged = judge(*next);
      if (!judged) return fail(judged.error());
      note(*next, *judged);
      bisection.mark(*next, judged->result == BisectStep::Result::good  ? Bisection::Mark::good
                            : judged->result == BisectStep::Result::bad ? Bisection::Mark::bad
                                                                        : Bisection::Mark::skipped);
    }
    for (std::size_t i = bisection.good() + 1; i <= bisection.bad(); ++i)
      report_.culprits.push_back(commit(i));
    sort_steps();
    return {};
  }

  void note(std::size_t i, const Judged& judged) {
    report_.steps.push_back({commit(i), judged.result, judged.reason, judged.stored, judged.row});
    fmt::print(stderr, "{}: {}{}\n", line_[i].hash.substr(0, 10), name_of(judged.result),
               judged.reason.empty() ? "" : ": " + printable(judged.reason));
  }

  void sort_steps() {
    std::map<std::string, std::size_t> places;
    for (std::size_t i = 0; i < line_.size(); ++i) places[line_[i].hash] = i;
    std::sort(report_.steps.begin(), report_.steps.end(), [&](const BisectStep& a, const BisectStep& b) {
      return places[a.commit.hash] < places[b.commit.hash];
    });
  }

  // A record of the good commit with at least so many processes. False: interrupted.
  Result<bool> have_good(int processes, bool fresh = false) {
    if (!fresh) {
      auto there = measurer_.stored(line_[0].hash, device_, processes);
      if (!there) return fail(there.error());
      if (*there) return take_good(std::move(**there), false);
    }
    Result<BisectSide> side = measurer_.measure(line_[0].hash, processes);
    if (!side) return fail(side.error());
    if (side->interrupted) return false;
    if (!side->record)
      return fail(ErrorKind::usage,
                  fmt::format("the good commit {} cannot be measured: {}", line_[0].hash.substr(0, 10),
                              side->why_not),
                  "name another one, or a command that builds it with --build");
    return take_good(std::move(*side->record), true);
  }

  bool take_good(Record record, bool measured) {
    good_ = std::move(record);
    good_measured_ = measured;
    const Machine* machine = primary_machine(good_);
    device_ = machine == nullptr ? "" : machine->device_uuid;
    informed_ = with_learned(store_, policy_, good_);
    return true;
  }

  // Measures more processes on both sides until there is a verdict or enough is enough.
  Result<Judged> judge(std::size_t i) {
    int processes = 0;
    bool fresh = false;
    while (true) {
      Result<BisectSide> side = side_of(line_[i].hash, processes, fresh);
      if (!side) return fail(side.error());
      if (side->interrupted) return stop();
      if (!side->record) return Judged{BisectStep::Result::skipped, side->why_not, false, {}, {}};
      Judged judged = against_good(*side->record);
      judged.stored = side->stored;
      if (judged.result != BisectStep::Result::skipped) return judged;
      const Verdict verdict = judged.row ? judged.row->verdict : Verdict::missing;
      if (verdict == Verdict::not_comparable &&
          !fresh) {  // stored elsewhere or under other conditions: here, then
        fresh = true;
        if (const Result<bool> good = good_measured_ ? Result<bool>(true) : have_good(processes, true); !good)
          return fail(good.error());
        else if (!*good)
          return stop();
        continue;
      }
      if (verdict != Verdict::inconclusive) return judged;
      const int had = std::max(judged.row->baseline.processes, judged.row->current.processes);
      if (had >= arguments_.max_processes) {
        judged.reason = fmt::format("inconclusive with {} processes", had);
        return judged;
      }
      processes = std::min(2 * had, arguments_.max_processes);
      const Result<bool> good = have_good(processes);
      if (!good) return fail(good.error());
      if (!*good) return stop();
    }
  }

  tl::unexpected<Error> stop() {
    interrupted_ = true;
    return fail(stopped);
  }

  Result<BisectSide> side_of(const std::string& hash, int processes, bool fresh) {
    if (!fresh) {
      auto there = measurer_.stored(hash, device_, processes);
      if (!there) return fail(there.error());
      if (*there) return BisectSide{std::move(*there), {}, true, false};
    }
    return measurer_.measure(hash, processes);
  }

  Judged against_good(const Record& record) {
    const Comparison comparison = compare(good_, record, informed_);
    Judged judged;
    const ComparisonRow* unsettled = nullptr;
    for (const ComparisonRow& row : comparison.rows) {  // worst first
      if (!in_question(row)) continue;
      if (row.verdict == Verdict::regressed) judged.worse.insert(row.case_id);
      const bool settled = row.verdict == Verdict::regressed || row.verdict == Verdict::improved ||
                           row.verdict == Verdict::unchanged;
      if (!settled && unsettled == nullptr) unsettled = &row;
      if (!judged.row || (row.verdict == Verdict::regressed && judged.row->verdict != Verdict::regressed))
        judged.row = row;
    }
    if (!judged.worse.empty()) {
      judged.result = BisectStep::Result::bad;
    } else if (unsettled != nullptr) {
      judged.row = *unsettled;
      judged.reason = unsettled->case_id + ": " + unsettled->reason;
    } else if (judged.row) {
      judged.result = BisectStep::Result::good;
    } else {
      judged.reason = "it has none of the cases in question";
    }
    return judged;
  }

  [[nodiscard]] bool in_question(const ComparisonRow& row) const {
    if (row.informative) return false;
    if (!cases_.empty()) return cases_.contains(row.case_id);
    return arguments_.pattern.empty() || wildcard_match(arguments_.pattern, row.case_id);
  }

  [[nodiscard]] Error nothing_to_find(const Judged& bad) const {
    const std::string hash = line_.back().hash.substr(0, 10);
    if (bad.result == BisectStep::Result::skipped)
      return {ErrorKind::missing,
              fmt::format("the bad commit {} cannot be judged: {}", hash, bad.reason),
              {},
              "name another one with --bad, or raise --max-processes"};
    return {ErrorKind::missing,
            fmt::format("nothing to find: {} is not worse than {}{}", hash, line_.front().hash.substr(0, 10),
                        bad.row ? fmt::format(" (`{}` is {}, {:+.2f} %)", printable(bad.row->case_id),
                                              name_of(bad.row->verdict), (bad.row->ratio - 1) * 100)
                                : ""),
            {},
            "check --good and --bad, the case and the margin (--margin)"};
  }

  Store& store_;
  BisectMeasurer measurer_;
  const Arguments& arguments_;
  const Policy& policy_;
  std::vector<Commit> line_;
  Record good_;
  Policy informed_;  // policy_ with what calibrations of the good record's device taught
  bool good_measured_ = false;
  std::string device_;           // of the good record
  std::set<std::string> cases_;  // in question, once the bad commit has told which are worse
  bool interrupted_ = false;
  BisectReport report_;
};

// The commits from good to bad along first parents, newest first, both included.
Result<std::vector<Commit>> line_between(const std::string& good, const std::string& bad) {
  const Result<std::string> from = resolve_revision(".", good);
  if (!from) return fail(from.error().kind, "--good: " + from.error().message, from.error().advice);
  const Result<std::string> to = resolve_revision(".", bad);
  if (!to) return fail(to.error().kind, "--bad: " + to.error().message, to.error().advice);
  if (*from == *to)
    return fail(ErrorKind::usage, "--good and --bad are one commit", "name an older good one");
  auto line = first_parents(".", *to, most_commits);
  if (!line) return fail(line.error());
  const auto found =
      std::find_if(line->begin(), line->end(), [&](const Commit& one) { return one.hash == *from; });
  if (found == line->end())
    return fail(
        ErrorKind::usage,
        fmt::format("--good {} is not among the first parents of {}", printable(good), printable(bad)),
        is_shallow(".") ? "this clone is shallow: run `git fetch --unshallow`"
                        : "name a commit of the same branch; inside a merge M: --good M^1 --bad M^2");
  line->erase(found + 1, line->end());
  return line;
}

Result<BisectMeasuring> how_to_measure(const Arguments& arguments) {
  const Checked<Suite> suite = load_suite(arguments.suite);
  if (!suite) return fail(suite.error().front());
  const std::optional<fs::path> root = repository_root(".");
  if (!root) return fail(ErrorKind::usage, "this repository has no working tree", "run inside a checkout");
  std::error_code code;
  const fs::path file = fs::weakly_canonical(fs::absolute(arguments.suite), code).lexically_relative(*root);
  if (file.empty() || *file.begin() == "..")
    return fail(ErrorKind::usage, Location{arguments.suite}, "lies outside the repository",
                "a suite is checked out with each commit; put it into the repository");
  const fs::path folder = fs::weakly_canonical(fs::current_path(), code).lexically_relative(*root);
  return BisectMeasuring{file.string(),    suite->identity.name, arguments.pattern,
                         arguments.device, arguments.build,      folder.string()};
}

// A bisection looks for where a verdict changes, not at what the verdict would make of a build.
Status check_policy_of_bisect(const PolicyArguments& policy) {
  std::string idle;
  if (!policy.allow.empty()) idle = "--allow";
  if (!policy.fail_on.empty()) idle = "--fail-on";
  if (!policy.waivers.empty()) idle = "--waivers";
  if (policy.no_waivers) idle = "--no-waivers";
  if (idle.empty()) return {};
  return fail(ErrorKind::usage, fmt::format("{} has no effect on a bisection", idle),
              "it follows the verdict itself, whatever is waived or allowed: leave the option out");
}

int bisect_command(const Arguments& arguments) {
  if (const Status checked = check_formats(arguments.output, "a bisection"); !checked)
    return report_error(checked.error());
  const CommandFiles files{"", all_of({{arguments.suite}, store_files(arguments.store)})};
  if (const Status checked = check_outputs(arguments.output, files); !checked)
    return report_error(checked.error());
  if (const Status used = check_policy_of_bisect(arguments.policy); !used) return report_error(used.error());
  const Result<Policy> policy = make_policy(arguments.policy);
  if (!policy) return report_error(policy.error());
  if (const Status repository = check_repository("."); !repository) return report_error(repository.error());
  const Result<BisectMeasuring> how = how_to_measure(arguments);
  if (!how) return report_error(how.error());
  const auto line = line_between(arguments.good, arguments.bad);
  if (!line) return report_error(line.error());
  const auto store = Store::open(arguments.store);
  if (!store) return report_error(store.error());
  const InterruptGuard guard;
  if (const auto root = repository_root(".")) remove_stale_worktrees(*root);
  std::optional<BisectReport> report;
  {
    Search search(**store, *how, arguments, *policy, *line);  // its worktree goes with it
    Result<std::optional<BisectReport>> found = search.run();
    if (!found) return report_error(found.error());
    report = std::move(*found);
  }
  if (!report) {
    fmt::print(stderr, "interrupted: what was measured is in the store; repeat the command to go on\n");
    return exit_interrupted;
  }
  report->suite = how->suite;
  return emit(
      arguments.output,
      [&](Format format, const Style& style) { return render_bisect(*report, format, style); },
      report->culprits.size() == 1 ? exit_ok : exit_range);
}

}  // namespace

void add_bisect(CLI::App& program, Action& chosen) {
  CLI::App* command = program.add_subcommand("bisect", "Find the commit that made cases worse, by verdict");
  auto arguments = std::make_shared<Arguments>();
  command->add_option("suite", arguments->suite, "suite file (YAML) in the repository")
      ->required()
      ->type_name("SUITE");
  command->add_option("--good", arguments->good, "commit to judge by")->required()->type_name("REV");
  command->add_option("--bad", arguments->bad, "later commit that is worse")
      ->capture_default_str()
      ->type_name("REV");
  command->add_option("--case", arguments->pattern, "only cases whose name matches")->type_name("WILDCARD");
  command->add_option("--build", arguments->build, "shell command that builds a commit, run in its worktree")
      ->capture_default_str()
      ->type_name("COMMAND");
  command->add_option("--device", arguments->device, "cpu, cuda or cuda:N, as for run");
  command
      ->add_option("--max-steps", arguments->max_steps,
                   "test at most so many commits between; 0: as many as it takes")
      ->check(CLI::Range(0, 1000))
      ->type_name("N");
  command
      ->add_option("--max-processes", arguments->max_processes,
                   "measure up to so many processes where fewer are inconclusive")
      ->capture_default_str()
      ->check(CLI::Range(3, 1000))
      ->type_name("N");
  command->add_option("--store", arguments->store, "where records are: a file or postgresql://...")
      ->capture_default_str()
      ->type_name("URL");
  add_policy_options(*command, arguments->policy);
  add_output_options(*command, arguments->output, {Format::terminal, Format::markdown, Format::json});
  command->footer(
      "Commits are taken along first parents, a merge as one step. A commit whose build or measurement "
      "fails\n"
      "is skipped. Every record goes to the store: an interrupted search goes on where it was.\n"
      "Exit status: 0 one commit found, 2 usage, 3 a range of commits, 4 nothing to find, 130 interrupted.\n"
      "Example: harness bisect suites/fusion.yaml --good v1.2 --case '*/dtype=f16/*' --build 'make -j8'");
  command->callback([&chosen, arguments] { chosen = [arguments] { return bisect_command(*arguments); }; });
}

}  // namespace harness
