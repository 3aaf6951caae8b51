#include "harness/verdict/read/instrument_checks.h"

#include <fmt/format.h>

#include <vector>

#include "harness/stats/estimate/estimator.h"

namespace harness {
namespace {

constexpr double noteworthy_share = 0.05;  // of a call, that an empty one reads
constexpr double too_much = 0.25;

}  // namespace

std::optional<std::string> control_note(const CaseRecord& record, double center_us, bool advised) {
  std::vector<double> calls, batched;
  for (const ProcessResult& process : record.processes)
    if (process.control) {
      calls.push_back(process.control->call);
      batched.push_back(process.control->batched);
    }
  if (calls.empty()) return std::nullopt;
  const double call = stats::quantile(calls, 0.5), in_batch = stats::quantile(batched, 0.5);
  const bool in_batches = record.sampling.timing == TimingMode::batch;
  if (!in_batches && !(call > noteworthy_share * center_us)) return std::nullopt;
  std::string note = fmt::format(
      "control: a call that does nothing reads {:.3g} us by itself and {:.3g} us in a batch; nothing is "
      "subtracted",
      call, in_batch);
  if (!in_batches && !advised && call > too_much * center_us)
    note += ". So short a call by itself is mostly what timing costs: use `timing: batch`";
  return note;
}

}  // namespace harness
