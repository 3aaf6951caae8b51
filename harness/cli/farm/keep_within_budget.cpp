#include "harness/cli/farm/keep_within_budget.h"

#include <algorithm>
#include <chrono>
#include <ctime>
#include <iomanip>
#include <optional>
#include <sstream>
#include <utility>

#include "harness/study/case_value.h"

namespace harness {
namespace {

constexpr double first_share = 0.75;  // of the budget, for the first look at each case
constexpr double seconds_of_a_day = 86400;
constexpr Seconds usual_cost = 1;  // of a process, where no case has been measured yet

// Reads a text of utc_timestamp().
std::optional<double> unix_time_of(const std::string& utc) {
  std::tm parts{};
  std::istringstream text(utc);
  text >> std::get_time(&parts, "%Y-%m-%dT%H:%M:%SZ");
  if (text.fail()) return std::nullopt;
  return static_cast<double>(timegm(&parts));
}

double days_since(const std::string& utc) {
  const double now =
      std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
  return std::max(0.0, now - unix_time_of(utc).value_or(now)) / seconds_of_a_day;
}

bool is_changed(const std::map<std::string, ProofGap>& gaps, const std::string& id) {
  const auto gap = gaps.find(id);
  if (gap == gaps.end()) return false;
  switch (gap->second.why.code) {
    case ProofGapCode::disagree:
    case ProofGapCode::other_launches:
    case ProofGapCode::other_workload:
    case ProofGapCode::other_parameters:
    case ProofGapCode::other_seed:
    case ProofGapCode::other_inputs:
    case ProofGapCode::other_files: return true;
    default: return false;
  }
}

// One case of the campaign.
struct CaseToChoose {
  std::size_t suite = 0;
  std::string id;
  std::size_t place = 0;  // in the plan, the same on all sides
};

class Chooser {
 public:
  Chooser(Store& store, Campaign& campaign)
      : store_(store), campaign_(campaign), capacity_(first_share * campaign.budget * campaign.elements) {}

  void look_up(std::size_t number, const KnownCases& known, const std::map<std::string, ProofGap>& gaps) {
    const CampaignSuite& suite = campaign_.suites[number];
    const std::size_t begin = places_.size();
    for (const PlannedCase& one : suite.current().plan.cases) {
      const auto found = known.find(one.id);
      CaseOutlook outlook{
          is_changed(gaps, one.id), {}, one.sampling.processes, one.gate.margin, one.gate.alpha};
      if (found != known.end()) {
        outlook.sd = found->second.sd;
        outlook.days = days_since(found->second.measured);
      }
      const auto seconds = suite.seconds.find(one.id);
      outlook.cost = one.sampling.processes * (seconds == suite.seconds.end() ? usual_cost : seconds->second);
      places_.push_back({number, one.id, places_.size() - begin});
      outlooks_.push_back(outlook);
    }
  }

  // Returns the ids that are left out.
  Result<std::vector<std::string>> choose() {
    std::map<std::pair<std::size_t, std::string>, std::size_t> ranks;
    for (const std::size_t place : choose_cases(outlooks_, capacity_))
      ranks.emplace(std::pair(places_[place].suite, places_[place].id), ranks.size());
    std::vector<std::string> out;
    for (const CaseToChoose& one : places_) {
      if (ranks.contains({one.suite, one.id})) continue;
      out.push_back(one.id);
      if (const Status put = tell_left_out(one); !put) return fail(put.error());
    }
    for (std::size_t suite = 0; suite < campaign_.suites.size(); ++suite)
      for (CampaignSide& side : campaign_.suites[suite].sides) {
        std::vector<PlannedCase>& cases = side.plan.cases;
        std::erase_if(cases, [&](const PlannedCase& one) { return !ranks.contains({suite, one.id}); });
        std::stable_sort(cases.begin(), cases.end(), [&](const PlannedCase& one, const PlannedCase& other) {
          return ranks.at({suite, one.id}) < ranks.at({suite, other.id});
        });
      }
    return out;
  }

 private:
  Status tell_left_out(const CaseToChoose& place) {
    for (const CampaignSide& side : campaign_.suites[place.suite].sides) {
      const PlannedCase& planned = side.plan.cases.at(place.place);
      if (Status put = store_.put(side.record, {left_out(planned, 1, campaign_.budget)}); !put) return put;
    }
    return {};
  }

  Store& store_;
  Campaign& campaign_;
  Seconds capacity_;
  std::vector<CaseToChoose> places_;
  std::vector<CaseOutlook> outlooks_;
};

}  // namespace

Result<std::vector<std::string>> keep_within_budget(Store& store, Campaign& campaign,
                                                    const std::vector<KnownCases>& known,
                                                    const GapsBySuite& gaps) {
  Chooser chooser(store, campaign);
  for (std::size_t i = 0; i < campaign.suites.size(); ++i) chooser.look_up(i, known.at(i), gaps.at(i));
  return chooser.choose();
}

}  // namespace harness
