#include <fmt/format.h>

#include <cmath>
#include <pugixml.hpp>
#include <string_view>

#include "harness/base/text.h"
#include "harness/report/media/media.h"
#include "harness/report/media/terminal_text.h"

namespace harness::report {
namespace {

constexpr std::size_t longest_attribute = 2000;  // columns
constexpr std::size_t longest_line = 20000;

std::string one_line(std::string_view raw) {
  return safe_name(raw, longest_attribute);
}

std::string lines_of(std::string_view raw) {
  std::vector<std::string> lines;
  for (const std::string& line : split(raw, '\n')) lines.push_back(safe_name(line, longest_line));
  return join(lines, "\n");
}

void add(pugi::xml_node node, const char* name, std::string_view raw) {
  node.append_attribute(name) = one_line(raw).c_str();
}

void add(pugi::xml_node node, const char* name, std::size_t value) {
  node.append_attribute(name) = static_cast<unsigned long long>(value);
}

void add_text(pugi::xml_node node, const char* name, const std::string& raw) {
  if (!raw.empty()) node.append_child(name).append_child(pugi::node_pcdata).set_value(lines_of(raw).c_str());
}

// xs:dateTime as JUnit has it: without a zone.
std::optional<std::string> timestamp_of(const std::string& started) {
  constexpr std::string_view shape = "0000-00-00T00:00:00Z";
  if (started.size() != shape.size()) return std::nullopt;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    const bool digit = started[i] >= '0' && started[i] <= '9';
    if (shape[i] == '0' ? !digit : started[i] != shape[i]) return std::nullopt;
  }
  return started.substr(0, shape.size() - 1);
}

const char* element_of(CiState result) {
  switch (result) {
    case CiState::skipped: return "skipped";
    case CiState::failure: return "failure";
    case CiState::error: return "error";
    case CiState::passed: break;
  }
  return nullptr;
}

void add_case(pugi::xml_node suite, const CiCase& one, const std::string& suite_name) {
  pugi::xml_node node = suite.append_child("testcase");
  add(node, "name", one.name);
  add(node, "classname", suite_name);
  if (!one.where.file.empty()) add(node, "file", one.where.file);
  if (!one.where.file.empty() && one.where.line > 0) add(node, "line", std::to_string(one.where.line));
  if (one.seconds && std::isfinite(*one.seconds) && *one.seconds >= 0)
    add(node, "time", fmt::format("{:.9f}", *one.seconds));
  if (const char* element = element_of(one.state); element != nullptr) {
    pugi::xml_node result = node.append_child(element);
    if (!one.code.empty()) add(result, "type", one.code);
    add(result, "message", one.message);
    if (one.state != CiState::skipped && !one.body.empty())
      result.append_child(pugi::node_pcdata).set_value(lines_of(one.body).c_str());
  }
  add_text(node, "system-out", one.output);
}

struct Totals {
  std::size_t tests = 0, failures = 0, errors = 0, skipped = 0;
};

void count(const CiView& view, Totals& totals) {
  totals.tests += view.cases.size();
  for (const CiCase& one : view.cases) {
    totals.failures += one.state == CiState::failure ? 1 : 0;
    totals.errors += one.state == CiState::error ? 1 : 0;
    totals.skipped += one.state == CiState::skipped ? 1 : 0;
  }
}

void add_totals(pugi::xml_node node, const std::string& name, const Totals& totals) {
  add(node, "name", name);
  add(node, "tests", totals.tests);
  add(node, "failures", totals.failures);
  add(node, "errors", totals.errors);
}

void add_suite(pugi::xml_node root, const Document& document, const CiView& view) {
  pugi::xml_node node = root.append_child("testsuite");
  Totals totals;
  count(view, totals);
  add_totals(node, view.suite, totals);
  add(node, "skipped", totals.skipped);  // the schema has this attribute for a suite only
  if (const auto timestamp = timestamp_of(view.started)) add(node, "timestamp", *timestamp);
  pugi::xml_node properties = node.append_child("properties");
  for (const NamedTexts& list : {view.properties, document.facts})
    for (const auto& [name, value] : list) {
      pugi::xml_node property = properties.append_child("property");
      add(property, "name", name);
      add(property, "value", value);
    }
  if (!properties.first_child()) node.remove_child(properties);
  for (const CiCase& one : view.cases) add_case(node, one, view.suite);
  std::vector<std::string> lines{document.headline};
  lines.insert(lines.end(), view.output.begin(), view.output.end());
  if (!document.exit_meaning.empty()) lines.push_back(document.exit_meaning);
  add_text(node, "system-out", join(lines, "\n"));
}

class StringWriter final : public pugi::xml_writer {
 public:
  void write(const void* data, std::size_t size) override {
    text.append(static_cast<const char*>(data), size);
  }
  std::string text;
};

struct Part {
  const Document* document;
  CiView view;
};

std::string draw(const std::string& name, const std::vector<Part>& parts) {
  pugi::xml_document xml;
  pugi::xml_node declaration = xml.append_child(pugi::node_declaration);
  declaration.append_attribute("version") = "1.0";
  declaration.append_attribute("encoding") = "UTF-8";
  pugi::xml_node root = xml.append_child("testsuites");
  Totals totals;
  for (const Part& part : parts) count(part.view, totals);
  add_totals(root, name, totals);
  for (const Part& part : parts) add_suite(root, *part.document, part.view);
  StringWriter writer;
  xml.save(writer, "  ", pugi::format_indent, pugi::encoding_utf8);
  return writer.text;
}

}  // namespace

// The elements and attributes that Jenkins (junit-10.xsd) and GitLab both know. Control characters are made
// visible, line by line.
std::string draw_junit(const Report& report, const Style&) {
  CiView view = report.ci();
  const std::string name = view.suite;
  return draw(name, {{&report.document, std::move(view)}});
}

std::string draw_junit(const std::vector<SuiteReport>& reports) {
  std::vector<Part> parts;
  for (const SuiteReport& one : reports) parts.push_back({&one.report.document, one.report.ci()});
  return draw("harness", parts);
}

}  // namespace harness::report
