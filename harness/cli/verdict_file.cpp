#include "harness/cli/verdict_file.h"

#include "harness/base/files.h"
#include "harness/model/json_reader.h"

namespace harness {
namespace {

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
  policy.min_processes = node.find("min_processes").integer<int>(policy.min_processes, 0);
  policy.fail_on_improved = node.find("fail_on_improved").flag();
  policy.waivers_file = optional_text(node.find("waivers_file"));
  policy.today = optional_text(node.find("today"));
  root.find("waivers").each_element([&](const JsonNode& one) { policy.waivers.push_back(waiver_from(one)); });
  return policy;
}

}  // namespace

Result<VerdictFile> read_verdict_file(const std::string& path) {
  const Result<std::string> text = read_file(path);
  if (!text) return fail(text.error());
  const auto reader = JsonReader::parse(*text, Location{path});
  if (!reader) return fail(reader.error());
  (*reader)->expect_format("harness-comparison", 1);
  VerdictFile file;
  const JsonNode root = (*reader)->root();
  file.baseline = source_from(root.require("baseline"));
  file.current = source_from(root.require("current"));
  file.policy = policy_from(root);
  return (*reader)->finish(std::move(file));
}

}  // namespace harness
