// links: harness_suite harness_kernels
//
// Any bytes as a suite: an error with a place in the text, or a plan. Never a crash, a hang, or an
// error without words; and what is accepted once is accepted again, with the same cases.
#include <cstdint>
#include <cstdlib>
#include <string>

#include "harness/suite/load_suite.h"
#include "harness/suite/make_plan.h"

namespace {

const harness::Catalog& catalog() {
  static const harness::Catalog built_in = harness::Catalog::built_in();
  return built_in;
}

void check_errors(const std::vector<harness::Error>& errors) {
  if (errors.empty()) std::abort();
  for (const harness::Error& error : errors)
    if (error.message.empty() || error.where.file != "fuzz.yaml") std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  const harness::Checked<harness::Suite> suite = harness::parse_suite(text, "fuzz.yaml");
  if (!suite) {
    check_errors(suite.error());
    return 0;
  }
  const harness::Checked<harness::Plan> plan = harness::make_plan(*suite, catalog(), {});
  if (!plan) {
    check_errors(plan.error());
    return 0;
  }
  if (plan->cases.empty()) std::abort();
  harness::PlanOptions only_first;
  only_first.filters.push_back(plan->cases.front().id);
  const harness::Checked<harness::Plan> again = harness::make_plan(*suite, catalog(), only_first);
  // A text parameter may hold wildcards, which then match other cases too.
  if (!again || again->cases.empty() || again->cases.front().id != plan->cases.front().id) std::abort();
  return 0;
}
