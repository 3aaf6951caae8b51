#include "harness/cli/farm/slurm_script.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "harness/base/environment.h"
#include "harness/base/process.h"
#include "harness/base/text.h"
#include "harness/model/device_kinds.h"

namespace harness {
namespace {

// A path as elements see it, which may start elsewhere.
std::string store_from_anywhere(const std::string& url) {
  static constexpr std::string_view sqlite = "sqlite:";
  if (url.find("://") != std::string::npos) return url;
  const std::string path = url.starts_with(sqlite) ? url.substr(sqlite.size()) : url;
  return std::filesystem::absolute(path).lexically_normal().string();
}

// This program, or its copy where it was staged.
std::string program_of(const Campaign& campaign) {
  const std::string here = this_program().string();
  for (const CampaignSuite& suite : campaign.suites)
    if (suite.current().program.ends_with(here)) return suite.current().program;
  return here;
}

// The GPUs that the largest case uses.
int gpus_needed(const Campaign& campaign) {
  int most = 0;
  for (const CampaignSuite& suite : campaign.suites)
    for (const PlannedCase& one : suite.current().plan.cases)
      if (is_gpu_kind(one.device)) most = std::max(most, one.gpus);
  return most;
}

// A job for each element, but not for more than there are tasks, that which judges included: it may add tasks
// for other devices. Where nothing is left to measure, one job finds that out.
int jobs_needed(const SlurmRequest& request, const PlannedCampaign& planned) {
  return std::clamp(static_cast<int>(planned.tasks.size()), 1, request.elements);
}

// Only the elements need what these options of sbatch ask for.
bool is_of_elements(const std::string& option) {
  return option.starts_with("cpus-per-task=") || option.starts_with("gres=") || option.starts_with("gpus") ||
         option.starts_with("mem");
}

// Who runs the script submits it and a job that judges when all elements have ended.
//
// Slurm sends TERM to the shell a minute before the end of the time. The element then gives its task back and
// ends with 130, and the job is queued again, as after the 75 of a store that is away. A signal may come
// before the element knows signals; then it ends with another status. A signal ends the shell's wait with a
// status of its own, so the shell then waits again, also for an element that has ended by now.
//
// The last job of an array has the array's id, and `scontrol requeue` with that id stops and queues all its
// jobs: hence the id with the task's number. A job that somebody cancelled is no longer RUNNING, but
// `scontrol requeue` would queue it again. {0}: short id, {1}: elements, {2}: more lines, {3}: folder, {4}:
// command, {5}: options of the job that judges, {6}: its command, {7}: the environment.
constexpr const char* script = R"SCRIPT(#!/bin/bash
#SBATCH --job-name=harness-{0}
#SBATCH --array=1-{1}
#SBATCH --ntasks=1
#SBATCH --requeue
#SBATCH --signal=B:TERM@60
#SBATCH --open-mode=append
#SBATCH --output=harness-farm-{0}-%a.log
{2}
{7}if [ -z "${{SLURM_JOB_ID:-}}" ]; then
  script=$(realpath "${{BASH_SOURCE[0]}}")
  cd {3} || exit 2
  elements=$(sbatch --parsable "$script") || exit
  judge=$(sbatch --parsable --dependency="afterany:${{elements%%;*}}" --job-name=harness-judge-{0} \
    --output=harness-judge-{0}.log {5}--wrap={6}) || exit
  echo "elements: job $elements; the verdict is the exit status of job $judge, its report harness-judge-{0}.md"
  exit
fi
element=
ends=
trap 'signalled=yes ends=yes; [ -z "$element" ] || kill -TERM "$element" 2>/dev/null' TERM
job=${{SLURM_ARRAY_JOB_ID:?}}_${{SLURM_ARRAY_TASK_ID:?}}
cd {3} || exit 2
ending=$(date -d "$(squeue --noheader --format=%e --jobs="$job")" +%s 2>/dev/null)
time=()
[ -z "$ending" ] || time=(--time "$((ending - $(date +%s) - 60))s")
{4} "${{time[@]}}" --journal "${{TMPDIR:-/tmp}}/harness-farm-$(id -u)" &
element=$!
[ -z "$ends" ] || kill -TERM "$element" 2>/dev/null
signalled=yes
while [ -n "$signalled" ]; do
  signalled=
  wait "$element"
  status=$?
done
if [ "$status" -eq 130 ] || [ "$status" -eq 75 ] || {{ [ -n "$ends" ] && [ "$status" -ne 0 ]; }}; then
  for _ in 1 2 3 4 5 6 7 8; do
    if state=$(squeue --noheader --format=%T --jobs="$job"); then
      [ "$state" = RUNNING ] || break
      scontrol requeue "$job" && break
    fi
    sleep 5
  done
fi
exit "$status"
)SCRIPT";

}  // namespace

