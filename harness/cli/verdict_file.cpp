#include "harness/cli/verdict_file.h"

#include <string_view>

#include "harness/base/files.h"
#include "harness/base/text.h"
#include "harness/model/results/comparison_fields.h"

namespace harness {
namespace {

constexpr std::string_view right_file = "name what `harness compare --report json=FILE` wrote";

Figures figures_from(const JsonNode& node) {
  Figures figures;
  if (!node.present()) return figures;
  node.each_member([&](std::string_view name, const JsonNode& value) {
    const std::optional<sdk::Value> scalar = value.scalar();
    if (!scalar) return;
    std::visit([&](const auto& plain) { figures.emplace_back(name, plain); }, *scalar);
  });
  return figures;
}

RecordSource source_from(const JsonNode& node) {
  RecordSource source;
  source.id = node.require("id").text();
  if (const JsonNode found = node.find("found"); found.present()) {  // files of before have none
    source.found.code = parse_name<SourceCode>(found.require("code").text()).value_or(SourceCode::none);
    source.found.figures = figures_from(found.find("figures"));
  }
  source.distance = node.find("distance").integer<int>(0, 0);
  return source;
}

}  // namespace

Result<VerdictFile> read_verdict_file(const std::string& path) {
  const Result<std::string> text = read_file(path);
  if (!text) {  // a name that was meant to be there, not a result that is missing
    const ErrorKind kind = text.error().kind == ErrorKind::missing ? ErrorKind::usage : text.error().kind;
    return fail(kind, text.error().where, text.error().message, std::string(right_file));
  }
  if (trim(*text).starts_with('<'))
    return fail(ErrorKind::usage, Location{path}, "is a page, not the JSON of a comparison",
                std::string(right_file));
  const auto reader = JsonReader::parse(*text, Location{path});
  if (!reader)
    return fail(reader.error().kind, reader.error().where, reader.error().message, std::string(right_file));
  (*reader)->expect_format(formats::comparison);
  VerdictFile file;
  const JsonNode root = (*reader)->root();
  file.baseline = source_from(root.require("baseline"));
  file.current = source_from(root.require("current"));
  read_json(root.require("policy"), file.policy);
  read_json(root.find("waivers"), file.policy.waivers);
  Result<VerdictFile> read = (*reader)->finish(std::move(file));
  if (read || !read.error().advice.empty()) return read;
  return fail(read.error().kind, read.error().where, read.error().message, std::string(right_file));
}

}  // namespace harness
