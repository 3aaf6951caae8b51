#include "harness/suite/setting_keys.h"

#include <fmt/format.h>
#include <rapidjson/document.h>
#include <rapidjson/prettywriter.h>

#include <algorithm>
#include <cmath>

#include "harness/model/device_kinds.h"
#include "harness/model/known_metrics.h"
#include "harness/model/plan_fields.h"

namespace harness {

std::string suite_schema_file();  // generated from suite.schema.json

namespace {

using Json = rapidjson::Value;

constexpr const char* duration_pattern = "^[0-9]+([.][0-9]+)? ?(ns|us|ms|s|m|min|h)$";
constexpr const char* share_pattern = "^[0-9]+([.][0-9]+)? ?%$";
constexpr const char* share_or_unit_pattern = "^[0-9]+([.][0-9]+)?( ?%| [A-Za-z][A-Za-z0-9_/]*)$";

// "from 0 % to below 100 %", "above 0 and at most 0.5".
std::string bound_words(const FieldText& key, double scale, const char* unit) {
  const char* joint = key.above_lowest ? (key.below_highest ? "and below" : "and at most")
                                       : (key.below_highest ? "to below" : "to");
  return fmt::format("{} {:g}{} {} {:g}{}", key.above_lowest ? "above" : "from", key.lowest * scale, unit,
                     joint, key.highest * scale, unit);
}

std::string integer_words(const FieldText& key) {
  if (std::isinf(key.highest)) return fmt::format("an integer of at least {:.0f}", key.lowest);
  return fmt::format("an integer from {:.0f} to {:.0f}", key.lowest, key.highest);
}

std::string number_words(const FieldText& key) {
  if (key.unit == Unit::seconds) return "a duration with its unit";
  if (key.unit != Unit::share) return "a number " + bound_words(key, 1, "");
  std::string text = "a percentage " + bound_words(key, 100, " %");
  if (!std::isinf(key.plain_below))
    text += fmt::format(" (without the sign a fraction below {:g})", key.plain_below);
  if (key.own_unit) text += ", or a number with the metric's unit";
  return text;
}

std::string list_words(const FieldText& key) {
  return key.fewest == key.most ? fmt::format("{} increasing integers", key.most)
                                : fmt::format("{} to {} increasing integers", key.fewest, key.most);
}

// Builds the schema in one document's memory.
class Keys {
 public:
  explicit Keys(rapidjson::Document& document) : document_(document) {}

  // Puts the fields of a struct in place of the keys that the section of the file has. A key with keys of its
  // own, `samples` of `samples.max`, keeps the rest of what the file says about it.
  void replace(const char* section, const std::vector<FieldText>& fields) {
    Json& old = document_["definitions"][section]["properties"];
    Json keys(rapidjson::kObjectType);
    for (const FieldText& field : fields) {
      if (field.doc.empty()) continue;
      const std::size_t dot = field.key.find('.');
      if (dot == std::string_view::npos) {
        keys.AddMember(text(field.key), schema_of(field), memory());
        continue;
      }
      const std::string group(field.key.substr(0, dot));
      if (!keys.HasMember(group.c_str())) {
        Json whole(old[group.c_str()], memory());
        whole["properties"].SetObject();
        keys.AddMember(text(group), whole, memory());
      }
      keys[group.c_str()]["properties"].AddMember(text(field.key.substr(dot + 1)), schema_of(field),
                                                  memory());
    }
    old = keys;
  }

  // Each kind of device may have points of its own.
  void name_devices() {
    Json& kinds = document_["definitions"]["case"]["properties"]["per_device"]["properties"];
    kinds.SetObject();
    for (const DeviceKind& kind : device_kinds) {
      Json points(rapidjson::kObjectType);
      add(points, "$ref", text("#/definitions/points"));
      kinds.AddMember(text(kind.name), points, memory());
    }
  }

 private:
  rapidjson::Document::AllocatorType& memory() { return document_.GetAllocator(); }

  Json text(std::string_view value) {
    return {value.data(), static_cast<rapidjson::SizeType>(value.size()), memory()};
  }

  template <class Value>
  void add(Json& object, const char* name, Value value) {
    object.AddMember(rapidjson::StringRef(name), value, memory());
  }

  Json types(std::initializer_list<const char*> names) {
    if (names.size() == 1) return text(*names.begin());
    Json list(rapidjson::kArrayType);
    for (const char* name : names) list.PushBack(text(name), memory());
    return list;
  }

