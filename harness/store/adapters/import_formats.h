// Samples that another tool took, as a record like any other. Each format is a file of formats/ and a row
// in import_formats.cpp; the content of a file tells its format.
//
//   Import import({.suite = "nightly"});
//   for (const auto& [text, file] : files) if (Checked<None> added = import.add(text, file); !added) ...
//   Checked<Record> record = std::move(import).take();
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "harness/base/result.h"
#include "harness/model/record.h"
#include "harness/store/adapters/merge_files.h"
#include "harness/store/adapters/tool_file.h"

namespace harness {

struct ImportFormat {
  std::string_view name;     // "json_lines"
  std::string_view summary;  // "JSON Lines of samples", and the tool's command for it
  // The first format of the table that says yes reads a text.
  bool (*recognises)(std::string_view text);
  // All errors at once. `file` is the path of the text, beside which a tool may have left more.
  Checked<ToolFile> (*read)(std::string_view text, const std::string& file, const ToolQuestions& questions);
};

// All formats, in the order in which they are asked.
const std::vector<const ImportFormat*>& import_formats();

// By its name; null for any other text.
const ImportFormat* find_import_format(std::string_view name);

// The format that recognises a text; null without one.
const ImportFormat* format_of(std::string_view text);

struct ImportOptions {
  std::string suite =
      {};  // the name of the record's suite; "": that of the first file that tells one, or its stem
  ToolQuestions questions = {};
  MergeOptions merge = {};
};

// The files of one record, one after the other.
class Import {
 public:
  explicit Import(ImportOptions options);

  // Errors have file:line. A file is refused, too, where it holds something else than the files before
  // (merge_files.h), or is a copy of one.
  Checked<bool> add(std::string_view text, const std::string& file);

  // Whether all files that were added name their suite, or the options do.
  [[nodiscard]] bool names_suite() const { return suite_named_; }
  // The commit that the files name, if they agree; without one, an empty revision.
  [[nodiscard]] const std::optional<Revision>& revision() const { return revision_; }

  // Remarks of the formats about whole files.
  [[nodiscard]] const std::vector<std::string>& remarks() const { return remarks_; }

  Checked<Record> take() &&;

 private:
  ImportOptions options_;
  MergedFiles merged_;
  std::unordered_map<std::string, std::string> texts_;  // hash -> file
  std::string first_file_, suite_, date_;
  std::optional<Revision> revision_;
  std::vector<std::string> remarks_;
  bool suite_named_ = true;
};

// The samples of one file.
Checked<Record> import_samples(std::string_view text, const std::string& file,
                               const ImportOptions& options = {});

// The results of one run of a program, from what it wrote: one a case, numbered as `process`. Errors have
// file:line.
Checked<std::vector<ProcessResult>> import_process(const ImportFormat& format, std::string_view text,
                                                   const std::string& file, int process);

}  // namespace harness
