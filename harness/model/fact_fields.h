// Facts (fact.h) as JSON: {"code": "architecture", "needs": "90a", "has": "80"}.
//
// A fact with the code `told` is a sentence that somebody else wrote. In JSON it is plain text. A code of a
// later version is read as `told`, with the code's name as its text.
#pragma once

#include <limits>
#include <string>
#include <utility>
#include <variant>

#include "harness/model/fact.h"
#include "harness/schema/json_fields.h"

namespace harness {

template <class Code>
void write_json(JsonWriter& json, const Fact<Code>& fact) {
  if constexpr (requires { Code::told; }) {
    if (fact.code == Code::told) {
      json.text(fact.text("text"));
      return;
    }
  }
  json.open_object(JsonLayout::line);
  json.key("code").text(name_of(fact.code));
  for (const Figure& figure : fact.figures) {
    json.key(figure.name);
    if (const auto* count = std::get_if<std::int64_t>(&figure.value))
      json.integer(*count);
    else if (const auto* number = std::get_if<double>(&figure.value))
      json.real(*number);
    else
      json.text(std::get<std::string>(figure.value));
  }
  json.close();
}

template <class Code>
void read_json(const JsonNode& node, Fact<Code>& fact, std::int64_t /*least*/ = 0) {
  if constexpr (requires { Code::told; }) {
    std::string text;
    if (node.is_text())
      text = node.text();
    else if (const std::string code = node.require("code").text(); !parse_name<Code>(code))
      text = code;
    if (!text.empty()) {
      fact = {Code::told, {{"text", std::move(text)}}};
      return;
    }
  }
  node.each_member([&](std::string_view name, const JsonNode& member) {
    if (name == "code") return read_json(member, fact.code);
    if (member.is_null()) {  // a number that is not finite
      fact.figures.emplace_back(name, std::numeric_limits<double>::quiet_NaN());
      return;
    }
    std::optional<sdk::Value> value = member.scalar();
    if (!value) return;
    if (auto* count = std::get_if<std::int64_t>(&*value)) fact.figures.emplace_back(name, *count);
    if (auto* number = std::get_if<double>(&*value)) fact.figures.emplace_back(name, *number);
    if (auto* text = std::get_if<std::string>(&*value)) fact.figures.emplace_back(name, std::move(*text));
  });
}

}  // namespace harness
