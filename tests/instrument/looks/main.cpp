// looks: whether two processes find the same identity of each GPU case, though their buffers lie elsewhere
// and their cases come in the opposite order.
//
//   looks suites/fusion.yaml suites/probe.yaml      beside bin/harness, whose workers do the looking
//
// Prints a line a suite, then gaps by their reason, then cases whose digests differ. Exit status 1 where one
// differs.
//
//   looks --builds BEFORE AFTER suites/fusion.yaml
//
// Prints a line a GPU case instead: its name, and its digest with the libraries of two builds, which one
// process loads. Where there is no digest, the reason stands in brackets. tests/code/commits.py reads it.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/base/files.h"
#include "harness/base/process.h"
#include "harness/base/text.h"
#include "harness/catalog/catalog.h"
#include "harness/measure/schedule/paired_builds.h"
#include "harness/measure/schedule/run.h"
#include "harness/model/device_kinds.h"
#include "harness/report/words/cause_words.h"
#include "harness/suite/load_suite.h"
#include "harness/suite/make_plan.h"

namespace harness {
namespace {

using Results = std::map<std::string, ProcessResult>;  // by case

struct Look {
  Results results;
  double seconds = 0;
};

RunOptions options_of_look(Results& results) {
  RunOptions options;
  options.look = true;
  options.worker_command = {(this_program().parent_path() / "harness").string(), "worker"};
  options.on_result = [&](EncodedResult one) -> Status {
    results.emplace(one.result.case_id, std::move(one.result));
    return {};
  };
  return options;
}

// `texts`: the folder in which the workers write what each identity is of.
Result<Look> look(const Plan& plan, const std::filesystem::path& texts) {
  setenv("HARNESS_IDENTITY_TEXTS", texts.c_str(), 1);
  Look look;
  const RunOptions options = options_of_look(look.results);
  const auto begin = std::chrono::steady_clock::now();
  const Result<RunReport> report = run_plan(plan, options);
  look.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  if (!report) return fail(report.error());
  return look;
}

std::string reason_of(const ProcessResult& result) {
  if (result.reason) return report::words(*result.reason);
  if (!result.identity) return "no identity";
  return result.identity->gap ? report::words(*result.identity->gap) : "";
}

struct Tally {
  std::map<std::string, std::vector<std::string>> gaps;  // cases by reason
  std::vector<std::string> differing;
  std::size_t identical = 0;
};

Tally compare(const Results& first, const Results& second) {
  Tally tally;
  for (const auto& [id, one] : first) {
    const auto other = second.find(id);
    const std::string reason = reason_of(one);
    if (!reason.empty() || other == second.end() || !reason_of(other->second).empty())
      tally.gaps[reason.empty() ? "only one of the processes has it" : reason].push_back(id);
    else if (one.identity->digest == other->second.identity->digest)
      ++tally.identical;
    else
      tally.differing.push_back(id);
  }
  return tally;
}

std::vector<std::string> lines_of(const std::filesystem::path& folder, const std::string& id) {
  const Result<std::string> text = read_file(folder / (content_hash(id) + ".txt"));
  return text ? split(*text, '\n') : std::vector<std::string>();
}

// The first lines that differ, word for word.
void print_difference(const std::vector<std::string>& first, const std::vector<std::string>& second) {
  constexpr std::size_t most = 4;
  if (first.size() != second.size()) fmt::print("    {} lines and {} lines\n", first.size(), second.size());
  std::size_t printed = 0;
  for (std::size_t line = 0; line < std::min(first.size(), second.size()) && printed < most; ++line) {
    if (first[line] == second[line]) continue;
    const std::vector<std::string> one = split(first[line], ' '), other = split(second[line], ' ');
    fmt::print("    line {}, {}:", line, one.size() > 1 ? one[1] : "");
    for (std::size_t word = 0; word < std::min(one.size(), other.size()) && printed < most; ++word)
      if (one[word] != other[word] && ++printed > 0)
        fmt::print(" word {}: {} / {}", word, one[word], other[word]);
    fmt::print("\n");
  }
}

void print_phases(const Results& results) {
  std::map<std::string, double> phases;
  for (const auto& [id, one] : results)
    for (const Phase& phase : one.phases) phases[phase.name] += phase.duration;
  for (const auto& [name, seconds] : phases) fmt::print("    {} {:.2f} s", name, seconds);
  fmt::print("\n");
}

Result<Plan> gpu_cases_of(const std::string& file) {
  const Checked<Suite> suite = load_suite(file);
  if (!suite) return fail(suite.error().front());
  Checked<Plan> plan = make_plan(*suite, Catalog::built_in(), {});
  if (!plan) return fail(plan.error().front());
  std::erase_if(plan->cases, [](const PlannedCase& one) { return !is_gpu_kind(one.device); });
  return std::move(*plan);
}

Result<bool> compare_suite(const std::string& file) {
  Result<Plan> plan = gpu_cases_of(file);
  if (!plan) return fail(plan.error());
  const TemporaryFolder folder;
  const std::filesystem::path one = folder.path() / "first", other = folder.path() / "second";
  std::filesystem::create_directory(one);
  std::filesystem::create_directory(other);
  const Result<Look> first = look(*plan, one);
  if (!first) return fail(first.error());
  std::reverse(plan->cases.begin(), plan->cases.end());
  const Result<Look> second = look(*plan, other);
  if (!second) return fail(second.error());
  const Tally tally = compare(first->results, second->results);
  std::size_t gaps = 0;
  for (const auto& [reason, cases] : tally.gaps) gaps += cases.size();
  fmt::print("{}: {} cases, {} identical, {} differ, {} gaps, {:.1f} s and {:.1f} s\n", file,
             first->results.size(), tally.identical, tally.differing.size(), gaps, first->seconds,
             second->seconds);
  print_phases(first->results);
  for (const auto& [reason, cases] : tally.gaps)
    fmt::print("  {:4} gaps: {} ({})\n", cases.size(), reason, cases.front());
  for (const std::string& id : tally.differing) {
    fmt::print("  differs: {}\n", id);
    print_difference(lines_of(one, id), lines_of(other, id));
  }
  return tally.differing.empty();
}

BuildModules modules_in(const std::filesystem::path& build) {
  const std::filesystem::path root = std::filesystem::absolute(build);
  return {root.string(),
          (root / "lib" / "libharness_kernels.so").string(),
          (root / "lib" / "libharness_cuda.so").string(),
          {}};
}

std::string digest_of(const Results& results, const std::string& id) {
  const auto found = results.find(id);
  if (found == results.end()) return "[no result]";
  const std::string reason = reason_of(found->second);
  return reason.empty() ? found->second.identity->digest : "[" + printable(reason) + "]";
}

Status print_digests(const PairedBuilds& builds, const std::string& file) {
  const Result<Plan> plan = gpu_cases_of(file);
  if (!plan) return fail(plan.error());
  Results before, after;
  RunOptions options = options_of_look(after);
  options.pair = builds;
  options.on_baseline = [&](EncodedResult one) -> Status {
    before.emplace(one.result.case_id, std::move(one.result));
    return {};
  };
  if (const Result<RunReport> report = run_plan(*plan, options); !report) return fail(report.error());
  for (const PlannedCase& one : plan->cases)
    fmt::print("{}\t{}\t{}\t{}\n", plan->suite.name, one.id, digest_of(before, one.id),
               digest_of(after, one.id));
  return {};
}

}  // namespace
}  // namespace harness

int main(int count, char** arguments) {
  if (count > 3 && std::string_view(arguments[1]) == "--builds") {
    const harness::PairedBuilds builds{harness::modules_in(arguments[2]), harness::modules_in(arguments[3])};
    bool all = true;
    for (int i = 4; i < count; ++i) {
      const harness::Status printed = harness::print_digests(builds, arguments[i]);
      if (!printed) fmt::print(stderr, "{}: {}\n", arguments[i], printed.error().text());
      all = all && printed;
    }
    return all ? 0 : 1;
  }
  bool alike = true;
  for (int i = 1; i < count; ++i) {
    const harness::Result<bool> compared = harness::compare_suite(arguments[i]);
    if (!compared) fmt::print("{}: {}\n", arguments[i], compared.error().text());
    alike = alike && compared && *compared;
  }
  return alike ? 0 : 1;
}
