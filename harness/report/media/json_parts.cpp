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
  return without_commands(json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n");
}

std::string without_commands(std::string text) {
  for (std::size_t at = text.find("##["); at != std::string::npos; at = text.find("##[", at))
    text.replace(at, 1, "\\u0023");
  return text;
}

}  // namespace harness::report
