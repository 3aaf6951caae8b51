// The file that trtexec writes for --exportTimes: an object an inference, times in milliseconds. It names no
// network, so the user does.
#include "harness/store/adapters/import_formats.h"
#include "harness/store/adapters/read_text.h"

namespace harness {
namespace {

constexpr const char* in_a_suite = "inference";  // there the program has a name

bool is_trtexec(std::string_view text) {
  return begins_as_json(text, "[{", {"computeMs", "latencyMs"});
}

Checked<ToolFile> read_trtexec(std::string_view text, const std::string& file,
                               const ToolQuestions& questions) {
  Checked<ToolFile> read = read_json(text, file, [&](const JsonNode& root, ToolFile& into) {
    CaseRecord& one = into.at(questions.case_name.empty() ? in_a_suite : questions.case_name);
    root.each_element([&](const JsonNode& inference) {
      const auto compute = time_of(inference.require("computeMs"), one);
      const auto latency = time_of(inference.require("latencyMs"), one);
      if (!compute || !latency) return;
      ToolFile::append(one, "gpu_time", "ms", *compute);
      ToolFile::append(one, "latency", "ms", *latency);
    });
    into.names_cases = !questions.case_name.empty();
  });
  if (read && read->cases.front().series.empty() &&
      read->cases.front().processes.front().outcome == Outcome::measured)
    read->cases.clear();
  return read ? with_cases(std::move(*read), file) : read;
}

}  // namespace

extern const ImportFormat trtexec_format;
const ImportFormat trtexec_format{
    "trtexec", "JSON of trtexec: trtexec --loadEngine=ENGINE --exportTimes=FILE", is_trtexec, read_trtexec};

}  // namespace harness
