// Policy: how two records are judged, with the waivers and learned spreads that count.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/base/result.h"
#include "harness/model/results/findings.h"

namespace harness {

// A regression that the team accepts for a while, kept in git beside the code.
struct Waiver {
  std::string pattern;  // of case ids, wildcards * and ?
  std::string metric;   // "" : every metric
  double ceiling = 0;   // the largest covered change: 0.05 is 5 % worse
  std::string expires;  // its last day, "2026-12-31", UTC
  std::string reason;
  std::string issue;  // where it is tracked, or ""
  Location where;
  bool undecided = false;  // it covers inconclusive results as well
  bool proposed = false;   // the change adds or widens it: it does not count

  bool operator==(const Waiver&) const = default;
};

// The results that a spread was learned from.
enum class LearnedFrom {
  calibration,  // sessions of one build, by `harness calibrate`
  history,      // the newest runs on the device, whatever their commits
};

template <>
inline constexpr auto enum_names<LearnedFrom> = names<LearnedFrom>({{LearnedFrom::calibration, "calibration"},
                                                                    {LearnedFrom::history, "history"}});

// How much results of one build vary between sessions, devices and processes: sds of log values.
struct LearnedSpread {
  std::string case_id;
  std::string metric;
  double session_sd = 0;  // between sessions on one device, added once a side
  double device_sd = 0;   // between devices of one class, added once a side
  int sessions = 0;       // number of sessions it was learned from
  int devices = 0;
  double process_sd = 0;  // between processes of one session; 0: not known
  double process_freedom = 0;
  LearnedFrom from = LearnedFrom::calibration;

