#include "harness/store/farm/farm_store.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "harness/base/text.h"
#include "harness/store/sql/database.h"
#include "harness/store/sql/result_writer.h"
#include "harness/store/sql/schema.h"

namespace harness {
namespace {

// A record of several devices names them all, as a run does that takes turns on them.
std::string both_of(const std::string& one, const std::string& other) {
  std::set<std::string> uuids;
  for (const std::string* text : {&one, &other})
    for (const std::string& uuid : split(*text, '+'))
      if (!uuid.empty()) uuids.insert(uuid);
  return join(std::vector<std::string>(uuids.begin(), uuids.end()), "+");
}

// Whether `known` has become another one.
bool add_machine(std::map<std::string, Machine>& known, const std::string& kind, const Machine& machine) {
  const auto [place, added] = known.emplace(kind, machine);
  if (added) return true;
  Machine merged = machine;
  merged.device_uuid = both_of(place->second.device_uuid, machine.device_uuid);
  for (const auto& [name, value] : place->second.ceilings)
    merged.ceilings[name] = std::max(merged.ceilings[name], value);
  if (merged == place->second) return false;
  place->second = std::move(merged);
  return true;
}

class SqlFarmStore final : public FarmStore {
 public:
  explicit SqlFarmStore(std::unique_ptr<Database> database)
      : database_(std::move(database)), sql_(database_->sql()), now_(database_->now()) {}

  Status plan(const StoredCampaign& campaign, std::span<const FarmTask> tasks) override {
    return database_->write([&]() -> Status {
      sql_ << "INSERT INTO campaigns (id, sequence, created, content) SELECT :id, COALESCE(MAX(sequence), 0) "
              "+ 1, :created, :content FROM campaigns",
          soci::use(campaign.id), soci::use(campaign.created), soci::use(campaign.content);
      FarmTask row;
      soci::statement insert =
          (sql_.prepare << "INSERT INTO tasks (campaign, number, suite, first_case, case_count, results, "
                           "holder, taken, expires, done) VALUES (:campaign, :number, :suite, :first, "
                           ":cases, :results, '', 0, 0, 0)",
           soci::use(campaign.id), soci::use(row.number), soci::use(row.suite), soci::use(row.first),
           soci::use(row.cases), soci::use(row.results));
      for (const FarmTask& task : tasks) {
        row = task;
        insert.execute(true);
      }
      return {};
    });
  }

  Result<StoredCampaign> find(const std::string& id) override {
    StoredCampaign campaign;
    const Status read = database_->read([&]() -> Status {
      sql_ << fmt::format(
          "SELECT id, created, content FROM campaigns WHERE SUBSTR(id, 1, {}) = :id ORDER BY sequence DESC "
          "LIMIT 1",
          id.size()),
          soci::use(id), soci::into(campaign.id), soci::into(campaign.created), soci::into(campaign.content);
      if (sql_.got_data()) return {};
      return fail(ErrorKind::missing,
                  id.empty() ? fmt::format("there is no campaign in {}", database_->name())
                             : fmt::format("no campaign {} in {}", printable(id), database_->name()),
                  "`harness farm plan SUITE` makes one; name its store with --store");
    });
    if (!read) return fail(read.error());
    return campaign;
  }

  Result<std::vector<FarmTask>> tasks(const std::string& campaign) override {
    std::vector<FarmTask> found;
    const Status read = database_->read([&]() -> Status {
      found.clear();
      FarmTask row;
      int done = 0;
      soci::statement select =
          (sql_.prepare
               << "SELECT number, suite, first_case, case_count, results, holder, taken, expires - " + now_ +
                      ", done FROM tasks WHERE campaign = :campaign ORDER BY number",
           soci::use(campaign), soci::into(row.number), soci::into(row.suite), soci::into(row.first),
           soci::into(row.cases), soci::into(row.results), soci::into(row.holder), soci::into(row.taken),
           soci::into(row.lease), soci::into(done));
      select.execute();
      while (select.fetch()) {
        row.done = done != 0;
        found.push_back(row);
      }
      return {};
    });
    if (!read) return fail(read.error());
    return found;
  }

