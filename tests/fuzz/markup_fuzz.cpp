// links: harness_report
// Whatever a name is, it stays a name: XML reads back as the text that it shows, an annotation stays one
// line with its own properties, Markdown keeps its cells and tags.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <pugixml.hpp>
#include <string>
#include <string_view>

#include "harness/base/text.h"
#include "harness/report/media/github_text.h"
#include "harness/report/media/markdown_text.h"
#include "harness/report/media/terminal_text.h"
#include "harness/report/report.h"

namespace {

namespace report = harness::report;

void must(bool holds) {
  if (!holds) std::abort();
}

void check_xml(const std::string& name) {
  report::CiCase one{name, {name, 1}, report::CiState::error};
  one.code = one.message = one.body = one.output = name;
  harness::Report made;
  made.document.headline = name;
  made.ci = [&] { return report::CiView{name, name, name, {{name, name}}, {one}}; };
  const std::string text = harness::render(made, harness::Format::junit);
  pugi::xml_document document;
  must(document.load_buffer(text.data(), text.size(), pugi::parse_full, pugi::encoding_utf8));
  const pugi::xml_node read = document.child("testsuites").child("testsuite").child("testcase");
  must(read.attribute("name").value() == report::safe_name(name, 2000));
  must(read.child("error").attribute("message").value() == report::safe_name(name, 2000));
  must(document.select_nodes("//testcase").size() == 1 && document.select_nodes("//error").size() == 1);
}

void check_annotation(const std::string& name) {
  const std::string line = report::annotation_line(report::Alarm::error, {name, 7, name, name});
  must(std::count(line.begin(), line.end(), '\n') == 1 && line.ends_with('\n'));
  must(line.substr(0, line.size() - 1) == harness::printable(line.substr(0, line.size() - 1)));
  const std::size_t end = line.find("::", 2);
  must(end != std::string::npos);
  const std::string head = line.substr(2, end - 2);
  must(head.find(':') == std::string::npos);
  must(std::count(head.begin(), head.end(), ',') <= 2);
}

// A table of one row, as CSV, has a header and one more line.
void check_csv(const std::string& name) {
  report::Grid grid;
  grid.columns = {{name}};
  grid.sections = {{name, report::Paint::plain, {{name, {{name}}}}}};
  harness::Report made;
  made.document.blocks = {{report::Table{name, grid}}};
  const std::string text = harness::render(made, harness::Format::csv);
  must(std::count(text.begin(), text.end(), '\n') == 2 && std::count(text.begin(), text.end(), '\r') == 2);
}

void check_markdown(const std::string& name) {
  const std::string code = report::markdown_code(name);
  must(code.find_first_of("|\n\r") == std::string::npos);
  const bool element = code.starts_with("<code>") && code.ends_with("</code>");
  must(element ||
       (code.front() == '`' && code.back() == '`' && std::count(code.begin(), code.end(), '`') == 2));
  const std::string prose = report::markdown_prose(name);
  must(prose == harness::printable(prose) || prose.find("\u200b") != std::string::npos);
  must(prose.find('|') == std::string::npos && prose.find('\n') == std::string::npos);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string name(reinterpret_cast<const char*>(data), size);
  check_xml(name);
  check_annotation(name);
  check_csv(name);
  check_markdown(name);
  return 0;
}
