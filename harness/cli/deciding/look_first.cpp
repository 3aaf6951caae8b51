#include "harness/cli/deciding/look_first.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <utility>

#include "harness/cli/deciding/known_looks.h"
#include "harness/measure/program/program_results.h"
#include "harness/measure/schedule/interrupt.h"
#include "harness/report/words/kernel_words.h"
#include "harness/verdict/case_rows.h"
#include "harness/verdict/check/argument_words.h"
#include "harness/verdict/check/proof.h"

namespace harness {

Status keep_look(Looks& looks, EncodedResult result) {
  if (result.result.outcome != Outcome::looked_at) return {};
  if (!result.result.identity) {
    ++looks.without;
    if (looks.useless()) return fail(ErrorKind::missing, "the device tells no launches");
    return {};
  }
  result.result.identity->same_build.clear();  // a worker reads
  const std::string id = result.result.case_id;
  looks.results.insert_or_assign(id, std::move(result));
  return {};
}

Result<Looks> look_at(Store& store, Record& record, const Plan& plan, const Prepared& prepared, bool quiet) {
  const auto begin = std::chrono::steady_clock::now();
  Looks looks;
  MeasureOptions options{quiet, "look"};
  options.measure_ceilings = false;
  options.look = [&](EncodedResult result) { return keep_look(looks, std::move(result)); };
  const Result<RunReport> report = measure_into(store, record, plan, prepared, options);
  if (looks.useless()) return Looks{};
  if (!report) return fail(report.error());
  looks.interrupted = report->interrupted;
  looks.took = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return looks;
}

Record with_looks(Record record, const Looks& looks) {
  for (CaseRecord& one : record.cases)
    for (const auto* starts : {&looks.results, &looks.second})
      if (const auto found = starts->find(one.id); found != starts->end())
        add_result(one, found->second.result);
  return record;
}

namespace {

// In the order of a step, as in a measured record.
Status put_kernels(RecordKeeper& keeper, const std::map<std::string, EncodedResult>& looks,
                   const PlannedCase& program, const std::vector<KernelUse>& step) {
  const std::string begin = program.id + "/";
  std::vector<const EncodedResult*> kernels;
  for (auto one = looks.lower_bound(begin); one != looks.end() && one->first.starts_with(begin); ++one)
    kernels.push_back(&one->second);
  const auto place = [&](const EncodedResult* one) {
    return one->result.kernels.empty() ? step.end()
                                       : std::find(step.begin(), step.end(), one->result.kernels.front());
  };
  std::stable_sort(kernels.begin(), kernels.end(),
                   [&](const auto* one, const auto* other) { return place(one) < place(other); });
  for (const EncodedResult* one : kernels) {
    const PlannedCase kernel = benchmark_case(program, one->result.case_id.substr(begin.size()));
    if (Status added = keeper.add_case(kernel); !added) return added;
    if (Status kept = keeper.put(*one); !kept) return kept;
  }
  return {};
}

}  // namespace

Status put_spared(RecordKeeper& keeper, const Looks& looks, const std::set<std::string>& spared,
                  const Plan& plan) {
  for (const PlannedCase& planned : plan.cases)
    for (const auto* starts : {&looks.results, &looks.second}) {
      const auto look = starts->find(planned.id);
      if (!spared.contains(planned.id) || look == starts->end()) continue;
      if (Status kept = keeper.put(look->second); !kept) return kept;
      if (!planned.is_traced() && !planned.is_observed()) continue;
      if (Status kept = put_kernels(keeper, *starts, planned, look->second.result.kernels); !kept)
        return kept;
    }
  return {};
}

namespace {

// The baseline of a record whose machines get known on the way: they choose it.
class ChosenBaseline {
 public:
  explicit ChosenBaseline(const SparingRequest& request) : find_(request.find_baseline) {}

  const Result<Record>& of(const Record& record) {
    if (!found_ || machines_ != record.machines) found_ = find_(record);
    machines_ = record.machines;
    return *found_;
  }

