// Identity: how case ids are shown beside each other. The part that all ids share is printed once, as a
// wildcard that `--filter` accepts. Reasons that many
// cases share are printed once, too. Pure.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "harness/model/document.h"

namespace harness::report {

// A pattern and, for each id in order, what the pattern leaves open.
struct Shared {
  std::string pattern;              // "linear_gelu/*/dtype=f16/m=512", or "" when nothing is shared
  std::vector<std::string> labels;  // "cublaslt_epilogue"
};

// Drops the path segments that are the same in all ids; with fewer than two ids, nothing.
Shared factor_ids(std::span<const std::string> ids);

// A case, and the pattern of its siblings: the variants of its workload at the same parameters. A case of
// another tool has an id alone.
struct NamedCase {
  std::string id;
  std::string siblings;  // "linear_gelu/*/dtype=f16/m=512"
  std::string variant = {};
};
template <class Case>
NamedCase named(const Case& one) {
  if (one.variant.empty()) return {one.id, {}};
  const std::string point = one.params.text_id();
  return {one.id, one.workload + "/*" + (point.empty() ? "" : "/" + point), one.variant};
}

struct Member {
  std::size_t index = 0;  // into the cases given
  std::string label;
};

struct CaseGroup {
  std::string heading;  // a pattern, or ""
  std::vector<Member> members;
};

// Puts siblings side by side, in order of first appearance. Where that would leave most groups with a single
// member, one group of all cases.
std::vector<CaseGroup> group_cases(std::span<const NamedCase> cases);

struct Reasoned {
  std::string id;
  std::string reason;
};

// In order of first appearance.
std::vector<ReasonGroup> group_by_reason(std::span<const Reasoned> cases);

struct Abridged {
  std::string pattern;  // one id, or "linear_gelu/cublaslt_epilogue/*" for several
  std::size_t count = 0;
};

// A long list of ids as patterns over their first two segments, in order of first appearance.
std::vector<Abridged> abridge(std::span<const std::string> ids);

}  // namespace harness::report
