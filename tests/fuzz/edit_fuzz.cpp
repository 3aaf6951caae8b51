// links: harness_suite harness_kernels
//
// Overrides added to any suite: refused with the lines to add by hand, or every line that was there is still
// there, in its order. Never a crash.
#include <cstdint>
#include <cstdlib>
#include <string>

#include "harness/base/text.h"
#include "harness/suite/load_suite.h"
#include "harness/suite/yaml/edit.h"

namespace {

// Entries of an earlier calibration are replaced and need not stay.
void check_kept(const std::string& before, const std::string& after) {
  const std::vector<std::string> now = harness::split(after, '\n');
  std::size_t at = 0;
  for (const std::string& line : harness::split(before, '\n')) {
    if (line.find(harness::trim(harness::override_mark)) != std::string::npos) continue;
    while (at < now.size() && now[at] != line) ++at;
    if (at++ == now.size()) std::abort();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  const harness::Checked<harness::Suite> suite = harness::parse_suite(text, "fuzz.yaml");
  std::vector<harness::GroupEdit> edits{{3, {"{match: {variant: \"a\"}, gate: {margin: 2%}}"}}};
  if (suite) {
    edits.clear();
    for (const harness::CaseGroup& group : suite->groups)
      edits.push_back({group.where.line, {"{match: {variant: \"a\"}, gate: {margin: 2%}}"}});
  }
  const harness::Result<std::string> edited = harness::with_overrides(text, "fuzz.yaml", edits);
  if (!edited && edited.error().message.empty()) std::abort();
  if (edited) check_kept(text, *edited);
  return 0;
}