 private:
  std::function<Result<Record>(const Record&)> find_;
  std::map<std::string, Machine> machines_;
  std::optional<Result<Record>> found_;
};

// Whether nothing but the build can prove the case: its launches, or a metric with a gate that a known look
// does not tell.
bool needs_build(const EncodedResult& look, const PlannedCase& planned) {
  const Rare<Identity>& identity = look.result.identity;
  if (!identity || identity->same_build.empty()) return false;
  if (identity->digest.empty()) return true;
  const std::vector<Series>& told = look.result.series;
  const std::vector<std::string> gated = gated_beyond_reach(planned);
  return std::any_of(gated.begin(), gated.end(), [&](const std::string& metric) {
    return std::none_of(told.begin(), told.end(), [&](const Series& one) { return one.metric == metric; });
  });
}

// Looks once more at variants that chose another way to work than the baseline's: now they work as it did.
Status look_with_its_choices(const SparingRequest& request, Record& record, const Record& baseline,
                             Looks& looks) {
  Plan plan = request.plan;
  take_decisions(plan, baseline);
  std::erase_if(plan.cases, [&](const PlannedCase& one) {
    const auto found = looks.results.find(one.id);
    return one.choice.empty() || found == looks.results.end() || found->second.result.choice == one.choice ||
           needs_build(found->second, one);
  });
  if (plan.cases.empty()) return {};
  Result<Looks> again = look_at(request.store, record, plan, request.prepared, request.quiet);
  if (!again) return fail(again.error());
  looks.took += again->took;
  looks.interrupted = again->interrupted;
  for (auto& [id, result] : again->results) looks.results.insert_or_assign(id, std::move(result));
  return {};
}

// Starts traced programs once more whose words of arguments alone differ from the baseline's. Some words have
// another value in one start of five (argument_words.h), and a start is cheaper than measuring.
Status look_again_at_words(const SparingRequest& request, Record& record, const Record& baseline,
                           Looks& looks) {
  const auto matches = match_words(baseline, with_looks(record, looks));
  Plan plan = request.plan;
  std::erase_if(plan.cases, [&](const PlannedCase& one) {
    const auto match = matches.find(one.id);
    return match == matches.end() || match->second.same() || !looks.results.contains(one.id);
  });
  if (plan.cases.empty()) return {};
  Result<Looks> again = look_at(request.store, record, plan, request.prepared, request.quiet);
  if (!again) return fail(again.error());
  looks.took += again->took;
  looks.interrupted = again->interrupted;
  for (auto& [id, look] : again->results) {
    look.result.process = 1;
    look.text.clear();
    looks.second.insert_or_assign(id, std::move(look));
  }
  return {};
}

// Forgets the looks that only the build could prove, and does not.
void forget_unproven(Looks& known, const SparingRequest& request, const Record& record,
                     ChosenBaseline& baseline) {
  std::set<std::string> needing;
  for (const PlannedCase& planned : request.plan.cases)
    if (const auto look = known.results.find(planned.id);
        look != known.results.end() && needs_build(look->second, planned))
      needing.insert(planned.id);
  if (needing.empty()) return;
  if (const Result<Record>& found = baseline.of(record)) {
    const Record looked = with_looks(record, known);
    const Proofs proofs = proofs_of(*found, looked);
    const std::set<std::string> unsettled = gated_beyond_proof(proofs, *found, looked, request.plan);
    std::erase_if(needing, [&](const std::string& id) {
      return proofs.of_one_build.contains(id) && !unsettled.contains(id);
    });
  }
  for (const std::string& id : needing) known.results.erase(id);
}

// Looks at the cases of which no record of this build knows enough.
Result<Looks> look_at_unknown(const SparingRequest& request, Record& record, ChosenBaseline& baseline) {
  const auto begin = std::chrono::steady_clock::now();
  const InterruptGuard guard;
  auto results = known_looks(request.store, record, request.build, request.plan, request.prepared);
  if (InterruptGuard::interrupted()) return Looks{.interrupted = true};
  if (!results) return fail(results.error());
  Looks known{std::move(*results)};
  forget_unproven(known, request, record, baseline);
  Plan rest = request.plan;
  std::erase_if(rest.cases, [&](const PlannedCase& one) { return known.results.contains(one.id); });
  Result<Looks> looks = Looks{};
  if (runnable(rest) > 0) looks = look_at(request.store, record, rest, request.prepared, request.quiet);
  if (!looks) return looks;
  looks->results.merge(known.results);
  looks->interrupted |= InterruptGuard::interrupted();
  looks->took = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return looks;
}

// How this build differs from that of the baseline; empty if a case of it is of this build.
std::string other_build(const Record& baseline, const BuildParts& build) {
  std::string differs;
  for (const CaseRecord& one : baseline.cases) {
    const BuildParts known = build_of(baseline, one);
    if (known == build) return "";
    if (differs.empty()) differs = report::build_words(known, build);
  }
  return differs;
}

// How many of the spared cases were not run.
std::size_t known_among(const Looks& looks, const std::set<std::string>& spared) {
  return static_cast<std::size_t>(std::count_if(spared.begin(), spared.end(), [&](const std::string& id) {
    const auto look = looks.results.find(id);
    return look != looks.results.end() && look->second.result.identity &&
           !look->second.result.identity->same_build.empty();
  }));
}

}  // namespace

Result<SparedCases> spare_identical(const SparingRequest& request, Record& record) {
  ChosenBaseline chosen(request);
  Result<Looks> looks = look_at_unknown(request, record, chosen);
  if (!looks) return fail(looks.error());
  if (looks->interrupted) return SparedCases{{}, true, {}};
  // A continued run may hold looks already.
  const Record looked_at = with_looks(record, *looks);
  if (std::none_of(looked_at.cases.begin(), looked_at.cases.end(), was_looked_at)) return SparedCases{};
  const Result<Record>& baseline = chosen.of(record);
  if (!baseline) return SparedCases{};
  for (const auto look_once_more : {look_with_its_choices, look_again_at_words}) {
    if (Status looked = look_once_more(request, record, *baseline, *looks); !looked)
      return fail(looked.error());
    if (looks->interrupted) return SparedCases{{}, true, {}};
  }
  const Record looked = with_looks(record, *looks);
  const Proofs proofs = proofs_of(*baseline, looked);
  SparedCases spared{proofs.proven, false, proofs.gaps};
  for (const std::string& id : gated_beyond_proof(proofs, *baseline, looked, request.plan))
    spared.ids.erase(id);
  RecordKeeper keeper(request.store, record);
  if (const Status kept = put_spared(keeper, *looks, spared.ids, request.plan); !kept)
    return fail(kept.error());
  if (const Status written = keeper.write_late(); !written) return fail(written.error());
  fmt::print(stderr, "{}\n",
             report::look_words(proofs, spared.ids.size(), runnable(request.plan), looks->took,
                                known_among(*looks, spared.ids)));
  if (const std::string differs = other_build(*baseline, request.build); !differs.empty())
    fmt::print(stderr, "  {}\n", differs);
  return spared;
}

std::size_t runnable(const Plan& plan) {
  return static_cast<std::size_t>(
      std::count_if(plan.cases.begin(), plan.cases.end(), [](const PlannedCase& one) { return !one.skip; }));
}

}  // namespace harness
