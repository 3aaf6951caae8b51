#include "harness/cli/farm/slurm_script.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

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

// The GPUs that the largest case uses.
int gpus_needed(const Campaign& campaign) {
  int most = 0;
  for (const CampaignSuite& suite : campaign.suites)
    for (const PlannedCase& one : suite.current().plan.cases)
      if (is_gpu_kind(one.device)) most = std::max(most, one.gpus);
  return most;
}

// Slurm sends TERM to the shell a minute before the end of the time. The element then gives its task back and
// ends with 130, and the job is queued again. A signal may come before the element knows signals; then it
// ends with another status. A signal ends the shell's wait with a status of its own, so the shell then waits
// again, also for an element that has ended by now.
//
// The last job of an array has the array's id, and `scontrol requeue` with that id stops and queues all its
// jobs: hence the id with the task's number. A job that somebody cancelled is no longer RUNNING, but
// `scontrol requeue` would queue it again. {0}: short id, {1}: elements, {2}: more lines, {3}: folder, {4}:
// command.
constexpr const char* script = R"SCRIPT(#!/bin/bash
#SBATCH --job-name=harness-{0}
#SBATCH --array=1-{1}
#SBATCH --ntasks=1
#SBATCH --requeue
#SBATCH --signal=B:TERM@60
#SBATCH --open-mode=append
#SBATCH --output=harness-farm-{0}-%a.log
{2}element=
ends=
trap 'signalled=yes ends=yes; [ -z "$element" ] || kill -TERM "$element" 2>/dev/null' TERM
job=${{SLURM_ARRAY_JOB_ID:?}}_${{SLURM_ARRAY_TASK_ID:?}}
cd {3} || exit 2
{4} --journal "${{TMPDIR:-/tmp}}/harness-farm-$(id -u)" &
element=$!
[ -z "$ends" ] || kill -TERM "$element" 2>/dev/null
signalled=yes
while [ -n "$signalled" ]; do
  signalled=
  wait "$element"
  status=$?
done
if [ "$status" -eq 130 ] || {{ [ -n "$ends" ] && [ "$status" -ne 0 ]; }}; then
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

Status check_slurm_store(const std::string& url) {
  if (without_password(url) == url) return {};
  return fail(ErrorKind::usage, "--slurm: the store's URL holds a password, and everybody may read a script",
              "leave it out of the URL; give it in PGPASSWORD or in ~/.pgpass");
}

std::string slurm_script(const PlannedCampaign& planned, const std::string& store, int elements, int cpus) {
  const std::string command =
      fmt::format("{} farm work {} --store {} --quiet", shell_quoted(this_program().string()),
                  planned.stored.id, shell_quoted(store_from_anywhere(store)));
  const int gpus = gpus_needed(planned.campaign);
  std::string more = gpus > 0 ? fmt::format("#SBATCH --gres=gpu:{}\n", gpus) : "";
  if (cpus > 0) more += fmt::format("#SBATCH --cpus-per-task={}\n", cpus);
  return fmt::format(script, planned.stored.id.substr(0, 8), elements, more,
                     shell_quoted(std::filesystem::current_path().string()), command);
}

}  // namespace harness
