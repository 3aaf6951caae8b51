// YamlTree: YAML text as a tree in which every value and key knows its line and column. Scalars are resolved
// as YAML 1.2 core does; quoted ones stay text. Aliases share the value they name, without cycles. Size and
// depth are limited as if every alias were a copy. A YamlTree owns its values. One thread.
#pragma once

#include <deque>
#include <string>

#include "harness/suite/yaml/errors.h"
#include "harness/suite/yaml/yaml_text.h"
#include "harness/suite/yaml/yaml_value.h"

namespace harness {

class YamlTree {
 public:
  // Reads `text`. Errors go to `errors` with `file` as their place; after an error that stops reading, root()
  // is null.
  YamlTree(const std::string& text, const std::string& file, ErrorList& errors, YamlLimits limits = {},
           const YamlWords& words = {});

  [[nodiscard]] YamlValue* root() const { return root_; }

 private:
  friend class YamlBuilder;
  std::deque<YamlValue> values_;
  YamlValue* root_ = nullptr;
};

}  // namespace harness