  bool operator==(const LearnedSpread&) const = default;
};

// Where the waivers that decide were read.
enum class WaiverTrust {
  unversioned,  // in the file as it is, because no repository holds it
  baseline,     // in the file of the baseline's commit
  no_baseline,  // nowhere: the repository lacks the baseline's commit, so all are proposals
};

template <>
inline constexpr auto enum_names<WaiverTrust> = names<WaiverTrust>({{WaiverTrust::unversioned, "unversioned"},
                                                                    {WaiverTrust::baseline, "baseline"},
                                                                    {WaiverTrust::no_baseline,
                                                                     "no_baseline"}});

// The sd between sessions of host times that is assumed where one file of another tool holds all starts of a
// side. Several files tell it themselves. A machine that does other work, too, changes more from one session
// to the next than within one.
inline constexpr double file_session_sd = 0.05;

// How records are judged. Values set here (from the command line) win over each case's own gate.
struct Policy {
  std::optional<double> margin;
  std::optional<double> alpha;
  bool allow_inconclusive = false;    // exit 3 -> 0, with a warning
  bool allow_missing = false;         // exit 4 -> 0 where a side has no counterpart, with a warning
  bool allow_not_comparable = false;  // exit 4 -> 0 where sides must not be compared, with a warning
  bool allow_other_device = false;    // another GPU of the same model may be compared
  double session_sd = 0.0005;         // sd of log time between sessions on one device, added once a side
  double device_sd = 0.003;           // sd between devices of one model, where allowed, added once a side
  std::vector<LearnedSpread> learned = {};  // wins over the two sds where it knows the case and metric
  int min_processes = 5;                    // fewer on a side: inconclusive
  int min_shared_processes = 3;             // the same for processes with both builds (an A/B run)
  bool fail_on_improved = false;            // an improvement is exit 1: the baseline is stale
  std::vector<Waiver> waivers = {};
  std::string waivers_file = {};  // the file of the waivers, "": none
  std::string today = {};         // UTC date for the expiry of waivers, "2026-11-20"; "": no waiver holds
  bool allow_skipped = false;     // exit 4 -> 0 where no case can run here, with a warning
  bool accept_proposed = false;   // the change's own looser gates, settings and waivers count
  bool allow_left_out = false;    // cases that a filter leaves out hold nothing up in CI, either
  WaiverTrust waiver_trust = WaiverTrust::unversioned;
  std::string waivers_commit = {};   // the commit of the deciding waivers, or ""
  bool waivers_uncommitted = false;  // the file has uncommitted changes; they do not count
};

// The subject of a policy's value.
enum class PolicyCode {
  margin,          // value, or least and most where rows differ
  alpha,           // likewise
  informative,     // metrics: "a, b"
  gates_loosened,  // results, hidden: of them, regressed by the baseline's gate
  processes,       // needed, usual, shared: whether they count processes that ran both builds
  paired,          // shared: an A/B run in the same processes; else in processes that took turns
  one_session,     // session: that both records name
  sessions,        // sd; where calibrations taught more: least, most, results
  other_device,    // sd
  allowed,         // verdicts: "missing, inconclusive", or no figure
  improvements,    // fail: whether an improvement fails
  waivers,         // holds, exceeded, expired, unused, unmatched, proposed: how many
  proposed,        // gates, waivers: looser ones of the change; accepted: whether they count
};

template <>
inline constexpr auto enum_names<PolicyCode> = names<PolicyCode>({{PolicyCode::margin, "margin"},
                                                                  {PolicyCode::alpha, "alpha"},
                                                                  {PolicyCode::informative, "informative"},
                                                                  {PolicyCode::gates_loosened,
                                                                   "gates_loosened"},
                                                                  {PolicyCode::processes, "processes"},
                                                                  {PolicyCode::paired, "paired"},
                                                                  {PolicyCode::one_session, "one_session"},
                                                                  {PolicyCode::sessions, "sessions"},
                                                                  {PolicyCode::other_device, "other_device"},
                                                                  {PolicyCode::allowed, "allowed"},
                                                                  {PolicyCode::improvements, "improvements"},
                                                                  {PolicyCode::waivers, "waivers"},
                                                                  {PolicyCode::proposed, "proposed"}});

enum class PolicyOrigin {
  standard,
  suite,
  command_line,
  waivers_file,
  calibration,
  history,
  ab_run,
  records,
  change,  // what the change itself proposes
};

template <>
inline constexpr auto enum_names<PolicyOrigin> =
    names<PolicyOrigin>({{PolicyOrigin::standard, "standard"},
                         {PolicyOrigin::suite, "suite"},
                         {PolicyOrigin::command_line, "command_line"},
                         {PolicyOrigin::waivers_file, "waivers_file"},
                         {PolicyOrigin::calibration, "calibration"},
                         {PolicyOrigin::history, "history"},
                         {PolicyOrigin::ab_run, "ab_run"},
                         {PolicyOrigin::records, "records"},
                         {PolicyOrigin::change, "change"}});

// One value of the policy in force, and where it comes from.
struct PolicyFact {
  Fact<PolicyCode> value;
  PolicyOrigin origin = PolicyOrigin::standard;
};

// The result of one waiver of the policy. A row is decided by the narrowest waiver that matches it.
struct WaiverUse {
  enum class State {
    holds,      // every regression that it covers stays within its ceiling
    exceeded,   // at least one may lie above its ceiling, and fails
    expired,    // its last day has passed: a regression fails again
    unused,     // there is no regression for it
    unmatched,  // no case of either side has such a name
    proposed,   // the change itself adds it: it does not count
  };
  Waiver waiver;
  State state = State::unused;
  int waived = 0;   // rows that do not fail because of it
  int refused = 0;  // rows that fail although it matches them
  std::vector<WaiverAdvice> advice;
};

template <>
inline constexpr auto enum_names<WaiverUse::State> =
    names<WaiverUse::State>({{WaiverUse::State::holds, "holds"},
                             {WaiverUse::State::exceeded, "exceeded"},
                             {WaiverUse::State::expired, "expired"},
                             {WaiverUse::State::unused, "unused"},
                             {WaiverUse::State::unmatched, "unmatched"},
                             {WaiverUse::State::proposed, "proposed"}});

}  // namespace harness
