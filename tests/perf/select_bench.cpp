// links: harness_store
// Choosing the baseline of a suite in a long history. Budget, in a Release build: 1 s for 10,000 cases of 20
// processes in 1,000 commits, besides reading the samples of what was chosen; samples are left out here.
#include <benchmark/benchmark.h>
#include <fmt/format.h>
#include <soci/soci.h>
#include <soci/sqlite3/soci-sqlite3.h>

#include "harness/base/files.h"
#include "harness/store/baseline/candidate_cases.h"
#include "harness/store/baseline/eligible.h"
#include "tests/model/example_record.h"

namespace harness {
namespace {

// Runs of one commit each, the newest first; each case was measured or, in all but the oldest, looked at.
struct Long {
  Long(int cases, int runs, bool looked) {
    const std::string path = (folder.path() / "results.db").string();
    store = std::move(*Store::open(path));
    Record record = example_record();
    const CaseRecord one = planned_only(record.cases[0]);
    record.cases.assign(static_cast<std::size_t>(cases), one);
    for (int i = 0; i < cases; ++i) record.cases[static_cast<std::size_t>(i)].id = fmt::format("case/{}", i);
    record.id = "0";
    if (!store->put_record(record)) throw std::runtime_error("cannot store");
    soci::session sql(soci::sqlite3, "dbname=" + path);
    sql << "UPDATE cases SET measured = 20, needed = 20, digest = 'd', verdict = 'unchanged'";
    for (int run = 1; run < runs; ++run) {
      const std::string id = std::to_string(run);
      sql << "INSERT INTO runs SELECT :id, sequence + :n, suite, suite_hash, revision, branch, dirty, "
             "changes, partial, machine_class, device_uuid, started, finished, state, 'unchanged', header, "
             "calibration, side "
             "FROM runs WHERE id = '0'",
          soci::use(id), soci::use(run);
      sql << "INSERT INTO cases (run, position, id, device, planned, needed, measured, failures, waived, "
             "sequence, digest, verdict) SELECT :id, position, id, device, '', needed, "
          << (looked ? "0" : "measured")
          << ", 0, 0, sequence + :n, digest, verdict FROM cases WHERE run = '0'",
          soci::use(id), soci::use(run);
    }
    RunQuery query;
    query.count_results = false;
    const auto listed = store->list(query);
    for (const RunInfo& run : *listed) candidates.all.push_back({run, 0});
    candidates.ancestors = candidates.all.size();
    bench = {record.machines, record.estimator};
  }

  static CaseRecord planned_only(CaseRecord one) {
    one.processes.clear();
    one.series.clear();
    one.outcome = Outcome::skipped;
    return one;
  }

  TemporaryFolder folder;
  std::unique_ptr<Store> store;
  Candidates candidates;
  Bench bench;
};

void choose(benchmark::State& state) {
  const Long history(static_cast<int>(state.range(0)), static_cast<int>(state.range(1)), state.range(2) != 0);
  const Passes nobody_judges;
  std::size_t found = 0, alike = 0;
  for (auto _ : state) {
    CandidateCases cases(*history.store, history.candidates.all);
    EligibleCases eligible(cases, history.candidates, history.bench, nobody_judges);
    std::vector<CaseDigest> digests;
    for (const auto& [id, one] : eligible.find()) digests.push_back({id, "d"});
    found = digests.size();
    alike = cases.alike(digests).size();
  }
  state.counters["found"] = static_cast<double>(found);
  state.counters["alike"] = static_cast<double>(alike);
}
BENCHMARK(choose)
    ->ArgNames({"cases", "runs", "looked"})
    ->Args({72, 100, 0})
    ->Args({72, 100, 1})
    ->Args({72, 1000, 0})
    ->Args({72, 1000, 1})
    ->Args({10000, 100, 0})
    ->Args({10000, 100, 1})
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace harness
