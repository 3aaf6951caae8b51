// The XML that Catch2, 2.13 and 3, prints for `--reporter xml`: benchmarks within sections within test cases.
// The mean of a benchmark is its one sample of the process. A benchmark counts only if its test case
// succeeded; up to 2.13 a benchmark that throws does not fail its test case.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <pugixml.hpp>

#include "harness/base/text.h"
#include "harness/store/adapters/import_formats.h"
#include "harness/store/adapters/read_text.h"

namespace harness {
namespace {

bool is_catch2(std::string_view text) {
  text = trim(beginning_of(text));
  return text.starts_with('<') && (text.find("<Catch name=") != std::string_view::npos ||
                                   text.find("<Catch2TestRun") != std::string_view::npos);
}

class Catch2Reader {
 public:
  Catch2Reader(std::string_view text, const std::string& file) : text_(text), file_(file) {}

  Checked<ToolFile> read() {
    pugi::xml_document document;
    const pugi::xml_parse_result parsed =
        document.load_buffer(text_.data(), text_.size(), pugi::parse_default | pugi::parse_comments);
    if (!parsed)
      return fail_checked(
          {ErrorKind::usage, fmt::format("is no whole XML document: {}", parsed.description()),
           Location{file_, line_of(parsed.offset)}, "it is cut off where the program was ended"});
    const pugi::xml_node root = document.document_element();
    for (pugi::xml_node more = root.next_sibling(); more; more = more.next_sibling())
      if (more.type() == pugi::node_element)
        return fail_checked({ErrorKind::usage, "has a second document behind the first one",
                             Location{file_, line_of(more.offset_debug())},
                             "write each run into a file of its own"});
    read_.same.emplace("executable", root.attribute("name").value());
    read_.field("Catch2", root.attribute("catch2-version").value(), FieldClass::warn);
    const pugi::xml_node group = root.child("Group");  // of 2.13
    for (const pugi::xml_node& test : (group ? group : root).children("TestCase")) take_test(test);
    if (!errors_.errors().empty()) return tl::unexpected(std::move(errors_).take(file_));
    return with_cases(std::move(read_), file_,
                      "no BENCHMARK ran; does the program's filter name its test case?");
  }

 private:
  [[nodiscard]] int line_of(std::ptrdiff_t offset) const {
    const auto end =
        text_.begin() + std::clamp<std::ptrdiff_t>(offset, 0, static_cast<std::ptrdiff_t>(text_.size()));
    return 1 + static_cast<int>(std::count(text_.begin(), end, '\n'));
  }

  void refuse(const pugi::xml_node& where, std::string message, std::string advice = {}) {
    errors_.add({ErrorKind::usage, std::move(message), Location{file_, line_of(where.offset_debug())},
                 std::move(advice)});
  }

  void take_test(const pugi::xml_node& test) {
    const std::string success = test.child("OverallResult").attribute("success").value();
    if (success != "true" && success != "false")
      return refuse(test, "has no OverallResult, which tells whether it succeeded");
    take_children(test, test.attribute("name").value(), success == "true");
  }

  void take_children(const pugi::xml_node& parent, const std::string& path, bool succeeded) {
    for (const pugi::xml_node& child : parent.children())
      if (const std::string_view kind = child.name(); kind == "Section")
        take_children(child, path + "/" + child.attribute("name").value(), succeeded);
      else if (kind == "BenchmarkResults")
        take_benchmark(child, path + "/" + child.attribute("name").value(), succeeded);
  }

  void take_benchmark(const pugi::xml_node& benchmark, const std::string& name, bool succeeded) {
    if (!is_utf8(name)) return refuse(benchmark, "has a name that is not UTF-8");
    if (read_.has({.name = name}))
      return refuse(
          benchmark, fmt::format("is `{}`, as a benchmark before", printable(name)),
          "it ran once for each section or generated value: put it into a SECTION, or the value into "
          "its name");
    CaseRecord& one = read_.at(name);
    if (const pugi::xml_node failed = benchmark.child("failed"))
      return ToolFile::end(
          one, Outcome::failed,
          cause_with_why(CauseCode::tool_failed, printable(failed.attribute("message").value())));
    if (!succeeded)
      return ToolFile::end(one, Outcome::failed,
                           cause_with_why(CauseCode::tool_failed, "its test case failed"));
    const bool in_nanoseconds =
        std::any_of(benchmark.begin(), benchmark.end(), [](const pugi::xml_node& child) {
          return child.type() == pugi::node_comment &&
                 std::string_view(child.value()).find("nano seconds") != std::string_view::npos;
        });
    if (!in_nanoseconds)
      return refuse(benchmark, "does not say that its times are in nanoseconds, as Catch2 does in a comment");
    take_mean(benchmark.child("mean"), benchmark, one);
  }

  void take_mean(const pugi::xml_node& mean, const pugi::xml_node& benchmark, CaseRecord& one) {
    double value = 0, least = 0, most = 0;
    for (const auto& [name, number] :
         {std::pair<const char*, double*>{"value", &value}, {"lowerBound", &least}, {"upperBound", &most}}) {
      const std::string_view text = mean.attribute(name).value();
      const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), *number);
      if (code != std::errc{} || end != text.data() + text.size() || text.empty())
        return refuse(benchmark, fmt::format("has no number as `{}` of its mean", name));
    }
    if (value < 0 || least > value || value > most)
      return refuse(mean, fmt::format("has a mean of {} between {} and {}", value, least, most));
    if (!(value > 0) || !std::isfinite(value))
      return ToolFile::end(one, Outcome::failed, unusable_time("mean", value));
    ToolFile::add(one, "wall_time", "ns", {{value}});
  }

  std::string_view text_;
  std::string file_;
  ToolFile read_;
  SampleErrors errors_;
};

Checked<ToolFile> read_catch2(std::string_view text, const std::string& file, const ToolQuestions&) {
  return Catch2Reader(text, file).read();
}

}  // namespace

extern const ImportFormat catch2_format;
const ImportFormat catch2_format{"catch2", "XML of Catch2: PROGRAM --reporter xml --out FILE", is_catch2,
                                 read_catch2};

}  // namespace harness
