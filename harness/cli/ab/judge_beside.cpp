#include "harness/cli/ab/judge_beside.h"

#include <fmt/format.h>

#include <utility>

#include "harness/base/text.h"
#include "harness/cli/exit_status.h"
#include "harness/measure/schedule/interrupt.h"
#include "harness/store/baseline/candidates.h"
#include "harness/store/baselines.h"
#include "harness/store/git.h"

namespace harness {
namespace {

// UUID of the device that stored records must have; "" before a worker was asked.
std::string device_of(const Prepared& prepared) {
  return prepared.identities.empty() ? std::string() : prepared.identities.begin()->second;
}

bool can_judge(const Selected& stored, const std::string& device, const Policy& policy) {
  const Machine* machine = primary_machine(stored.record);
  return device.empty() || policy.allow_other_device || machine == nullptr || machine->device_uuid == device;
}

}  // namespace

std::optional<std::string> base_to_build(Store& store, const BaselineChoice& choice, const Prepared& prepared,
                                         const Policy& policy) {
  Selected current;  // the facts about it before measuring
  current.record.suite = prepared.plan.suite;
  current.record.revision = head_revision(".");
  SelectOptions select = choice.select;
  select.device_uuid = device_of(prepared);
  const Result<Selected> stored = select_baseline(store, choice.name, current, select);
  if (stored ? can_judge(*stored, select.device_uuid, policy) : stored.error().kind != ErrorKind::missing)
    return std::nullopt;
  const Result<std::string> asked = resolve_revision(".", choice.name);
  if (!asked || current.record.revision.commit.empty()) return std::nullopt;
  const Result<Start> start = find_start(choice.name, *asked, current.record.revision, ".");
  if (!start || !start->itself) return std::nullopt;
  return start->commit;
}

int judge_beside(Store& store, const AbRequest& request, const std::string& base, const Prepared& prepared,
                 AbJudging how, SuiteOutputs& outputs, const Reproduction& made_by) {
  fmt::print(stderr, "no stored record can judge; {} is built and measured beside this build\n",
             base.substr(0, 10));
  const InterruptGuard guard;
  const Checked<std::optional<AbSides>> sides = sides_beside(request, base, prepared);
  if (!sides) return report_errors(sides.error());
  if (!*sides) return stopped("nothing was measured");
  how.instead = true;
  how.baseline = {SourceCode::ab_commit, {{"name", request.baseline}}};
  const std::string head = (*sides)->current.commit;
  if (resolve_revision(".", request.baseline).value_or("") != base)
    how.baseline.figures.emplace_back("fork", head);
  how.current = {SourceCode::this_run};
  return judge_sides(store, **sides, std::move(how), outputs, made_by);
}

}  // namespace harness
