#include "harness/verdict/check/observed/file_change.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "harness/model/results/findings.h"

namespace harness {
namespace {

using FoundFiles = std::map<std::string, std::string>;

const FoundFiles* found_files(const CaseRecord& record) {
  for (const ProcessResult& one : record.processes)
    if (one.identity && !one.identity->files.empty()) return &one.identity->files;
  return nullptr;
}

FileChange kind_of_change(const std::string& key, bool before, bool after) {
  if (key.starts_with("word:")) return FileChange::word;
  if (key.starts_with("variable:")) return FileChange::variable;
  if (key.starts_with("setting:")) return FileChange::setting;
  if (key.starts_with("machine:")) return FileChange::machine;
  if (key.starts_with("list:")) return FileChange::names;
  if (key.starts_with("look:")) return FileChange::looks;
  if (before && after) return FileChange::content;
  return after ? FileChange::fresh : FileChange::gone;
}

}  // namespace

Figures file_change(const CaseRecord& baseline, const CaseRecord& current) {
  const FoundFiles *before = found_files(baseline), *after = found_files(current);
  if (before == nullptr || after == nullptr) return {};
  FoundFiles all = *before;
  all.insert(after->begin(), after->end());
  std::optional<std::pair<FileChange, std::string>> first;
  std::int64_t files = 0;
  for (const auto& [key, hash] : all) {
    const auto old = before->find(key), now = after->find(key);
    if (old != before->end() && now != after->end() && old->second == now->second) continue;
    ++files;
    std::pair found(kind_of_change(key, old != before->end(), now != after->end()),
                    key.substr(key.find(':') + 1));
    if (!first || found < *first) first = std::move(found);
  }
  if (!first) return {};
  return {{"change", std::string(name_of(first->first))}, {"name", first->second}, {"files", files}};
}

}  // namespace harness
