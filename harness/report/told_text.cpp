#include "harness/report/told_text.h"

#include <fmt/format.h>

#include "harness/base/text.h"
#include "harness/report/media/report_json.h"
#include "harness/schema/json_writer.h"

namespace harness::report {
namespace {

// Tables have their figures elsewhere in the report; here stand their titles.
class ToldLines {
 public:
  explicit ToldLines(JsonWriter& json) : json_(json) {}

  void operator()(const Heading& heading) { add(heading.text); }
  void operator()(const Table& table) { add(table.title); }
  void operator()(const Prose& prose) { add(prose.lines); }
  void operator()(const List& list) {
    if (list.lines.empty()) return;
    add(list.heading);
    add(list.lines);
  }
  void operator()(const Reasons& reasons) {
    for (const ReasonGroup& group : reasons.groups)
      add(fmt::format("{}: {} ({})", reasons.heading, group.reason, group.ids.size()));
  }
  void operator()(const Findings& findings) {
    if (findings.items.empty()) return;
    add(findings.heading);
    for (const Finding& one : findings.items) {
      std::vector<std::string> parts;
      for (const std::string& part : {one.label, join(one.cases, ", "), one.standing, one.text})
        if (!part.empty()) parts.push_back(part);
      add(join(parts, ": "));
      add(one.details);
      add(one.advice);
    }
  }
  void operator()(const Checklist& list) {
    add(list.heading);
    for (const CheckedFact& fact : list.facts) {
      add(fmt::format("{}: {}: {}", fact.name, fact.mark.text, fact.value));
      add(fact.advice);
    }
  }

 private:
  void add(const std::string& line) {
    if (!line.empty()) json_.text(line);
  }
  void add(const std::vector<std::string>& lines) {
    for (const std::string& line : lines) add(line);
  }

  JsonWriter& json_;
};

void write_told(JsonWriter& json, const Document& document) {
  json.open_object();
  json.key("headline").text(document.headline);
  json.key("facts").open_array();
  for (const auto& [name, value] : document.facts)
    json.open_object(JsonLayout::line).key("name").text(name).key("value").text(value).close();
  json.close();
  json.key("lines").open_array();
  ToldLines lines(json);
  for (const Block& block : document.blocks) std::visit(lines, block.content);
  json.close();
  json.key("next_steps").open_array();
  for (const std::string& step : document.next_steps) json.text(step);
  json.close();
  json.key("exit_meaning").text(document.exit_meaning);
  json.close();
}

}  // namespace

std::string with_text(std::string json, const Document& document) {
  if (!json.ends_with("\n}\n")) return json;  // a report without members has none to follow
  JsonWriter text;
  text.open_object();
  write_told(text.key("text"), document);
  text.close();
  std::string member = without_commands(text.take());  // "{\n  "text": ...\n}"
  json.resize(json.size() - 3);
  return json + "," + member.substr(1) + "\n";
}

}  // namespace harness::report
