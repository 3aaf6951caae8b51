// Samples that another tool took, as a record like any other. Each format is a file of this folder and a row
// in import_formats.cpp; the content of a file tells its format.
//
//   Checked<Record> record = import_samples(text, "samples.jsonl");
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "harness/base/result.h"
#include "harness/model/record.h"

namespace harness {

struct ImportFormat {
  std::string_view name;     // "json_lines"
  std::string_view summary;  // "JSON Lines of samples", and the tool's command for it
  // The first format of the table that says yes reads a text.
  bool (*recognises)(std::string_view text);
  // Fills the suite's name where the text tells one, the session, the machines and the cases. The device is
  // `import_device` (model/device_kinds.h). All errors at once. `file` is the path of the text, beside which
  // a tool may have left more.
  Checked<Record> (*read)(std::string_view text, const std::string& file);
};

// All formats, in the order in which they are asked.
const std::vector<const ImportFormat*>& import_formats();

// By its name; null for any other text.
const ImportFormat* find_import_format(std::string_view name);

// The samples of one file. Errors have file:line.
Checked<Record> import_samples(std::string_view text, const std::string& file);

// The results of one run of a program, from what it wrote: one a case, numbered as `process`. Errors have
// file:line.
Checked<std::vector<ProcessResult>> import_process(const ImportFormat& format, std::string_view text,
                                                   const std::string& file, int process);

// Adds the processes of another import, numbered on from those of the record. Errors where a unit or a
// direction differs.
Status add_processes(Record& record, Record more);

}  // namespace harness