Status check_slurm_request(const SlurmRequest& request) {
  for (const std::string& option : request.options)
    if (option.empty() || option.front() == '-' || option.find('\n') != std::string::npos)
      return fail(ErrorKind::usage, fmt::format("--sbatch: `{}` is no option of sbatch", printable(option)),
                  "write it without its dashes, as in --sbatch partition=gpu");
  return {};
}

Seconds time_in_job(const std::vector<std::string>& options) {
  constexpr Seconds minute = 60, hour = 60 * minute, day = 24 * hour;
  Seconds time = 0;
  for (const std::string& option : options) {
    if (!option.starts_with("time=")) continue;
    std::string text = option.substr(option.find('=') + 1);
    const std::size_t dash = text.find('-');
    const bool has_days = dash != std::string::npos;
    time = has_days ? day * std::atoi(text.c_str()) : 0;
    const std::vector<std::string> parts = split(has_days ? text.substr(dash + 1) : text, ':');
    Seconds unit = has_days || parts.size() > 2 ? hour : minute;
    for (const std::string& part : parts) {
      time += unit * std::atoi(part.c_str());
      unit /= 60;
    }
  }
  return std::max(0.0, time - minute);  // a signal comes so early
}

std::string slurm_script(const SlurmRequest& request, const PlannedCampaign& planned,
                         const std::string& store) {
  const std::string id = planned.stored.id, short_id = id.substr(0, 8);
  const std::string where = shell_quoted(store_from_anywhere(store));
  const std::string program = shell_quoted(program_of(planned.campaign));
  const std::string folder = shell_quoted(std::filesystem::current_path().string());
  const std::string inside = request.inside.empty() ? "" : request.inside + " ";
  const std::string work = fmt::format("{}{} farm work {} --store {} --quiet", inside, program, id, where);
  const std::string judge =
      fmt::format("cd {} && {}{} farm judge {} --store {} --report markdown=harness-judge-{}.md", folder,
                  inside, program, id, where, short_id);
  const int gpus = gpus_needed(planned.campaign);
  std::string more = gpus > 0 ? fmt::format("#SBATCH --gres=gpu:{}\n", gpus) : "", of_judge;
  for (const std::string& option : request.options) {
    more += fmt::format("#SBATCH --{}\n", option);
    if (!is_of_elements(option)) of_judge += shell_quoted("--" + option) + " ";
  }
  const std::string passwords = environment::postgresql_passwords();
  const std::string exported = passwords.empty()
                                   ? ""
                                   : fmt::format("export PGPASSFILE={}\n",
                                                 shell_quoted(std::filesystem::absolute(passwords).string()));
  return fmt::format(script, short_id, jobs_needed(request, planned), more, folder, work, of_judge,
                     shell_quoted(judge), exported);
}

Status check_slurm_script(const std::string& script) {
  const Result<Output> cluster = run_command({{"sinfo", "--noheader"}});
  if (!cluster || !cluster->exit.ok()) return {};
  const Result<Output> tested = run_command({{"sbatch", "--test-only", script}});
  if (!tested || tested->exit.ok()) return {};
  return fail(ErrorKind::usage, Location{script},
              fmt::format("Slurm would never run it: {}", printable(std::string(trim(tested->err)))),
              "change --elements or --sbatch, and plan again");
}

}  // namespace harness
