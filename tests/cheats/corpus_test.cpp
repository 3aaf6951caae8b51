// Every kernel of corpus.txt that runs on a CPU, as a run measures it: an exploit ends incorrect
// or failed, and an honest kernel is measured.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "harness/base/files.h"
#include "harness/base/text.h"
#include "harness/catalog/catalog.h"
#include "in_a_worker.h"

namespace harness {
namespace {

struct Row {
  std::string variant, device, kind, workload, timing;
  [[nodiscard]] bool is_honest() const { return kind == "honest"; }
};

void PrintTo(const Row& row, std::ostream* out) {
  *out << row.variant;
}

std::string without_marks(std::string_view cell) {
  std::string text(cell);
  std::erase(text, '`');
  const std::size_t first = text.find_first_not_of(' ');
  return first == std::string::npos ? "" : text.substr(first, text.find_last_not_of(' ') + 1 - first);
}

// | variant | device | kind | workload | timing | what it does |
std::vector<Row> all_rows() {
  std::vector<Row> rows;
  const Result<std::string> text = read_file(CORPUS_TABLE);
  if (!text) return rows;
  for (const std::string& line : split(*text, '\n')) {
    if (!line.starts_with("| `")) continue;
    const std::vector<std::string> cells = split(line, '|');
    if (cells.size() < 7) continue;
    rows.push_back({without_marks(cells[1]), without_marks(cells[2]), without_marks(cells[3]),
                    without_marks(cells[4]), without_marks(cells[5])});
  }
  return rows;
}

std::vector<Row> rows_of_cpu() {
  std::vector<Row> rows = all_rows();
  std::erase_if(rows, [](const Row& row) { return row.device != "CPU"; });
  return rows;
}

class Corpus : public testing::TestWithParam<Row>, protected InAWorker {};

TEST_P(Corpus, EndsAsTheTableSays) {
  const Row& row = GetParam();
  PlannedCase planned = planned_in_worker(row.workload, row.variant);
  if (row.timing != "events") {
    planned.sampling.timing = TimingMode::batch;
    planned.sampling.cache = row.timing == "hot batches" ? CacheMode::hot : CacheMode::rotate;
    planned.sampling.batch_nodes = {70, 140, 280};
  }
  const ProcessResult result = first_ended(planned);
  if (row.is_honest())
    EXPECT_EQ(result.outcome, Outcome::measured) << result.reason;
  else
    EXPECT_TRUE(result.outcome == Outcome::incorrect || result.outcome == Outcome::failed)
        << name_of(result.outcome);
}

INSTANTIATE_TEST_SUITE_P(, Corpus, testing::ValuesIn(rows_of_cpu()), [](const auto& one) {
  std::string name = one.param.variant + (one.param.timing == "events" ? "" : "_" + one.param.timing);
  std::replace(name.begin(), name.end(), ' ', '_');
  return name;
});

TEST(CorpusTable, NamesEveryKernelOfTheModule) {
  Catalog catalog;
  ASSERT_TRUE(catalog.load_module(CHEATS_PLUGIN));
  std::set<std::string> listed, built;
  for (const Row& row : rows_of_cpu()) listed.insert(row.variant);
  for (const char* workload : {"line", "below"})
    for (const std::string& name : catalog.variant_names(workload)) built.insert(name);
  EXPECT_EQ(listed, built);
}

TEST(CorpusTable, HasSixtyOfEach) {
  std::map<std::string, int> count;
  for (const Row& row : all_rows()) ++count[row.kind];
  EXPECT_GE(count["exploit"], 60);
  EXPECT_GE(count["honest"], 60);
}

}  // namespace
}  // namespace harness
