// ToolCase: what the file of another tool says of a case beside its name.
#pragma once

#include <map>
#include <string>

namespace harness {

using Texts = std::map<std::string, std::string>;

// Of two cases with one name in one import, the id of each ends with the values that differ:
// "llama 7B Q4_0/pp512/n_threads=8". In another record the same case can have another id, so cases pair by
// these members (verdict/read/tool_cases.h).
struct ToolCase {
  std::string name;       // as the tool calls it
  Texts parameters = {};  // "n_threads": "8". Cases are compared only where the values agree that both know
  Texts launch = {};      // "grid", "block" of a kernel, which another build may choose otherwise
  Texts source = {};      // "model_filename": paths. Equal within an import, shown, and never part of an id

  bool operator==(const ToolCase&) const = default;
};

}  // namespace harness
