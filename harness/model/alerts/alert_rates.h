// AlertRates: how often the alerts of a branch were right, and which slowdowns raised none. Made by
// study/rate_alerts.h. Plain data.
#pragma once

#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "harness/model/results/summary.h"
#include "harness/schema/enum_names.h"

namespace harness {

// The finding of somebody who looked into a record.
enum class AlertMark {
  true_alert,   // its regression was a slowdown of the code
  false_alert,  // its regression was none
  missed,       // the code was slower, and no result regressed
};
template <>
inline constexpr auto enum_names<AlertMark> = names<AlertMark>({{AlertMark::true_alert, "true"},
                                                                {AlertMark::false_alert, "false"},
                                                                {AlertMark::missed, "missed"}});

// A record of the branch that was judged, with what its verdict said of each case.
struct JudgedRun {
  std::string record;  // id
  std::string commit;
  std::string started;  // UTC
  std::string machine_class, device_uuid;
  bool whole = true;          // it has every case of the suite
  bool passed = false;        // no result regressed that is not waived, and all were decided
  std::set<std::string> red;  // cases that regressed, and are not waived
  std::set<std::string> waived;
  std::optional<AlertMark> mark;
};

// A red record and those after it, until one passed.
struct Alert {
  std::vector<std::string> records;  // oldest first
  std::string commit;                // of the first record
  std::string started;
  std::string device_uuid;
  std::set<std::string> cases;
  std::optional<AlertMark> mark;  // of the newest marked record: true or false
};

// A slowdown that raised no alert.
struct MissedSlowdown {
  enum class Source { change_point, mark };
  Source source = Source::mark;
  std::string commit;           // the first that was measured with it
  std::set<std::string> cases;  // none where a record is marked
};
template <>
inline constexpr auto enum_names<MissedSlowdown::Source> = names<MissedSlowdown::Source>(
    {{MissedSlowdown::Source::change_point, "change_point"}, {MissedSlowdown::Source::mark, "mark"}});

// `hits` of `trials`, with the interval of the share at `confidence`.
struct AlertRate {
  std::size_t hits = 0;
  std::size_t trials = 0;
  Interval interval;
};

struct AlertRates {
  std::string since;  // the first day that counts
  double confidence = 0.9;
  std::vector<Alert> alerts;           // oldest first
  std::vector<MissedSlowdown> missed;  // oldest first
  std::size_t unmarked = 0;            // alerts
  std::optional<AlertRate> precision;  // true ones of the marked alerts; none: nothing is marked
  std::optional<AlertRate> recall;  // true alerts of these and the missed slowdowns; none: neither is known
};

}  // namespace harness
