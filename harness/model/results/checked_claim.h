// The claims of suites, checked with records.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/model/claim.h"
#include "harness/model/record.h"
#include "harness/model/results/summary.h"

namespace harness {

// confirmed: the whole interval lies in the range. refuted: it lies outside. open: neither.
enum class ClaimStatus { confirmed, refuted, open };
template <>
inline constexpr auto enum_names<ClaimStatus> = names<ClaimStatus>({{ClaimStatus::confirmed, "confirmed"},
                                                                    {ClaimStatus::refuted, "refuted"},
                                                                    {ClaimStatus::open, "open"}});

// Why a claim or a case of it has no figure or no interval.
enum class ClaimGap { none, no_record, no_case, no_partner, not_measured, no_metric, no_interval, partial };
template <>
inline constexpr auto enum_names<ClaimGap> = names<ClaimGap>({{ClaimGap::none, "none"},
                                                              {ClaimGap::no_record, "no_record"},
                                                              {ClaimGap::no_case, "no_case"},
                                                              {ClaimGap::no_partner, "no_partner"},
                                                              {ClaimGap::not_measured, "not_measured"},
                                                              {ClaimGap::no_metric, "no_metric"},
                                                              {ClaimGap::no_interval, "no_interval"},
                                                              {ClaimGap::partial, "partial"}});

// A case that the claim is about.
struct ClaimedCase {
  std::string case_id;
  std::string against;  // case id, or ""
  std::string metric, unit;
  ClaimStatus status = ClaimStatus::open;
  ClaimGap gap = ClaimGap::none;
  std::optional<double> value;  // of the claim's figure
  std::optional<Interval> interval;
};

struct CheckedClaim {
  std::string suite;
  Claim claim;
  ClaimStatus status = ClaimStatus::open;
  ClaimGap gap = ClaimGap::none;
  std::string unit;
  std::optional<double> value;  // the mean over the cases, or that of the case that decides
  std::optional<Interval> interval;
  std::string case_id;  // that decides, where the scope is every or any
  std::vector<ClaimedCase> cases;
};

// The record that a suite's claims were checked with.
struct ClaimRecord {
  std::string suite;
  std::string record;  // its id; "": there is none
  Revision revision;
  std::string machine_class;
};

struct ClaimsReport {
  std::vector<ClaimRecord> records;  // one a suite with claims
  std::vector<CheckedClaim> claims;
  double confidence = 0;
  int exit_code = 0;  // 1: a gated claim is refuted, 3: open, 4: its suite has no record
};

}  // namespace harness
