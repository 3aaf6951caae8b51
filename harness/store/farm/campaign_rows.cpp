#include "harness/store/farm/campaign_rows.h"

#include <fmt/format.h>

#include <array>

#include "harness/base/text.h"
#include "harness/store/sql/row_batch.h"

namespace harness {
namespace {

struct CampaignRecordRow {
  std::string campaign, run;
};

struct CampaignCaseRow {
  std::string campaign, content;
  int suite = 0, place = 0;
  Seconds seconds = 0;
};

void bind_case(soci::statement& insert, CampaignCaseRow& row) {
  insert.exchange(soci::use(row.campaign));
  insert.exchange(soci::use(row.suite));
  insert.exchange(soci::use(row.place));
  insert.exchange(soci::use(row.content));
  insert.exchange(soci::use(row.seconds));
}

// The rights that planners and elements need.
constexpr std::array campaign_rights{
    Right{"runs", "INSERT"},          Right{"cases", "INSERT"},          Right{"results", "INSERT"},
    Right{"results", "UPDATE"},       Right{"process_values", "INSERT"}, Right{"campaigns", "INSERT"},
    Right{"tasks", "INSERT"},         Right{"tasks", "UPDATE"},          Right{"elements", "INSERT"},
    Right{"elements", "UPDATE"},      Right{"probes", "INSERT"},         Right{"campaign_records", "INSERT"},
    Right{"campaign_cases", "INSERT"}};

}  // namespace

void insert_campaign(Database& database, const StoredCampaign& campaign, const CampaignParts& parts) {
  soci::session& sql = database.sql();
  sql << fmt::format(
      "INSERT INTO campaigns (id, sequence, created, content, owner, repository, role) SELECT :id, "
      "COALESCE(MAX(sequence), 0) + 1, :created, :content, :owner, :repository, {} FROM campaigns",
      database.role()),
      soci::use(campaign.id), soci::use(campaign.created), soci::use(campaign.content),
      soci::use(campaign.owner), soci::use(campaign.repository);
  std::vector<CampaignRecordRow> records;
  for (const std::string& run : parts.records) records.push_back({campaign.id, run});
  insert_rows<CampaignRecordRow>(sql, "campaign_records (campaign, run)", 2, "", records,
                                 [](soci::statement& insert, CampaignRecordRow& row) {
                                   insert.exchange(soci::use(row.campaign));
                                   insert.exchange(soci::use(row.run));
                                 });
  RowInserter<CampaignCaseRow, decltype(&bind_case)> cases(
      sql, "campaign_cases (campaign, suite, place, content, seconds)", 5, "", bind_case);
  for (const CampaignCase& one : parts.cases)
    cases.add({campaign.id, one.content, one.suite, one.place, one.seconds});
  cases.finish();
}

Status read_campaign(Database& database, const std::string& id, StoredCampaign& campaign) {
  int cancelled = 0;
  soci::session& sql = database.sql();
  sql << fmt::format(
      "SELECT id, created, content, owner, repository, cancelled FROM campaigns WHERE SUBSTR(id, 1, {}) = "
      ":id "
      "ORDER BY sequence DESC LIMIT 1",
      id.size()),
      soci::use(id), soci::into(campaign.id), soci::into(campaign.created), soci::into(campaign.content),
      soci::into(campaign.owner), soci::into(campaign.repository), soci::into(cancelled);
  campaign.cancelled = cancelled != 0;
  if (sql.got_data()) return {};
  return fail(
      ErrorKind::missing,
      id.empty() ? fmt::format("there is no campaign in {}", database.name())
                 : fmt::format("no campaign {} in {}", printable(id), database.name()),
      "`harness farm list` tells which there are, and `harness farm plan SUITE` makes one; name their "
      "store with --store");
}

std::vector<ListedCampaign> read_campaigns(Database& database) {
  std::vector<ListedCampaign> found;
  ListedCampaign row;
  int cancelled = 0;
  soci::statement select =
      (database.sql().prepare << fmt::format(
           "SELECT c.id, c.created, c.owner, c.repository, c.cancelled, COUNT(t.number), "
           "CAST(COALESCE(SUM(CASE "
           "WHEN t.done = 1 THEN 1 ELSE 0 END), 0) AS INTEGER), CAST(COALESCE(SUM(CASE WHEN t.done = 0 AND "
           "t.expires > {} THEN 1 ELSE 0 END), 0) AS INTEGER) FROM campaigns c LEFT JOIN tasks t ON "
           "t.campaign "
           "= c.id AND t.kind = 'measure' AND t.case_count > 0 GROUP BY c.id, c.created, c.owner, "
           "c.repository, c.cancelled, "
           "c.sequence ORDER BY c.sequence DESC",
           database.now()),
       soci::into(row.id), soci::into(row.created), soci::into(row.owner), soci::into(row.repository),
       soci::into(cancelled), soci::into(row.tasks), soci::into(row.done), soci::into(row.leased));
  select.execute();
  while (select.fetch()) {
    row.cancelled = cancelled != 0;
    found.push_back(row);
  }
  return found;
}

std::vector<CampaignCase> read_campaign_cases(Database& database, const std::string& campaign, int suite,
                                              int first, int count) {
  std::vector<CampaignCase> found;
  CampaignCase row;
  const int end = first + count;
  soci::statement select =
      (database.sql().prepare << "SELECT suite, place, content, seconds FROM campaign_cases WHERE campaign = "
                                 ":campaign AND suite = :suite AND place >= :first AND place < :end ORDER BY "
                                 "place",
       soci::use(campaign), soci::use(suite), soci::use(first), soci::use(end), soci::into(row.suite),
       soci::into(row.place), soci::into(row.content), soci::into(row.seconds));
  select.execute();
  while (select.fetch()) found.push_back(row);
  return found;
}

void cancel_campaign(Database& database, const std::string& campaign) {
  soci::session& sql = database.sql();
  sql << "UPDATE campaigns SET cancelled = 1 WHERE id = :id", soci::use(campaign);
  sql << "UPDATE tasks SET expires = 0 WHERE campaign = :id AND done = 0", soci::use(campaign);
  sql << "UPDATE runs SET state = 'interrupted' WHERE state = 'farmed' AND id IN (SELECT run FROM "
         "campaign_records WHERE campaign = :id)",
      soci::use(campaign);
}

int remove_campaign(Database& database, const std::string& campaign) {
  soci::session& sql = database.sql();
  const std::string records =
      "(SELECT id FROM runs WHERE state <> 'complete' AND id IN (SELECT run FROM campaign_records WHERE "
      "campaign "
      "= :id))";
  for (const char* table : {"record_names", "process_values", "results", "cases"})
    sql << fmt::format("DELETE FROM {} WHERE run IN {}", table, records), soci::use(campaign);
  soci::statement runs = (sql.prepare << "DELETE FROM runs WHERE id IN " + records, soci::use(campaign));
  runs.execute(true);
  const int removed = static_cast<int>(runs.get_affected_rows());
  for (const char* table : {"campaign_cases", "campaign_records", "elements", "tasks"})
    sql << fmt::format("DELETE FROM {} WHERE campaign = :id", table), soci::use(campaign);
  sql << "DELETE FROM campaigns WHERE id = :id", soci::use(campaign);
  return removed;
}

Status check_campaign_rights(Database& database, const std::string& campaign) {
  for (const Right& right : campaign_rights)
    if (!database.may(right))
      return fail(ErrorKind::usage,
                  fmt::format("{}: the user's role lacks the right {} on {}, which a campaign needs",
                              database.name(), right.privilege, right.table),
                  "measure as a role that has `harness_insert`; the owner runs share/harness/roles.sql of an "
                  "installation again where the program is newer");
  if (campaign.empty()) return {};
  std::string role;
  int own = 0;
  database.sql() << fmt::format("SELECT role, CASE WHEN {} THEN 1 ELSE 0 END FROM campaigns WHERE id = :id",
                                database.is_role("role")),
      soci::use(campaign), soci::into(role), soci::into(own);
  if (own != 0 || database.may({"record_names", "DELETE"})) return {};
  return fail(ErrorKind::usage,
              fmt::format("{}: the campaign was planned by the role {}, and this user is no member of it",
                          database.name(), role.empty() ? "of an older program" : printable(role)),
              "measure as that role, or as one that has `harness_promote`");
}

}  // namespace harness
