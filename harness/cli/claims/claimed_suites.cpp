#include "harness/cli/claims/claimed_suites.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "harness/base/text.h"
#include "harness/cli/output/input_files.h"
#include "harness/cli/provenance/repository_suite.h"
#include "harness/store/git.h"
#include "harness/verdict/claims/check_claims.h"

namespace harness {
namespace fs = std::filesystem;
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

bool same_claim(const Claim& one, const Claim& other) {
  const auto key = [](const Claim& claim) {
    return std::tie(claim.of, claim.against, claim.metric, claim.figure, claim.range.least, claim.range.most,
                    claim.over, claim.gate);
  };
  return key(one) == key(other);
}

// The claims of the suite as a commit has it; nullopt where it has no such file.
Checked<std::optional<std::vector<Claim>>> claims_at(const std::string& base, const std::string& file) {
  const std::optional<fs::path> root = repository_root(".");
  if (!root) return std::nullopt;
  std::error_code code;
  const fs::path path =
      fs::weakly_canonical(fs::absolute(file), code).lexically_relative(fs::canonical(*root, code));
  const Result<std::string> text = file_at(*root, base, path.string());
  if (!text && text.error().kind == ErrorKind::missing) return std::nullopt;
  if (!text) return fail_checked(text.error());
  Checked<Suite> suite = parse_suite(*text, fmt::format("{} at {}", file, base.substr(0, 10)));
  if (!suite) return tl::unexpected(suite.error());
  return std::move(suite->claims);
}

// Puts the base's claims in the place of those that the change made of them.
void decide_claims(Suite& suite, const std::vector<Claim>& base) {
  std::vector<Claim> decided = base;
  for (Claim& own : suite.claims) {
    const bool known =
        std::any_of(base.begin(), base.end(), [&](const Claim& one) { return same_claim(one, own); });
    const bool changed = std::any_of(base.begin(), base.end(), [&](const Claim& one) {
      return one.says == own.says ||
             (one.of == own.of && one.against == own.against && one.metric == own.metric);
    });
    if (known) continue;
    if (changed)
      fmt::print(stderr, "{}: this claim is a proposal, as it was before it counts: {}\n",
                 to_string(own.where), printable(own.says));
    else
      decided.push_back(std::move(own));
  }
  suite.claims = std::move(decided);
}

}  // namespace

Checked<std::vector<Suite>> claimed_suites(const std::vector<std::string>& files) {
  return claimed_suites(files, "");
}

Checked<std::vector<Suite>> claimed_suites(const std::vector<std::string>& files, const std::string& base) {
  std::vector<Suite> suites;
  std::set<std::filesystem::path> seen;
  for (const std::string& path : files) {
    if (!seen.insert(identity_of(path)).second) continue;
    Checked<Suite> suite = load_repository_suite(path);
    if (!suite) return tl::unexpected(suite.error());
    if (!base.empty()) {
      const Checked<std::optional<std::vector<Claim>>> before = claims_at(base, path);
      if (!before) return tl::unexpected(before.error());
      if (*before) decide_claims(*suite, **before);
    }
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
