#include "harness/cli/verdict_file.h"

#include <string_view>

#include "harness/base/files.h"
#include "harness/base/text.h"
#include "harness/model/results/comparison_fields.h"

namespace harness {
namespace {

constexpr std::string_view right_file = "name what `harness compare --report json=FILE` wrote";

VerdictFile read_comparison(const JsonNode& root) {
  VerdictFile file;
  read_json(root.require("baseline"), file.baseline);
  read_json(root.require("current"), file.current);
  read_json(root.require("policy"), file.policy);
  read_json(root.find("waivers"), file.policy.waivers);
  return file;
}

}  // namespace

Result<std::vector<VerdictFile>> read_verdict_files(const std::string& path) {
  const Result<std::string> text = read_file(path);
  if (!text) {  // the user named a missing file; no result is missing
    const ErrorKind kind = text.error().kind == ErrorKind::missing ? ErrorKind::usage : text.error().kind;
    return fail(kind, text.error().where, text.error().message, std::string(right_file));
  }
  if (trim(*text).starts_with('<'))
    return fail(ErrorKind::usage, Location{path}, "is a page, not the JSON of a comparison",
                std::string(right_file));
  const auto reader = JsonReader::parse(*text, Location{path});
  if (!reader)
    return fail(reader.error().kind, reader.error().where, reader.error().message, std::string(right_file));
  const JsonNode root = (*reader)->root();
  std::vector<VerdictFile> files;
  if (root.find("reports").present()) {
    (*reader)->expect_format(formats::reports);
    root.find("reports").each_element([&](const JsonNode& one) {
      if (one.require("format").text() == formats::comparison.name) files.push_back(read_comparison(one));
    });
  } else {
    (*reader)->expect_format(formats::comparison);
    files.push_back(read_comparison(root));
  }
  auto read = (*reader)->finish(std::move(files));
  if (read || !read.error().advice.empty()) return read;
  return fail(read.error().kind, read.error().where, read.error().message, std::string(right_file));
}

}  // namespace harness
