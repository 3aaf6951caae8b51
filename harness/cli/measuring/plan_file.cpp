#include "harness/cli/measuring/plan_file.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "harness/model/codec.h"

namespace harness {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* format_name = "harness-plan";
constexpr int format_version = 1;

Json cause_json(const Cause& cause) {
  if (cause.code == CauseCode::told) return cause.text("text");
  Json json{{"code", name_of(cause.code)}};
  for (const Figure& figure : cause.figures)
    std::visit([&](const auto& value) { json[figure.name] = value; }, figure.value);
  return json;
}

Cause cause_from(const Json& json) {
  if (json.is_string()) return told_cause(json.get<std::string>());
  const std::string name = json.at("code").get<std::string>();
  Cause cause{parse_name<CauseCode>(name).value_or(CauseCode::told)};
  for (const auto& [figure, value] : json.items()) {
    if (figure == "code") continue;
    if (value.is_string()) cause.figures.emplace_back(figure, value.get<std::string>());
    if (value.is_number_integer()) cause.figures.emplace_back(figure, value.get<std::int64_t>());
    if (value.is_number_float()) cause.figures.emplace_back(figure, value.get<double>());
  }
  return cause.code == CauseCode::told ? told_cause(name) : cause;
}

Json case_json(const PlannedCase& planned) {
  return {{"case", Json::parse(encode_case(planned_record(planned)))},
          {"metrics", planned.metrics},
          {"skip", planned.skip ? cause_json(*planned.skip) : Json(nullptr)}};
}

PlannedCase planned_case(CaseRecord record, const Json& json) {
  PlannedCase planned;
  planned.id = std::move(record.id);
  planned.workload = std::move(record.workload);
  planned.variant = std::move(record.variant);
  planned.device = std::move(record.device);
  planned.params = std::move(record.params);
  planned.sampling = record.sampling;
  planned.gate = std::move(record.gate);
  planned.reference = std::move(record.reference);
  planned.tags = std::move(record.tags);
  planned.flops = record.flops;
  planned.bytes = record.bytes;
  planned.items = record.items;
  planned.item_name = std::move(record.item_name);
  planned.where = std::move(record.where);
  planned.metrics = json.at("metrics").get<std::vector<std::string>>();
  if (const Json& skip = json.at("skip"); !skip.is_null()) planned.skip = cause_from(skip);
  return planned;
}

std::string dump(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Result<Prepared> read(const Json& json, const std::string& source) {
  if (json.at("format") != format_name || json.at("version") != format_version)
    return fail(ErrorKind::usage, Location{source}, "is no plan of version 1",
                "the program of that build speaks another version; measure both builds with `harness run`");
  Prepared prepared;
  const Json& suite = json.at("suite");
  prepared.plan.suite = {suite.at("name").get<std::string>(), suite.at("file").get<std::string>(),
                         suite.at("hash").get<std::string>()};
  prepared.plan.modules = json.at("modules").get<std::vector<std::string>>();
  prepared.devices = json.at("devices").get<std::map<std::string, std::string>>();
  prepared.identities = json.at("identities").get<std::map<std::string, std::string>>();
  for (const auto& [kind, cause] : json.at("unavailable_devices").items())
    prepared.unavailable_devices[kind] = cause_from(cause);
  prepared.left_out_devices = json.at("left_out_devices").get<std::set<std::string>>();
  for (const Json& one : json.at("cases")) {
    Result<CaseRecord> record = decode_case(dump(one.at("case")), source);
    if (!record) return fail(record.error());
    prepared.plan.cases.push_back(planned_case(std::move(*record), one));
  }
  return prepared;
}

}  // namespace

std::string encode_plan(const Prepared& prepared) {
  const SuiteIdentity& suite = prepared.plan.suite;
  Json unavailable = Json::object();
  for (const auto& [kind, cause] : prepared.unavailable_devices) unavailable[kind] = cause_json(cause);
  Json cases = Json::array();
  for (const PlannedCase& one : prepared.plan.cases) cases.push_back(case_json(one));
  return dump({{"format", format_name},
               {"version", format_version},
               {"suite", {{"name", suite.name}, {"file", suite.file}, {"hash", suite.hash}}},
               {"modules", prepared.plan.modules},
               {"devices", prepared.devices},
               {"identities", prepared.identities},
               {"unavailable_devices", std::move(unavailable)},
               {"left_out_devices", prepared.left_out_devices},
               {"cases", std::move(cases)}}) +
         "\n";
}

Result<Prepared> decode_plan(std::string_view text, const std::string& source) {
  const Json json = Json::parse(text, nullptr, false);
  if (!json.is_object()) return fail(ErrorKind::usage, Location{source}, "is no JSON object");
  try {
    return read(json, source);
  } catch (const Json::exception& problem) {
    return fail(ErrorKind::usage, Location{source}, fmt::format("is no plan: {}", problem.what()));
  }
}

}  // namespace harness