  Json schema_of(const FieldText& field) {
    Json json(rapidjson::kObjectType);
    std::string doc(field.doc);
    if (!field.fallback.empty() && field.fallback == field.sample) doc += " Default: " + field.fallback + ".";
    add(json, "description", text(doc));
    switch (field.kind) {
      case FieldKind::flag: add(json, "type", text("boolean")); break;
      case FieldKind::integer: add_integer(json, field); break;
      case FieldKind::number: add_number(json, field); break;
      case FieldKind::choice: add_choices(json, field); return json;  // the message names them
      case FieldKind::list: add_list(json, field); break;
      case FieldKind::objects: add_objects(json); break;
      case FieldKind::text:
      case FieldKind::object: add(json, "type", text("string")); break;
    }
    add(json, "errorMessage", text("expected " + expectation(field)));
    if (!field.sample.empty() && field.sample != field.fallback) add(json, "examples", sample_of(field));
    return json;
  }

  void add_integer(Json& json, const FieldText& field) {
    add(json, "type", text("integer"));
    add(json, "minimum", Json(static_cast<std::int64_t>(field.lowest)));
    if (!std::isinf(field.highest)) add(json, "maximum", Json(static_cast<std::int64_t>(field.highest)));
  }

  void add_number(Json& json, const FieldText& field) {
    if (field.unit == Unit::seconds) {
      add(json, "type", text("string"));
      add(json, "pattern", text(duration_pattern));
      return;
    }
    add(json, "type", types({"string", "number"}));
    add(json, "pattern", text(field.own_unit ? share_or_unit_pattern : share_pattern));
    add(json, "minimum", Json(field.lowest));
    if (field.above_lowest) add(json, "exclusiveMinimum", Json(true));
    add(json, "maximum", Json(std::min(field.highest, field.plain_below)));
    if (field.below_highest || field.plain_below < field.highest) add(json, "exclusiveMaximum", Json(true));
  }

  void add_choices(Json& json, const FieldText& field) {
    Json list(rapidjson::kArrayType);
    for (const std::string& choice : field.choices) list.PushBack(text(choice), memory());
    add(json, "enum", std::move(list));
  }

  void add_list(Json& json, const FieldText& field) {
    add(json, "type", text("array"));
    add(json, "minItems", Json(field.fewest));
    add(json, "maxItems", Json(field.most));
    Json item(rapidjson::kObjectType);
    add_integer(item, field);
    add(item, "errorMessage", text("expected " + integer_words(field)));
    add(json, "items", std::move(item));
  }

  void add_objects(Json& json) {
    add(json, "type", text("object"));
    Json reference(rapidjson::kObjectType);
    add(reference, "$ref", text("#/definitions/metric_gate"));
    add(json, "additionalProperties", std::move(reference));
  }

  Json sample_of(const FieldText& field) {
    Json list(rapidjson::kArrayType);
    rapidjson::Document value(&memory());
    if (field.kind == FieldKind::list)
      value.Parse(field.sample.c_str());
    else
      value.CopyFrom(text(field.sample), memory());
    list.PushBack(Json(value, memory()), memory());
    return list;
  }

  rapidjson::Document& document_;
};

std::string metrics_doc() {
  std::string doc = "What is recorded:";
  for (const BuiltInMetric& metric : built_in_metrics)
    doc += fmt::format(" `{}` ({}){}", metric.name, metric.summary,
                       metric.name == first_call_metric.name ? ", always;" : ",");
  return doc +
         " what the workload declares, and hardware counters by NVIDIA's names, such as "
         "`dram__bytes_read.sum`.";
}

std::string make_schema() {
  rapidjson::Document schema;
  schema.Parse(suite_schema_file().c_str());
  Keys keys(schema);
  keys.replace("sampling", field_texts<Sampling>());
  keys.replace("gate", field_texts<Gate>());
  keys.replace("metric_gate", field_texts<MetricGate>());
  keys.name_devices();
  schema["definitions"]["case"]["properties"]["metrics"]["description"].SetString(metrics_doc().c_str(),
                                                                                  schema.GetAllocator());
  rapidjson::StringBuffer out;
  rapidjson::PrettyWriter<rapidjson::StringBuffer> writer(out);
  writer.SetIndent(' ', 2);
  writer.SetFormatOptions(rapidjson::kFormatSingleLineArray);
  schema.Accept(writer);
  return std::string(out.GetString(), out.GetSize()) + "\n";
}

std::string words_of_kind(const FieldText& key) {
  switch (key.kind) {
    case FieldKind::flag: return "true or false";
    case FieldKind::integer: return integer_words(key);
    case FieldKind::number: return number_words(key);
    case FieldKind::list: return list_words(key);
    case FieldKind::objects: return "a map of names and their settings";
    case FieldKind::choice:
    case FieldKind::text:
    case FieldKind::object: break;
  }
  return "a text";
}

}  // namespace

std::string expectation(const FieldText& key) {
  const bool tells_all = key.kind == FieldKind::integer || key.kind == FieldKind::flag || key.sample.empty();
  return words_of_kind(key) + (tells_all ? "" : ", such as `" + key.sample + "`");
}

const std::string& suite_schema() {
  static const std::string schema = make_schema();
  return schema;
}

}  // namespace harness
