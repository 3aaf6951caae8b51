#include "harness/report/media/junit_suite.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <pugixml.hpp>
#include <string_view>

#include "harness/base/text.h"
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

const char* element_of(JunitCase::Result result) {
  switch (result) {
    case JunitCase::Result::skipped: return "skipped";
    case JunitCase::Result::failure: return "failure";
    case JunitCase::Result::error: return "error";
    case JunitCase::Result::passed: break;
  }
  return nullptr;
}

void add_case(pugi::xml_node suite, const JunitCase& one) {
  pugi::xml_node node = suite.append_child("testcase");
  add(node, "name", one.name);
  add(node, "classname", one.suite);
  if (!one.where.file.empty()) add(node, "file", one.where.file);
  if (!one.where.file.empty() && one.where.line > 0) add(node, "line", std::to_string(one.where.line));
  if (one.seconds && std::isfinite(*one.seconds) && *one.seconds >= 0)
    add(node, "time", fmt::format("{:.9f}", *one.seconds));
  if (const char* element = element_of(one.result); element != nullptr) {
    pugi::xml_node result = node.append_child(element);
    if (!one.type.empty()) add(result, "type", one.type);
    add(result, "message", one.message);
    if (one.result != JunitCase::Result::skipped && !one.body.empty())
      result.append_child(pugi::node_pcdata).set_value(lines_of(one.body).c_str());
  }
  add_text(node, "system-out", one.output);
}

void add_totals(pugi::xml_node node, const JunitSuite& suite) {
  const auto count = [&](JunitCase::Result result) {
    return static_cast<std::size_t>(std::count_if(
        suite.cases.begin(), suite.cases.end(), [&](const JunitCase& one) { return one.result == result; }));
  };
  add(node, "name", suite.name);
  add(node, "tests", suite.cases.size());
  add(node, "failures", count(JunitCase::Result::failure));
  add(node, "errors", count(JunitCase::Result::error));
  add(node, "skipped", count(JunitCase::Result::skipped));
}

class StringWriter final : public pugi::xml_writer {
 public:
  void write(const void* data, std::size_t size) override {
    text.append(static_cast<const char*>(data), size);
  }
  std::string text;
};

}  // namespace

std::string junit_text(const JunitSuite& suite) {
  pugi::xml_document document;
  pugi::xml_node declaration = document.append_child(pugi::node_declaration);
  declaration.append_attribute("version") = "1.0";
  declaration.append_attribute("encoding") = "UTF-8";
  pugi::xml_node root = document.append_child("testsuites");
  add_totals(root, suite);
  root.remove_attribute("skipped");  // which the schema has for a suite only
  pugi::xml_node node = root.append_child("testsuite");
  add_totals(node, suite);
  if (const auto timestamp = timestamp_of(suite.started)) add(node, "timestamp", *timestamp);
  if (!suite.properties.empty()) {
    pugi::xml_node properties = node.append_child("properties");
    for (const auto& [name, value] : suite.properties) {
      pugi::xml_node property = properties.append_child("property");
      add(property, "name", name);
      add(property, "value", value);
    }
  }
  for (const JunitCase& one : suite.cases) add_case(node, one);
  add_text(node, "system-out", suite.output);
  StringWriter writer;
  document.save(writer, "  ", pugi::format_indent, pugi::encoding_utf8);
  return writer.text;
}

}  // namespace harness::report
