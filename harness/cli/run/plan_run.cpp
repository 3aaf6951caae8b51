#include "harness/cli/run/plan_run.h"

#include <fmt/format.h>

#include <memory>
#include <utility>

#include "harness/base/files.h"
#include "harness/cli/ab/ab_sides.h"
#include "harness/cli/judging/stored_records.h"
#include "harness/cli/measuring/require_gpu.h"
#include "harness/cli/measuring/top_up.h"
#include "harness/cli/options/policy_options.h"
#include "harness/cli/output/emit.h"
#include "harness/cli/output/input_files.h"
#include "harness/cli/provenance/built_from.h"
#include "harness/cli/provenance/module_sources.h"
#include "harness/cli/provenance/tool.h"
#include "harness/measure/schedule/worker_process.h"

namespace harness {
namespace {

// The suite's own modules are known once it is read.
CommandFiles files_of(const RunArguments& arguments, const std::vector<std::string>& modules) {
  return {arguments.file,
          all_of({plan_files(arguments.plan),
                  modules,
                  store_files(arguments.store.url),
                  arguments.keep_in.empty() ? std::vector<std::string>() : store_files(arguments.keep_in),
                  {arguments.policy.waivers_file(arguments.plan.suite), arguments.against}})};
}

// However their paths are spelt.
bool same_store(const std::string& one, const std::string& other) {
  if (one.empty() || one == other) return one == other;
  const std::vector<std::string> files = store_files(one), others = store_files(other);
  return !files.empty() && !others.empty() && identity_of(files.front()) == identity_of(others.front());
}

// Checks everything that can be checked before measuring.
Status check_before_measuring(const RunArguments& arguments, const Prepared& prepared) {
  if (same_store(arguments.keep_in, arguments.store.url))
    return fail(ErrorKind::usage,
                fmt::format("--keep-in and --store are both {}", without_password(arguments.store.url)),
                "name another file, or leave --keep-in out");
  if (arguments.require_gpu)
    if (const Status checked = check_gpu_can_be_used(prepared); !checked) return checked;
  if (const Status spared = check_outputs(arguments.output, files_of(arguments, prepared.plan.modules));
      !spared)
    return spared;
  if (!arguments.file.empty())
    if (const Status writable = check_writable(arguments.file); !writable) return writable;
  if (!arguments.policy.allows_stale()) {
    if (const Status built = check_built_from_head("."); !built) return built;
    if (const Status built = check_modules_built_from_head(".", prepared.plan.modules); !built) return built;
  }
  if (arguments.against.empty()) return {};
  return check_side(arguments.store, "--against", arguments.against);
}

// While a worker opens a GPU, this process hashes the program; and measuring begins while that worker ends. A
// replay for a profiler opens the device in this process instead, and needs neither.
WorkBesideProbe beside_probes(const RunArguments& arguments, std::shared_ptr<KnownDevices> known) {
  if (arguments.profile) return {};
  return {[] { this_tool(); }, std::make_shared<EndingWorkers>(), std::move(known)};
}

// Expands one suite and checks all that it needs.
Checked<RunJob> plan_suite(const RunArguments& all, const std::string& suite, const Policy& policy,
                           const CommandLine& line, const std::shared_ptr<KnownDevices>& known) {
  RunArguments arguments = all;
  arguments.plan.suite = suite;
  arguments.plan.of_several = all.suites.size() > 1;
  if (const Status checked = check_outputs(arguments.output, files_of(arguments, {})); !checked)
    return fail_checked(checked.error());
  Checked<Prepared> prepared = prepare(arguments.plan, beside_probes(arguments, known));
  if (!prepared) return tl::unexpected(std::move(prepared.error()));
  const Reproduction made_by(line, arguments.store, arguments.plan.device, arguments.against);
  RunJob job{std::move(arguments), std::move(*prepared), policy, nullptr, nullptr, made_by};
  if (job.arguments.profile) return job;
  declare_looks(job.prepared.plan, job.arguments.looks.looks, !job.arguments.against.empty());
  if (const Status checked = check_before_measuring(job.arguments, job.prepared); !checked)
    return fail_checked(checked.error());
  Checked<Policy> complete = job.arguments.policy.with_waivers(policy, suite);
  if (!complete) return tl::unexpected(std::move(complete.error()));
  job.policy = std::move(*complete);
  return job;
}

}  // namespace

Status check_one_suite(const RunArguments& arguments) {
  const char* option = !arguments.file.empty() ? "--output" : arguments.resume ? "--continue" : nullptr;
  if (arguments.suites.size() == 1 || option == nullptr) return {};
  return fail(ErrorKind::usage,
              fmt::format("{} is for one suite, and {} were named", option, arguments.suites.size()),
              "name the suite that it is for, or leave the option out");
}

Checked<std::vector<RunJob>> plan_suites(const RunArguments& arguments, const Policy& policy,
                                         const CommandLine& line) {
  const auto known = std::make_shared<KnownDevices>();
  std::vector<RunJob> jobs;
  for (const std::string& suite : arguments.suites) {
    Checked<RunJob> job = plan_suite(arguments, suite, policy, line, known);
    if (!job) return tl::unexpected(std::move(job.error()));
    jobs.push_back(std::move(*job));
  }
  return jobs;
}

}  // namespace harness
