#include "harness/verdict/read/instrument_checks.h"

#include <vector>

#include "harness/stats/estimate/estimator.h"

namespace harness {
namespace {

constexpr double noteworthy_share = 0.05;  // of a call, that an empty one reads
constexpr double too_much = 0.25;

}  // namespace

std::optional<Diagnostic> control_diagnostic(const CaseRecord& record, double center_us, bool advised) {
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
  const bool advise = !in_batches && !advised && call > too_much * center_us;
  return Diagnostic{DiagnosticCode::control,
                    {{"call_us", call}, {"batched_us", in_batch}, {"advise", advise}}};
}

}  // namespace harness
