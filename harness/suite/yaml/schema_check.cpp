#include "harness/suite/yaml/schema_check.h"

#include <fmt/format.h>
#include <rapidjson/document.h>
#include <rapidjson/pointer.h>
#include <rapidjson/schema.h>

#include <cstdlib>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "harness/base/text.h"

namespace harness {
namespace {

using Json = rapidjson::Value;
using Kind = YamlValue::Kind;

std::string string_in(const Json& schema, const char* name) {
  const auto found = schema.FindMember(name);
  return found != schema.MemberEnd() && found->value.IsString() ? found->value.GetString() : "";
}

std::vector<std::string> strings_in(const Json& list) {
  std::vector<std::string> out;
  for (const Json& value : list.GetArray())
    out.emplace_back(value.IsString() ? value.GetString() : std::to_string(value.GetInt64()));
  return out;
}

std::vector<std::string> property_names(const Json& schema) {
  std::vector<std::string> names;
  for (const auto& property : schema["properties"].GetObject()) names.emplace_back(property.name.GetString());
  return names;
}

// One name or index on the way from the root to a value.
struct Step {
  const YamlMember* member = nullptr;  // null: an item of a list
  std::size_t index = 0;
};

// Where the validator stopped.
struct Refusal {
  YamlValue* value = nullptr;
  const YamlMember* key = nullptr;  // when it is the name of a member of `value` that is refused
  std::vector<Step> path;           // from the root to `value`
};

class SchemaCheck {
 public:
  SchemaCheck(YamlValue& root, const std::string& schema, const std::string& file, ErrorList& errors)
      : root_(root), file_(file), errors_(errors) {
    json_.Parse(schema.c_str());
  }

  // The validator stops at the first thing that it refuses. That is reported and rejected, and the
  // rest is validated again, until nothing is left to refuse or the list is long enough.
  void run() {
    const rapidjson::SchemaDocument schema(json_);
    constexpr int most_rounds = 4000;  // each round must reject or assume something
    for (int round = 0; round < most_rounds && errors_.size() <= ErrorList::shown_limit; ++round) {
      if (root_.rejected) return;
      rapidjson::SchemaValidator validator(schema);
      Refusal refusal;
      std::vector<Step> path;
      if (feed(root_, validator, path, refusal)) return;
      const char* keyword = validator.GetInvalidSchemaKeyword();
      explain(refusal, *schema_at(validator.GetInvalidSchemaPointer()), keyword != nullptr ? keyword : "");
    }
    root_.rejected = true;  // the rest was never checked, so nobody may rely on it
  }

 private:
  bool feed(YamlValue& value, rapidjson::SchemaValidator& out, std::vector<Step>& path, Refusal& refusal) {
    const bool accepted = [&] {
      switch (value.kind) {
        case Kind::null: return out.Null();
        case Kind::boolean: return out.Bool(value.boolean);
        case Kind::integer: return out.Int64(value.integer);
        case Kind::real: return out.Double(value.real);
        case Kind::text:
          return out.String(value.text.data(), static_cast<rapidjson::SizeType>(value.text.size()), false);
        case Kind::list: return feed_list(value, out, path, refusal);
        case Kind::map: return feed_map(value, out, path, refusal);
      }
      return false;
    }();
    if (!accepted && refusal.value == nullptr) refusal = {&value, nullptr, path};
    return accepted;
  }

  bool feed_list(YamlValue& list, rapidjson::SchemaValidator& out, std::vector<Step>& path,
                 Refusal& refusal) {
    if (!out.StartArray()) return false;
    rapidjson::SizeType count = 0;
    for (std::size_t i = 0; i < list.items.size(); ++i) {
      if (list.items[i]->rejected) continue;
      path.push_back({nullptr, i});
      if (!feed(*list.items[i], out, path, refusal)) return false;
      path.pop_back();
      ++count;
    }
    return out.EndArray(count);
  }

