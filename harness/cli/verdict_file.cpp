#include "harness/cli/verdict_file.h"

#include <string_view>

#include "harness/base/files.h"
#include "harness/base/text.h"
#include "harness/schema/json_reader.h"

namespace harness {
namespace {

constexpr std::string_view right_file = "name what `harness compare --report json=FILE` wrote";

std::optional<double> optional_number(const JsonNode& node) {
  if (!node.present() || node.is_null()) return std::nullopt;
  return node.number();
}

std::string optional_text(const JsonNode& node) {
  return node.present() && !node.is_null() ? node.text() : std::string();
}

RecordSource source_from(const JsonNode& node) {
  RecordSource source;
  source.id = node.require("id").text();
  source.described = node.require("described").text();
  source.distance = node.find("distance").integer<int>(0, 0);
  return source;
}

Waiver waiver_from(const JsonNode& node) {
  Waiver waiver;
  waiver.pattern = node.require("pattern").text();
  waiver.metric = optional_text(node.find("metric"));
  waiver.ceiling = node.require("ceiling").number();
  waiver.expires = node.require("expires").text();
  waiver.reason = node.require("reason").text();
  waiver.issue = optional_text(node.find("issue"));
  const JsonNode where = node.find("where");
  if (where.present() && !where.is_null())
    waiver.where = {optional_text(where.find("file")), where.find("line").integer<int>(0, 0), 0};
  return waiver;
}

LearnedSpread spread_from(const JsonNode& node) {
  LearnedSpread spread;
  spread.case_id = node.require("case").text();
  spread.metric = node.require("metric").text();
  spread.session_sd = node.require("session_sd").number();
  spread.device_sd = node.require("device_sd").number();
  spread.sessions = node.find("sessions").integer<int>(0, 0);
  spread.devices = node.find("devices").integer<int>(0, 0);
  return spread;
}

Policy policy_from(const JsonNode& root) {
  const JsonNode node = root.require("policy");
  Policy policy;
  policy.margin = optional_number(node.find("margin"));
  policy.alpha = optional_number(node.find("alpha"));
  policy.allow_inconclusive = node.find("allow_inconclusive").flag();
  policy.allow_missing = node.find("allow_missing").flag();
  policy.allow_not_comparable = node.find("allow_not_comparable").flag();
  policy.allow_other_device = node.find("allow_other_device").flag();
  policy.session_sd = node.find("session_sd").number(policy.session_sd);
  policy.device_sd = node.find("device_sd").number(policy.device_sd);
  node.find("learned").each_element([&](const JsonNode& one) { policy.learned.push_back(spread_from(one)); });
  policy.min_processes = node.find("min_processes").integer<int>(policy.min_processes, 0);
  policy.min_shared_processes =
      node.find("min_shared_processes").integer<int>(policy.min_shared_processes, 0);
  policy.fail_on_improved = node.find("fail_on_improved").flag();
  policy.waivers_file = optional_text(node.find("waivers_file"));
  policy.today = optional_text(node.find("today"));
  root.find("waivers").each_element([&](const JsonNode& one) { policy.waivers.push_back(waiver_from(one)); });
  return policy;
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
  file.policy = policy_from(root);
  Result<VerdictFile> read = (*reader)->finish(std::move(file));
  if (read || !read.error().advice.empty()) return read;
  return fail(read.error().kind, read.error().where, read.error().message, std::string(right_file));
}

}  // namespace harness
