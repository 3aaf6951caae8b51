#include "harness/suite/plan/set_axes.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "harness/base/text.h"
#include "harness/suite/yaml/yaml_value.h"

namespace harness {
namespace {

const Location place{"--set"};

Setting* find(Point& point, const std::string& name) {
  const auto at = std::find_if(point.begin(), point.end(),
                               [&](const Setting& setting) { return setting.name.value == name; });
  return at == point.end() ? nullptr : &*at;
}

bool same(const Point& one, const Point& other) {
  return std::equal(one.begin(), one.end(), other.begin(), other.end(),
                    [](const Setting& a, const Setting& b) {
                      return a.name.value == b.name.value && a.value.value == b.value.value;
                    });
}

// Each point once with each of the values. True: a point has the axis.
bool set_in(std::vector<Point>& points, const AxisValues& axis) {
  bool any = false;
  std::vector<Point> changed;
  const auto add = [&](const Point& point) {
    if (std::none_of(changed.begin(), changed.end(), [&](const Point& one) { return same(one, point); }))
      changed.push_back(point);
  };
  for (Point& point : points) {
    Setting* setting = find(point, axis.name);
    if (setting == nullptr) add(point);
    if (setting == nullptr) continue;
    any = true;
    for (const sdk::Value& value : axis.values) {
      setting->value = {value, place};
      add(point);
    }
  }
  points = std::move(changed);
  return any;
}

bool set_in(Points& points, const AxisValues& axis) {
  bool any = set_in(points.zip, axis);
  any = set_in(points.include, axis) || any;
  for (Axis& one : points.axes) {
    if (one.name.value != axis.name) continue;
    any = true;
    one.values.clear();
    for (const sdk::Value& value : axis.values) one.values.push_back({value, place});
  }
  return any;
}

void drop_overrides(CaseGroup& group, const AxisValues& axis) {
  std::erase_if(group.point_overrides, [&](PointOverride& one) {
    const Setting* wanted = find(one.match, axis.name);
    return wanted != nullptr &&
           std::find(axis.values.begin(), axis.values.end(), wanted->value.value) == axis.values.end();
  });
}

void add_names(const Points& points, std::set<std::string>& names) {
  for (const Axis& axis : points.axes) names.insert(axis.name.value);
  for (const auto* list : {&points.zip, &points.include})
    for (const Point& point : *list)
      for (const Setting& setting : point) names.insert(setting.name.value);
}

}  // namespace

Result<AxisValues> parse_axis_values(const std::string& text) {
  const std::size_t equals = text.find('=');
  AxisValues axis{text, std::string(trim(text.substr(0, equals))), {}};
  const auto refused = [&] {
    return fail(ErrorKind::usage, fmt::format("`{}` is no axis with values", printable(text)),
                "write --set AXIS=VALUE or AXIS=VALUE,VALUE, such as m=512,1024");
  };
  if (equals == std::string::npos || axis.name.empty()) return refused();
  for (const std::string& word : split(text.substr(equals + 1), ',')) {
    YamlValue value;
    value.text = trim(word);
    if (value.text.empty() || !resolve_plain_scalar(value)) return refused();
    switch (value.kind) {
      case YamlValue::Kind::integer: axis.values.emplace_back(value.integer); break;
      case YamlValue::Kind::real: axis.values.emplace_back(value.real); break;
      case YamlValue::Kind::boolean: axis.values.emplace_back(value.boolean); break;
      default: axis.values.emplace_back(value.text);
    }
  }
  return axis;
}

void set_axes(Suite& suite, const std::vector<AxisValues>& axes, ErrorList& errors) {
  for (const AxisValues& axis : axes) {
    bool any = false;
    std::set<std::string> names;
    for (CaseGroup& group : suite.groups) {
      add_names(group.points, names);
      bool here = set_in(group.points, axis);
      for (auto& [device, points] : group.per_device) {
        add_names(points, names);
        here = set_in(points, axis) || here;
      }
      if (here) drop_overrides(group, axis);
      any |= here;
    }
    if (!any)
      errors.add(place, fmt::format("the suite gives no values to an axis {}", in_ticks(axis.name)),
                 suggestion(axis.name, std::vector<std::string>(names.begin(), names.end())));
  }
}

}  // namespace harness