  bool feed_map(YamlValue& map, rapidjson::SchemaValidator& out, std::vector<Step>& path, Refusal& refusal) {
    if (!out.StartObject()) return false;
    rapidjson::SizeType count = 0;
    for (const YamlMember& member : map.members) {
      if (member.value->rejected || refused_keys_.contains(&member)) continue;
      if (!out.Key(member.name.data(), static_cast<rapidjson::SizeType>(member.name.size()), false)) {
        refusal = {&map, &member, path};
        return false;
      }
      path.push_back({&member, 0});
      if (!feed(*member.value, out, path, refusal)) return false;
      path.pop_back();
      ++count;
    }
    if (const auto assumed = assumed_.find(&map); assumed != assumed_.end())
      for (const auto& [name, example] : assumed->second) {
        out.Key(name.data(), static_cast<rapidjson::SizeType>(name.size()), false);
        if (!example->Accept(out)) return false;
        ++count;
      }
    return out.EndObject(count);
  }

  // Also follows references, so that the words are those of the place that refused.
  const Json* schema_at(const rapidjson::SchemaDocument::PointerType& pointer) const {
    const Json* found = pointer.Get(static_cast<const Json&>(json_));
    return found != nullptr ? found : &json_;
  }

  void explain(const Refusal& refusal, const Json& schema, const std::string& keyword) {
    if (refusal.key != nullptr) return unknown_keys(*refusal.value, schema);
    if (keyword == "required") return missing_keys(*refusal.value, schema);
    if (keyword == "oneOf") return exactly_one_key(*refusal.value, schema);
    YamlValue& value = *refusal.value;
    value.rejected = true;
    // A list or map that is too short only because its members were rejected is not reported.
    if (has_rejected(value)) return;
    std::string expected = string_in(schema, "errorMessage");
    std::string advice =
        value.kind == Kind::null && keyword == "type" ? "give it a value, or remove the key" : "";
    if (schema.HasMember("enum") && keyword == "enum") {
      const std::vector<std::string> choices = strings_in(schema["enum"]);
      if (expected.empty())
        expected = choices.size() == 1 ? "expected " + choices[0] : "expected one of " + join(choices, ", ");
      const auto near = nearest(value.text, choices);  // else what each choice is for
      advice = near ? "did you mean `" + *near + "`?" : string_in(schema, "description");
    }
    if (keyword == "maxItems") {
      expected = fmt::format("expected at most {} items", schema["maxItems"].GetInt());
      errors_.add(location(value.place),
                  fmt::format("{}: {}, found {}", subject(refusal.path), expected, value.items.size()));
      return;
    }
    if (advice.empty()) advice = unit_advice(value, schema);
    errors_.add(location(value.place),
                fmt::format("{}: {}, found {}", subject(refusal.path), expected, described(value)), advice);
  }

  // A bare number where a percentage or a duration is expected.
  static std::string unit_advice(const YamlValue& value, const Json& schema) {
    const bool number = value.kind == Kind::integer || value.kind == Kind::real;
    const std::string expected = string_in(schema, "errorMessage");
    if (!number || value.text.starts_with('-')) return {};
    if (expected.starts_with("expected a percentage"))
      return std::strtod(value.text.c_str(), nullptr) < 100 ? fmt::format("write `{}%`", value.text) : "";
    if (!expected.starts_with("expected a duration")) return {};
    return fmt::format("write `{0}s` for seconds, `{0}ms` for milliseconds", value.text);
  }

  void unknown_keys(YamlValue& map, const Json& schema) {
    const std::vector<std::string> known = property_names(schema);
    for (const YamlMember& member : map.members) {
      if (schema["properties"].HasMember(member.name.c_str()) || !refused_keys_.insert(&member).second)
        continue;
      errors_.add(location(member.place),
                  fmt::format("unknown key {} in {}", in_ticks(member.name), string_in(schema, "title")),
                  advice_for_key(member.name, known));
      if (member.name == "<<") map.rejected = true;  // what it would have brought is unknown
    }
  }