  Result<std::optional<FarmTask>> take(const std::string& campaign, const std::string& holder,
                                       Seconds lease) override {
    std::optional<FarmTask> taken;
    const Status done = database_->write([&]() -> Status {
      taken.reset();
      FarmTask row;
      sql_ << "SELECT number, suite, first_case, case_count, results, taken FROM tasks WHERE campaign = "
              ":campaign AND done = 0 AND expires <= " +
                  now_ + " ORDER BY number LIMIT 1" + database_->skip_locked(),
          soci::use(campaign), soci::into(row.number), soci::into(row.suite), soci::into(row.first),
          soci::into(row.cases), soci::into(row.results), soci::into(row.taken);
      if (!sql_.got_data()) return {};
      row.holder = holder;
      row.lease = lease;
      ++row.taken;
      sql_ << "UPDATE tasks SET holder = :holder, taken = :taken, expires = " + now_ +
                  " + :lease WHERE campaign = :campaign AND number = :number",
          soci::use(row.holder), soci::use(row.taken), soci::use(row.lease), soci::use(campaign),
          soci::use(row.number);
      taken = row;
      return {};
    });
    if (!done) return fail(done.error());
    return taken;
  }

  Result<bool> renew(const std::string& campaign, int number, const std::string& holder,
                     Seconds lease) override {
    return update("expires = " + now_ + " + :lease", lease, campaign, number, holder);
  }

  Status release(const std::string& campaign, int number, const std::string& holder) override {
    const Result<bool> released = update("expires = :lease", 0, campaign, number, holder);
    return released ? Status() : fail(released.error());
  }

  Result<bool> complete(const MeasuredTask& task) override {
    bool first = false;
    const Status kept = database_->write([&]() -> Status {
      soci::statement finish =
          (sql_.prepare << "UPDATE tasks SET done = 1, holder = :holder, expires = 0 WHERE campaign = "
                           ":campaign AND number = :number AND done = 0",
           soci::use(task.holder), soci::use(task.campaign), soci::use(task.number));
      finish.execute(true);
      first = finish.get_affected_rows() > 0;
      if (!first) return {};
      ResultWriter writer(*database_);
      for (const MeasuredSide& side : task.sides) {
        if (const Status known = add_machines(side); !known) return known;
        for (const EncodedResult& result : side.results)
          if (const Status put = writer.put(side.record, result); !put) return put;
      }
      return {};
    });
    if (!kept) return fail(kept.error());
    database_->flush();
    return first;
  }

 private:
  // `change` of the holder's task, where it is not done. False: it is not the holder's.
  Result<bool> update(const std::string& change, Seconds lease, const std::string& campaign, int number,
                      const std::string& holder) {
    bool changed = false;
    const Status done = database_->write([&]() -> Status {
      soci::statement update = (sql_.prepare << "UPDATE tasks SET " + change +
                                                    " WHERE campaign = :campaign AND number = :number AND "
                                                    "holder = :holder AND done = 0",
                                soci::use(lease), soci::use(campaign), soci::use(number), soci::use(holder));
      update.execute(true);
      changed = update.get_affected_rows() > 0;
      return {};
    });
    if (!done) return fail(done.error());
    return changed;
  }

  // Adds the machines of a task to its record.
  Status add_machines(const MeasuredSide& side) {
    // Until the end of the transaction no other element changes the header.
    sql_ << "UPDATE runs SET state = state WHERE id = :id", soci::use(side.record);
    std::string text;
    sql_ << "SELECT header FROM runs WHERE id = :id", soci::use(side.record), soci::into(text);
    if (!sql_.got_data())
      return fail(ErrorKind::missing,
                  fmt::format("no record {} in {}", printable(side.record), database_->name()),
                  "the record of this campaign was deleted; plan another one");
    Result<Record> header = decode_header(text, "record " + side.record);
    if (!header) return fail(header.error());
    bool changed = false;
    for (const auto& [kind, machine] : side.machines) changed |= add_machine(header->machines, kind, machine);
    if (!changed) return {};
    text = encode_header(*header);
    sql_ << "UPDATE runs SET header = :header WHERE id = :id", soci::use(text), soci::use(side.record);
    return {};
  }

  std::unique_ptr<Database> database_;
  soci::session& sql_;
  const std::string now_;  // in SQL
};

}  // namespace

Result<std::unique_ptr<FarmStore>> FarmStore::open(const std::string& url) {
  Result<std::unique_ptr<Database>> database = Database::open(url, false);
  if (!database) return fail(database.error());
  if (const Status ready = prepare_schema(**database, SchemaChange::yes); !ready) return fail(ready.error());
  return std::make_unique<SqlFarmStore>(std::move(*database));
}

}  // namespace harness
