#include "harness/suite/reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "harness/suite/read_claims.h"
#include "harness/suite/read_settings.h"

namespace harness {
namespace {

std::string text_of(const YamlValue* value) {
  return value != nullptr ? value->text : "";
}

// The distinct texts of a list, in order; empty when it is absent.
std::vector<std::string> words(const YamlValue* list) {
  std::vector<std::string> out;
  if (list == nullptr) return out;
  for (const YamlValue* item : list->items)
    if (!item->rejected && std::find(out.begin(), out.end(), item->text) == out.end())
      out.push_back(item->text);
  return out;
}

}  // namespace

At<std::string> Reader::text_at(const YamlValue& value) const {
  return {value.text, location(value.place)};
}

At<sdk::Value> Reader::value_at(const YamlValue& value) const {
  const Location where = location(value.place);
  switch (value.kind) {
    case YamlValue::Kind::integer: return {value.integer, where};
    case YamlValue::Kind::real: return {value.real, where};
    case YamlValue::Kind::boolean: return {value.boolean, where};
    default: return {value.text, where};
  }
}

Suite Reader::suite(const YamlValue& root) {
  Suite out;
  out.identity.name = text_of(root.find("name"));
  out.identity.file = file_;
  out.description = text_of(root.find("description"));
  if (const YamlValue* modules = root.find("modules"))
    for (const YamlValue* module : modules->items)
      if (!module->rejected) out.modules.push_back(text_at(*module));
  out.build = text_of(root.find("build"));
  out.any_of_class = text_of(root.find("devices")) == "any-of-class";
  if (const YamlValue* defaults = root.find("defaults"))
    out.defaults = read_overrides(*defaults, file_, errors_);
  if (const YamlValue* cases = root.find("cases"))
    for (const YamlValue* entry : cases->items)
      if (!entry->rejected) out.groups.push_back(group(*entry));
  if (const YamlValue* programs = root.find("programs"))
    for (const YamlValue* entry : programs->items)
      if (!entry->rejected) out.programs.push_back(program(*entry));
  if (const YamlValue* claims = root.find("claims")) out.claims = read_claims(*claims, file_, errors_);
  return out;
}

ProgramCase Reader::program(const YamlValue& value) {
  ProgramCase out;
  out.where = location(value.place);
  if (const YamlValue* name = value.find("name")) out.name = text_at(*name);
  if (const YamlValue* command = value.find("command"))
    for (const YamlValue* word : command->items)
      if (!word->rejected) out.command.push_back(word->text);
  out.folder = text_of(value.find("folder"));
  out.build = text_of(value.find("build"));
  if (const YamlValue* env = value.find("env"))
    for (const YamlMember& member : env->members)
      if (!member.value->rejected) out.env[member.name] = member.value->text;
  out.device = text_of(value.find("device"));
  out.reads = text_of(value.find("reads"));
  if (const YamlValue* steps = value.find("steps")) {
    const YamlValue* range = steps->find("nvtx");
    out.steps = range != nullptr ? nvtx_steps + range->text : steps->text;
  }
  out.prepare = text_of(value.find("prepare"));
  out.inputs = text_of(value.find("inputs"));
  out.tags = words(value.find("tags"));
  out.overrides = read_program_settings(value, file_, errors_);
  return out;
}

CaseGroup Reader::group(const YamlValue& value) {
  CaseGroup out;
  out.where = location(value.place);
  if (const YamlValue* workload = value.find("workload")) out.workload = text_at(*workload);
  out.variants = variants(value);
  if (const YamlValue* reference = value.find("reference")) out.reference = text_at(*reference);
  out.points = points(value);
  if (const YamlValue* devices = value.find("per_device"))
    for (const YamlMember& device : devices->members)
      if (!device.value->rejected) {
        Points& own = out.per_device[device.name] = points(*device.value);
        if (const YamlValue* reference = device.value->find("reference")) own.reference = text_at(*reference);
      }
  out.tags = words(value.find("tags"));
  if (const YamlValue* list = value.find("metrics"))
    for (const YamlValue* item : list->items)
      if (!item->rejected) out.metrics.push_back(text_at(*item));
  out.overrides = read_overrides(value, file_, errors_);
  if (const YamlValue* list = value.find("overrides"))
    for (const YamlValue* entry : list->items) {
      const YamlValue* match = entry->rejected ? nullptr : entry->find("match");
      if (match != nullptr)
        out.point_overrides.push_back(
            {point(*match), read_overrides(*entry, file_, errors_), location(entry->place)});
    }
  return out;
}

std::vector<At<std::string>> Reader::variants(const YamlValue& value) {
  std::vector<At<std::string>> out;
  const auto add = [&](const YamlValue& name) {
    for (const At<std::string>& known : out)
      if (known.value == name.text)
        errors_.add(location(name.place), fmt::format("variant {} is listed twice", in_ticks(name.text)),
                    "remove one of them");
    out.push_back(text_at(name));
  };
  for (const char* key : {"variants", "variant"})
    if (const YamlValue* found = value.find(key)) {
      if (found->kind == YamlValue::Kind::text) add(*found);
      for (const YamlValue* item : found->items)
        if (!item->rejected) add(*item);
    }
  return out;
}

Points Reader::points(const YamlValue& value) {
  Points out;
  if (const YamlValue* found = value.find("axes")) out.axes = axes(*found);
  if (const YamlValue* found = value.find("zip")) out.zip = zip(*found);
  out.include = point_list(value.find("include"));
  out.exclude = point_list(value.find("exclude"));
  if (const YamlValue* found = value.find("tune")) out.tune = axes(*found);
  const auto zipped_too = [&](const Axis& axis, const char* key) {
    for (const Point& zipped : out.zip)
      for (const Setting& setting : zipped)
        if (setting.name.value == axis.name.value)
          errors_.add(setting.name.where,
                      fmt::format("{} is given by `{}` and by `zip`", in_ticks(axis.name.value), key),
                      "keep it in one of them");
  };
  for (const Axis& axis : out.axes) zipped_too(axis, "axes");
  for (const Axis& tuned : out.tune) {
    zipped_too(tuned, "tune");
    for (const Axis& axis : out.axes)
      if (axis.name.value == tuned.name.value)
        errors_.add(tuned.name.where,
                    fmt::format("{} is given by `axes` and by `tune`", in_ticks(axis.name.value)),
                    "keep it in `tune`, the fixed value first");
  }
  return out;
}

std::vector<Axis> Reader::axes(const YamlValue& value) {
  std::vector<Axis> out;
  for (const YamlMember& member : value.members) {
    if (member.value->rejected) continue;
    Axis axis{{member.name, location(member.place)}, {}};
    std::set<std::string> seen;
    const auto add = [&](const YamlValue& item) {
      if (!seen.insert(item.text).second)
        errors_.add(location(item.place),
                    fmt::format("axis {} has the value {} twice", in_ticks(member.name), in_ticks(item.text)),
                    "remove one of them");
      axis.values.push_back(value_at(item));
    };
    if (member.value->kind != YamlValue::Kind::list) add(*member.value);
    for (const YamlValue* item : member.value->items)
      if (!item->rejected) add(*item);
    if (!axis.values.empty()) out.push_back(std::move(axis));
  }
  return out;
}

std::vector<Point> Reader::zip(const YamlValue& value) {
  return value.kind == YamlValue::Kind::map ? transposed(value) : point_list(&value);
}

// `{m: [1, 2], n: [3, 4]}` -> `[{m: 1, n: 3}, {m: 2, n: 4}]`.
std::vector<Point> Reader::transposed(const YamlValue& lists) {
  std::vector<Point> out;
  const YamlMember* first = nullptr;
  for (const YamlMember& member : lists.members) {
    if (member.value->rejected) continue;
    const std::vector<YamlValue*>& items = member.value->items;
    if (first == nullptr) {
      first = &member;
      out.resize(items.size());
    }
    const std::size_t expected = first->value->items.size();
    if (items.size() != expected) {
      errors_.add(location(member.place),
                  fmt::format("zipped lists differ in length: {} has {}, {} has {}", in_ticks(first->name),
                              expected, in_ticks(member.name), items.size()),
                  "give every zipped parameter equally many values");
      continue;
    }
    for (std::size_t i = 0; i < items.size(); ++i)
      if (!items[i]->rejected) out[i].push_back({{member.name, location(member.place)}, value_at(*items[i])});
  }
  std::erase_if(out, [](const Point& point) { return point.empty(); });
  return out;
}

std::vector<Point> Reader::point_list(const YamlValue* list) {
  std::vector<Point> out;
  if (list == nullptr) return out;
  for (const YamlValue* entry : list->items) {
    if (entry->rejected) continue;
    Point read = point(*entry);
    if (!read.empty()) out.push_back(std::move(read));
  }
  return out;
}

Point Reader::point(const YamlValue& value) {
  Point out;
  for (const YamlMember& member : value.members)
    if (!member.value->rejected)
      out.push_back({{member.name, location(member.place)}, value_at(*member.value)});
  return out;
}

}  // namespace harness
