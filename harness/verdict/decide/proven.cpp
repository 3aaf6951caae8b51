#include "harness/verdict/decide/proven.h"

#include <algorithm>
#include <array>
#include <iterator>

#include "harness/verdict/decide/call_verdicts.h"

namespace harness {
namespace {

// The direct cause first. A clock change has a reason of its own, which may also be known.
constexpr std::array causes{DiagnosticCode::shared_device, DiagnosticCode::throttled,
                            DiagnosticCode::clock_shift,   DiagnosticCode::driver_clock,
                            DiagnosticCode::temperature,   DiagnosticCode::power};

void conclude(ComparisonRow& row) {
  if (row.verdict == Verdict::failed) return;
  const bool moved = row.verdict == Verdict::regressed || row.verdict == Verdict::improved;
  row.verdict = moved ? Verdict::environment : Verdict::identical;
  row.reason = {moved          ? ReasonCode::proven_moved
                : row.by_build ? ReasonCode::same_build
                               : ReasonCode::proven};
  row.differences.clear();
  row.processes_needed.reset();
  row.look.next.reset();
}

}  // namespace

std::vector<Evidence> take_proven(const std::vector<ComparisonRow>& rows, std::vector<Evidence>& evidence) {
  const auto first = std::stable_partition(evidence.begin(), evidence.end(),
                                           [&](const Evidence& one) { return !rows[one.row].proven; });
  std::vector<Evidence> proven(std::make_move_iterator(first), std::make_move_iterator(evidence.end()));
  evidence.erase(first, evidence.end());
  return proven;
}

void call_proven(std::vector<ComparisonRow>& rows, std::vector<Evidence>& evidence, const Policy& policy) {
  call_verdicts(rows, evidence, policy);
  for (ComparisonRow& row : rows)
    if (row.proven) conclude(row);
}

void explain_environment(std::vector<ComparisonRow>& rows) {
  for (ComparisonRow& row : rows) {
    if (row.verdict != Verdict::environment) continue;
    for (const DiagnosticCode cause : causes)
      if (std::any_of(row.diagnostics.begin(), row.diagnostics.end(),
                      [&](const Diagnostic& one) { return one.code == cause; })) {
        row.reason = {ReasonCode::proven_moved, {{"cause", std::string(name_of(cause))}}};
        break;
      }
  }
}

}  // namespace harness
