#include "harness/report/media/page/claims_page.h"

#include "harness/report/documents/claims/claim_words.h"
#include "harness/report/media/page/packed.h"
#include "harness/report/media/page/page_json.h"
#include "harness/schema/formats.h"

namespace harness::report {
namespace {

Json bound(const std::optional<double>& value) {
  return value ? number(*value) : Json(nullptr);
}

Json bounds(const std::optional<Interval>& interval) {
  return interval ? Json::array({number(interval->lo), number(interval->hi)}) : Json(nullptr);
}

Json cases_json(const CheckedClaim& one) {
  Json cases = Json::array();
  for (const ClaimedCase& pair : one.cases)
    cases.push_back({{"case", pair.case_id},
                     {"against", pair.against},
                     {"status", name_of(pair.status)},
                     {"found", claimed_figure(one.claim.figure, pair.unit, pair.value, pair.interval)},
                     {"gap", words(pair.gap)}});
  return cases;
}

Json claim_json(const CheckedClaim& one) {
  const bool speedup = one.claim.figure == ClaimFigure::speedup;
  return {{"suite", one.suite},
          {"says", one.claim.says},
          {"source", one.claim.source},
          {"status", name_of(one.status)},
          {"gate", one.claim.gate},
          {"figure", name_of(one.claim.figure)},
          {"range", Json::array({bound(one.claim.range.least), bound(one.claim.range.most)})},
          {"value", bound(one.value)},
          {"interval", bounds(one.interval)},
          {"claimed", claimed_range(one.claim, one.unit)},
          {"found", claimed_figure(one.claim.figure, one.unit, one.value, one.interval)},
          {"rating", speedup && one.interval ? rating_of(*one.interval) : std::string()},
          {"scope", claimed_scope(one)},
          {"gap", words(one.gap)},
          {"cases", cases_json(one)}};
}

}  // namespace

std::string claims_page(const ClaimsReport& report, const std::string& headline) {
  Json json{{"format", formats::claims_page.name},
            {"version", formats::claims_page.version},
            {"headline", headline},
            {"confidence", report.confidence},
            {"claims", Json::array()}};
  for (const CheckedClaim& one : report.claims) json["claims"].push_back(claim_json(one));
  return base64(deflated(json.dump(-1, ' ', false, Json::error_handler_t::replace)));
}

}  // namespace harness::report
