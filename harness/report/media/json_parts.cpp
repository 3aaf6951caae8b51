#include "harness/report/media/json_parts.h"

#include <cmath>

namespace harness::report {

Json number(double value) {
  return std::isfinite(value) ? Json(value) : Json(nullptr);
}

Json number(const std::optional<double>& value) {
  return value ? number(*value) : Json(nullptr);
}

Json positive(double value) {
  return value > 0 ? number(value) : Json(nullptr);
}

Json interval_json(const std::optional<Interval>& interval) {
  if (!interval) return nullptr;
  return Json::array({number(interval->lo), number(interval->hi)});
}

Json location_json(const Location& where) {
  if (where.file.empty()) return nullptr;
  return {{"file", where.file}, {"line", where.line}, {"column", where.column}};
}

Json revision_json(const Revision& revision) {
  return {{"commit", revision.commit}, {"branch", revision.branch}, {"dirty", revision.dirty}};
}

Json suite_json(const SuiteIdentity& suite) {
  return {{"name", suite.name}, {"file", suite.file}, {"hash", suite.hash}};
}

Json sampling_json(const Sampling& sampling) {
  Json json{{"processes", sampling.processes},
            {"placements", sampling.placements},
            {"samples", sampling.samples},
            {"min_samples", sampling.min_samples},
            {"warmup", sampling.warmup},
            {"cache", name_of(sampling.cache)},
            {"preheat_s", number(sampling.preheat)},
            {"max_time_s", number(sampling.max_time)},
            {"timeout_s", number(sampling.timeout)},
            {"gate_deadline_s", number(sampling.gate_deadline)},
            {"seed", sampling.seed}};
  if (sampling.width > 0) {
    json["width"] = number(sampling.width);
    json["width_samples"] = sampling.width_samples;
  }
  if (sampling.timing != TimingMode::events) json["timing"] = name_of(sampling.timing);
  if (!sampling.batch_nodes.empty()) json["batch_nodes"] = sampling.batch_nodes;
  return json;
}

Json gate_json(const Gate& gate) {
  Json json{{"margin", number(gate.margin)}, {"alpha", number(gate.alpha)}};
  if (!gate.looks.empty()) json["looks"] = gate.looks;
  return json;
}

Json params_json(const sdk::Params& params) {
  Json json = Json::object();
  for (const auto& [name, value] : params.entries()) {
    const double* real = std::get_if<double>(&value);
    json[name] =
        real != nullptr ? number(*real) : std::visit([](const auto& held) { return Json(held); }, value);
  }
  return json;
}

std::string dump(const Json& json) {
  std::string text = json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
  // Printed, "##[" would be a command to a runner of GitHub's; it can only stand inside a string.
  for (std::size_t at = text.find("##["); at != std::string::npos; at = text.find("##[", at))
    text.replace(at, 1, "\\u0023");
  return text;
}

}  // namespace harness::report