  [[nodiscard]] std::string advice_for_key(const std::string& name,
                                           const std::vector<std::string>& known) const {
    if (name == "<<")
      return "merge keys are not part of YAML 1.2; use `defaults`, or an alias for a whole value";
    for (const char* section : {"sampling", "gate", "metric_gate", "case"}) {
      const auto schema = json_["definitions"].FindMember(section);
      if (schema != json_["definitions"].MemberEnd() && schema->value["properties"].HasMember(name.c_str()))
        return fmt::format("`{}` belongs in {}", name, string_in(schema->value, "title"));
    }
    if (json_["properties"].HasMember(name.c_str()))
      return fmt::format("`{}` belongs at the top of {}, beside `cases`", name, string_in(json_, "title"));
    return suggestion(name, known, known.size());
  }

  void missing_keys(YamlValue& map, const Json& schema) {
    for (const std::string& name : strings_in(schema["required"])) {
      if (map.find(name) != nullptr) continue;
      const Json& property = schema["properties"][name.c_str()];
      if (!has_member(map, name))
        errors_.add(location(map.place),
                    fmt::format("missing key `{}` in {}", name, string_in(schema, "title")),
                    string_in(property, "description"));
      assume(map, name, property);
    }
  }

  void exactly_one_key(YamlValue& map, const Json& schema) {
    std::vector<std::string> names;
    std::vector<const YamlMember*> present;
    for (const Json& branch : schema["oneOf"].GetArray()) names.push_back(strings_in(branch["required"])[0]);
    for (const YamlMember& member : map.members)
      for (const std::string& name : names)
        if (member.name == name) present.push_back(&member);
    if (present.size() > 1) {
      errors_.add(location(present.back()->place),
                  fmt::format("{} has both `{}`", string_in(schema, "title"), join(names, "` and `")),
                  "keep one of them");
      refused_keys_.insert(present.back());
      present.back()->value->rejected = true;
      return;
    }
    if (present.empty())
      errors_.add(location(map.place),
                  fmt::format("missing key `{}` in {}", names[0], string_in(schema, "title")),
                  string_in(schema["properties"][names[0].c_str()], "description"));
    assume(map, names[0], schema["properties"][names[0].c_str()]);
  }

  // Validation goes on as if `name` were there, with an example from the schema as its value.
  void assume(YamlValue& map, const std::string& name, const Json& property) {
    assumed_[&map].emplace_back(name, &property["examples"][0]);
  }

  static bool has_member(const YamlValue& map, const std::string& name) {
    for (const YamlMember& member : map.members)
      if (member.name == name) return true;
    return false;
  }

  bool has_rejected(const YamlValue& value) const {
    for (const YamlValue* item : value.items)
      if (item->rejected) return true;
    for (const YamlMember& member : value.members)
      if (member.value->rejected || refused_keys_.contains(&member)) return true;
    return false;
  }

  // "`dtype`, item 2": the last name on the way, and the item of its list.
  [[nodiscard]] std::string subject(const std::vector<Step>& path) const {
    std::string item;
    for (std::size_t i = path.size(); i > 0; --i) {
      const Step& step = path[i - 1];
      if (step.member != nullptr) return in_ticks(step.member->name) + item;
      item = fmt::format(", item {}", step.index + 1) + item;
    }
    return string_in(json_, "title") + item;
  }

  [[nodiscard]] Location location(TextPosition place) const { return {file_, place.line, place.column}; }

  YamlValue& root_;
  const std::string& file_;
  ErrorList& errors_;
  rapidjson::Document json_;
  std::set<const YamlMember*> refused_keys_;
  std::map<const YamlValue*, std::vector<std::pair<std::string, const Json*>>> assumed_;
};

}  // namespace

void check_schema(YamlValue& root, const std::string& schema, const std::string& file, ErrorList& errors) {
  SchemaCheck(root, schema, file, errors).run();
}

}  // namespace harness
