// Reader: a checked YAML tree -> Suite. Values that the schema rejected are skipped. So errors that only
// reading finds come in the same go: durations, lists of unequal length, values given twice.
#pragma once

#include <string>

#include "harness/suite/suite.h"
#include "harness/suite/yaml/errors.h"
#include "harness/suite/yaml/yaml_value.h"

namespace harness {

class Reader {
 public:
  Reader(const std::string& file, ErrorList& errors) : file_(file), errors_(errors) {}

  // Everything but identity.hash.
  Suite suite(const YamlValue& root);

 private:
  CaseGroup group(const YamlValue& value);
  ProgramCase program(const YamlValue& value);
  std::vector<At<std::string>> variants(const YamlValue& value);
  Points points(const YamlValue& value);
  std::vector<Axis> axes(const YamlValue& value);
  std::vector<Point> zip(const YamlValue& value);
  std::vector<Point> transposed(const YamlValue& lists);
  std::vector<Point> point_list(const YamlValue* list);
  Point point(const YamlValue& value);
  [[nodiscard]] Location location(TextPosition place) const { return {file_, place.line, place.column}; }
  [[nodiscard]] At<std::string> text_at(const YamlValue& value) const;
  [[nodiscard]] At<sdk::Value> value_at(const YamlValue& value) const;

  const std::string& file_;
  ErrorList& errors_;
};

}  // namespace harness
