// Spreads: what is usual for the variance between processes, learned from all cases of both records. Pure.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "harness/stats/hypothesis/contrast.h"
#include "harness/verdict/read/side.h"

namespace harness {

// The variance between the processes of one side of one case, or of their log ratios. Only spreads of one
// kind are alike: the same device, metric and unit, and both of values or both of ratios.
struct CaseSpread {
  std::string kind;
  stats::GroupVariance group;  // level: the log of the case's value
};

std::string kind_of(const std::string& device, const std::string& metric, const std::string& unit,
                    bool ratios = false);

// The spread of a side.
CaseSpread spread_between_processes(const std::string& kind, const SideReading& reading);

// The trend of each kind that has enough cases (stats::least_groups).
class UsualSpreads {
 public:
  explicit UsualSpreads(std::span<const CaseSpread> spreads);

  // std::nullopt where too few cases of the kind tell.
  [[nodiscard]] std::optional<stats::VariancePrior> at(const std::string& kind, double level) const;

 private:
  std::map<std::string, stats::VarianceTrend> trends_;
};

// The mean of a side, with its variance between processes of one session and the sessions' part.
//
// Where the side is pooled over records (ProcessSamples::session), y = mean + b_session + e_process, a random
// intercept by session (Searle, Casella & McCulloch 1992, chapter 3). With w_i the share of processes of
// session i, the variance of the mean is sigma_session^2 sum(w_i^2) + sigma_process^2 / N. The variance of
// processes is pooled within sessions. `session_variance` is the usual value; the pool's own
// (stats/spread/components.h) is shrunk towards it with the weight usual_sessions.
stats::Estimate estimate_of(const SideReading& reading, double session_variance);

// The mean of the means of sessions, with their own spread: k sessions tell it with k - 1 degrees of freedom.
// One session alone tells nothing: then as estimate_of().
stats::Estimate estimate_of_sessions(const SideReading& reading, double session_variance);

// The variance between sessions: `usual` where the side is not pooled.
double session_variance_of(const SideReading& reading, double usual);

// As many sessions as the usual variance counts for.
inline constexpr double usual_sessions = 4;

}  // namespace harness
