#include "harness/cli/claims/claimed_suites.h"

#include <filesystem>
#include <set>
#include <utility>

#include "harness/base/text.h"
#include "harness/cli/output/input_files.h"
#include "harness/verdict/claims/check_claims.h"

namespace harness {
namespace {

std::vector<CheckedClaim> unchecked(const Suite& suite) {
  std::vector<CheckedClaim> claims;
  for (const Claim& claim : suite.claims) {
    CheckedClaim& one = claims.emplace_back();
    one.suite = suite.identity.name;
    one.claim = claim;
    one.gap = ClaimGap::no_record;
  }
  return claims;
}

ClaimRecord named(const Record& record) {
  ClaimRecord named{record.suite.name, record.id, record.revision, {}};
  std::vector<std::string> classes;
  for (const auto& [kind, machine] : record.machines) classes.push_back(machine.machine_class);
  named.machine_class = join(classes, ", ");
  return named;
}

}  // namespace

Checked<std::vector<Suite>> claimed_suites(const std::vector<std::string>& files) {
  std::vector<Suite> suites;
  std::set<std::filesystem::path> seen;
  for (const std::string& path : files) {
    if (!seen.insert(identity_of(path)).second) continue;
    Checked<Suite> suite = load_suite(path);
    if (!suite) return tl::unexpected(suite.error());
    if (!suite->claims.empty()) suites.push_back(std::move(*suite));
  }
  return suites;
}

void add_checked(ClaimsReport& report, const Suite& suite, const Record* record) {
  const std::vector<CheckedClaim> claims =
      record != nullptr ? check_claims(suite.claims, *record, report.confidence) : unchecked(suite);
  report.records.push_back(record != nullptr ? named(*record) : ClaimRecord{suite.identity.name, {}, {}, {}});
  report.claims.insert(report.claims.end(), claims.begin(), claims.end());
}

}  // namespace harness
