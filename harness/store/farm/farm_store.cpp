#include "harness/store/farm/farm_store.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/base/text.h"
#include "harness/store/farm/campaign_rows.h"
#include "harness/store/farm/record_machines.h"
#include "harness/store/farm/task_rows.h"
#include "harness/store/sql/database.h"
#include "harness/store/sql/result_writer.h"
#include "harness/store/sql/schema.h"
#include "harness/store/sql/stored_cases.h"

namespace harness {
namespace {

// Whether `uuids`, joined by "+", lack the device: SQL for LIKE.
std::string like_device(const std::string& device) {
  return "%+" + device + "+%";
}

class SqlFarmStore final : public FarmStore {
 public:
  explicit SqlFarmStore(std::unique_ptr<Database> database)
      : database_(std::move(database)), sql_(database_->sql()), now_(database_->now()) {}

  Status plan(const StoredCampaign& campaign, std::span<const FarmTask> tasks,
              const CampaignParts& parts) override {
    return database_->write([&]() -> Status {
      insert_campaign(*database_, campaign, parts);
      insert_tasks(sql_, now_, campaign.id, tasks);
      return {};
    });
  }

  Status check_rights(const std::string& campaign) override {
    return database_->read([&] { return check_campaign_rights(*database_, campaign); });
  }

  Result<std::vector<ListedCampaign>> list() override {
    std::vector<ListedCampaign> found;
    const Status read = database_->read([&]() -> Status {
      found = read_campaigns(*database_);
      return {};
    });
    if (!read) return fail(read.error());
    return found;
  }

  Result<std::vector<CampaignCase>> cases(const std::string& campaign, int suite, int first,
                                          int count) override {
    std::vector<CampaignCase> found;
    const Status read = database_->read([&]() -> Status {
      found = read_campaign_cases(*database_, campaign, suite, first, count);
      return {};
    });
    if (!read) return fail(read.error());
    return found;
  }

  Status cancel(const std::string& campaign) override {
    return database_->write([&]() -> Status {
      cancel_campaign(*database_, campaign);
      return {};
    });
  }

  Result<int> remove(const std::string& campaign) override {
    int removed = 0;
    const Status done = database_->write([&]() -> Status {
      removed = remove_campaign(*database_, campaign);
      return {};
    });
    if (!done) return fail(done.error());
    database_->shrink();
    return removed;
  }

  Result<StoredCampaign> find(const std::string& id) override {
    StoredCampaign campaign;
    const Status read = database_->read([&] { return read_campaign(*database_, id, campaign); });
    if (!read) return fail(read.error());
    return campaign;
  }

  Result<std::vector<FarmTask>> tasks(const std::string& campaign) override {
    return tasks_where("", campaign);
  }

  Result<std::vector<FarmTask>> open_tasks(const std::string& campaign) override {
    return tasks_where("AND done = 0 AND " + std::string(not_cancelled), campaign);
  }

  Result<std::optional<FarmTask>> take(const std::string& campaign, const Holder& holder,
                                       Seconds lease) override {
    std::optional<FarmTask> taken;
    const Seconds patience = leases_before_the_same_device * lease;
    const std::string device = like_device(holder.device);
    const std::string is_free =
        fmt::format("campaign = :campaign AND done = 0 AND expires <= {} AND {}", now_, not_cancelled);
    const std::string fits =
        fmt::format("(kind = 'judge' OR gpus BETWEEN {} AND {}) AND ({} <= 0 OR spent < {})",
                    std::min(holder.gpus, 1), holder.gpus, holder.time, holder.time);
    const std::string suits = fmt::format(
        "(avoids = '' OR '+' || avoids || '+' NOT LIKE :device OR added + :patience <= {})", now_);
    const std::string none_before =
        "NOT EXISTS (SELECT 1 FROM tasks one WHERE one.campaign = tasks.campaign AND one.done = 0 AND "
        "one.number < tasks.number)";
    const std::string all_verified = fmt::format(
        "NOT EXISTS (SELECT 1 FROM elements WHERE elements.campaign = tasks.campaign AND elements.verified = "
        "0 "
        "AND elements.sick = '' AND elements.expires > {})",
        now_);
    const std::string condition = fmt::format("{} AND {} AND {} AND (kind <> 'judge' OR ({} AND {}))",
                                              is_free, fits, suits, none_before, all_verified);
    const Status done = database_->write([&]() -> Status {
      taken.reset();
      TaskReader row;
      soci::statement select(sql_);
      row.bind(select);
      select.exchange(soci::use(campaign));
      select.exchange(soci::use(device));
      select.exchange(soci::use(patience));
      execute(select, fmt::format("SELECT {} FROM tasks WHERE {} ORDER BY number LIMIT 1{}", task_columns,
                                  condition, database_->skip_locked()));
      if (!select.fetch()) return {};
      FarmTask task = row.task();
      task.holder = holder.name;
      task.lease = lease;
      ++task.taken;
      sql_ << fmt::format(
          "UPDATE tasks SET holder = :holder, taken = :taken, expires = {0} + :lease, began = CASE WHEN "
          "began > 0 "
          "THEN began ELSE {0} END WHERE campaign = :campaign AND number = :number",
          now_),
          soci::use(task.holder), soci::use(task.taken), soci::use(task.lease), soci::use(campaign),
          soci::use(task.number);
      if (task.kind == TaskKind::measure)
        sql_ << fmt::format(
            "UPDATE elements SET verified = 0, expires = {} + :lease WHERE campaign = :campaign AND name = "
            ":name",
            now_),
            soci::use(lease), soci::use(campaign), soci::use(holder.name);
      if (task.kind == TaskKind::measure && task.spent <= 0 && task.cases < holder.cases) {
        int left = 0;
        sql_ << "SELECT COALESCE(SUM(case_count), 0) FROM tasks WHERE " + is_free, soci::use(campaign),
            soci::into(left);
        const int share = (left + task.cases) / std::max(holder.elements, 1);
        const int most = std::min(holder.cases, std::max(share, holder.least_cases));
        join_next_tasks(sql_, campaign, is_free, database_->skip_locked(), most, task);
      }
      taken = task;
      return {};
    });
    if (!done) return fail(done.error());
    return taken;
  }

  Result<bool> renew(const std::string& campaign, int number, const std::string& holder,
                     Seconds lease) override {
    return update("expires = " + now_ + " + :lease", lease, campaign, number, holder);
  }

  Result<int> free_tasks_of_device(const std::string& campaign, const Holder& holder) override {
    if (holder.device.empty()) return 0;  // it may be any device
    int freed = 0;
    const Status done = database_->write([&]() -> Status {
      const std::string dead = fmt::format(
          "SELECT tasks.holder FROM tasks JOIN elements ON elements.campaign = tasks.campaign AND "
          "elements.name = "
          "tasks.holder WHERE tasks.campaign = :campaign AND tasks.done = 0 AND tasks.expires > {} AND "
          "elements.device = :device AND tasks.holder <> :name",
          now_);
      for (const auto& [table, name] : {std::pair("elements", "name"), std::pair("tasks", "holder")}) {
        soci::statement free =
            (sql_.prepare << fmt::format(
                 "UPDATE {} SET expires = 0 WHERE campaign = :of AND expires > 0 AND {} IN ({})", table, name,
                 dead),
             soci::use(campaign, "of"), soci::use(campaign, "campaign"), soci::use(holder.device, "device"),
             soci::use(holder.name, "name"));
        free.execute(true);
        freed = static_cast<int>(free.get_affected_rows());
      }
      return {};
    });
    if (!done) return fail(done.error());
    return freed;
  }

  Status give_back(const std::string& campaign, int number, const std::string& holder, Seconds spent,
                   std::span<const FarmTask> parts) override {
    return database_->write([&]() -> Status {
      soci::statement free =
          (sql_.prepare << "UPDATE tasks SET expires = 0 WHERE campaign = :campaign AND number = :number AND "
                           "holder = :holder AND done = 0",
           soci::use(campaign), soci::use(number), soci::use(holder));
      free.execute(true);
      if (free.get_affected_rows() > 0) divide_task(sql_, now_, campaign, number, spent, parts);
      return {};
    });
  }

  Status release(const std::string& campaign, int number, const std::string& holder) override {
    const Result<bool> released = update("expires = :lease", 0, campaign, number, holder);
    return released ? Status() : fail(released.error());
  }

  Result<bool> complete(const MeasuredTask& task) override {
    bool first = false;
    const Status kept = database_->write([&]() -> Status {
      first = !is_sick(task.campaign, task.device);
      if (!first) return {};
      soci::statement finish =
          (sql_.prepare
               << "UPDATE tasks SET done = 1, holder = :holder, expires = 0, device = :device, seconds = "
                  ":seconds WHERE campaign = :campaign AND number = :number AND done = 0 AND " +
                      std::string(not_cancelled),
           soci::use(task.holder), soci::use(task.device), soci::use(task.seconds), soci::use(task.campaign),
           soci::use(task.number));
      finish.execute(true);
      first = finish.get_affected_rows() > 0;
      if (!first) return {};
      return put_results(task);
    });
    if (!kept) return fail(kept.error());
    database_->flush();
    return first;
  }

  Result<bool> complete_part(const MeasuredTask& part, int processes, const FarmTask& rest) override {
    bool mine = false;
    const Status kept = database_->write([&]() -> Status {
      mine = !is_sick(part.campaign, part.device);
      if (!mine) return {};
      soci::statement shrink =
          (sql_.prepare
               << "UPDATE tasks SET processes_before = :before, processes = :processes, results = "
                  ":results WHERE campaign = :campaign AND number = :number AND holder = :holder AND "
                  "done = 0 AND " +
                      std::string(not_cancelled),
           soci::use(rest.processes_before), soci::use(rest.processes), soci::use(rest.results),
           soci::use(part.campaign), soci::use(part.number), soci::use(part.holder));
      shrink.execute(true);
      mine = shrink.get_affected_rows() > 0;
      if (!mine) return {};
      append_done_part(sql_, now_, part, processes, rest);
      return put_results(part);
    });
    if (!kept) return fail(kept.error());
    database_->flush();
    return mine;
  }

  Result<bool> complete_judging(const std::string& campaign, int number,
                                std::span<const FarmTask> tasks) override {
    bool first = false;
    const Status kept = database_->write([&]() -> Status {
      soci::statement finish =
          (sql_.prepare
               << "UPDATE tasks SET done = 1, expires = 0 WHERE campaign = :campaign AND number = :number "
                  "AND "
                  "done = 0 AND kind = 'judge' AND NOT EXISTS (SELECT 1 FROM tasks one WHERE one.campaign = "
                  "tasks.campaign AND one.done = 0 AND one.number < tasks.number)",
           soci::use(campaign), soci::use(number));
      finish.execute(true);
      first = finish.get_affected_rows() > 0;
      if (first) append_tasks(sql_, now_, campaign, {tasks.begin(), tasks.end()});
      return {};
    });
    if (!kept) return fail(kept.error());
    return first;
  }

  Status remove_results(const std::string& record, std::span<const std::string> cases, int after,
                        int count) override {
    const int last = after + count;
    return database_->write([&]() -> Status {
      const std::map<std::string, int> places = positions_of(sql_, record);
      for (const std::string& one : cases) {
        const auto found = places.find(one);
        if (found == places.end()) continue;
        for (const char* table : {"process_values", "results"})
          sql_ << fmt::format(
              "DELETE FROM {} WHERE run = :run AND position = :position AND process > :after AND process <= "
              ":last",
              table),
              soci::use(record), soci::use(found->second), soci::use(after), soci::use(last);
        count_results(sql_, record, std::vector<int>{found->second});
      }
      return {};
    });
  }

  Result<bool> enlist(const std::string& campaign, const Holder& holder, bool verified,
                      Seconds lease) override {
    bool well = false;
    const Status done = database_->write([&]() -> Status {
      well = !is_sick(campaign, holder.device);
      if (!well) return {};
      const int is_verified = verified ? 1 : 0;
      sql_ << fmt::format(
          "INSERT INTO elements (campaign, name, device, expires, verified, sick) SELECT :campaign, :name, "
          ":device, {0} + CAST(:lease AS DOUBLE PRECISION), CAST(:verified AS INTEGER), '' WHERE 1 = 1 ON "
          "CONFLICT "
          "(campaign, name) DO UPDATE SET expires = excluded.expires, verified = excluded.verified",
          now_),
          soci::use(campaign), soci::use(holder.name), soci::use(holder.device), soci::use(lease),
          soci::use(is_verified);
      return {};
    });
    if (!done) return fail(done.error());
    return well;
  }

  Result<int> quarantine(const std::string& campaign, const Holder& holder, const std::string& why,
                         std::span<const std::string> records) override {
    int freed = 0;
    const Status done = database_->write([&]() -> Status {
      sql_ << "INSERT INTO elements (campaign, name, device, expires, verified, sick) VALUES (:campaign, "
              ":name, "
              ":device, 0, 0, :sick) ON CONFLICT (campaign, name) DO UPDATE SET sick = excluded.sick, "
              "expires = 0",
          soci::use(campaign), soci::use(holder.name), soci::use(holder.device), soci::use(why);
      sql_ << "DELETE FROM probes WHERE device = :device AND element = :name", soci::use(holder.device),
          soci::use(holder.name);
      soci::statement free =
          (sql_.prepare
               << "UPDATE tasks SET done = 0, expires = 0, device = '' WHERE campaign = :campaign AND "
                  "device = :device AND done = 1 AND kind = 'measure'",
           soci::use(campaign), soci::use(holder.device));
      free.execute(true);
      freed = static_cast<int>(free.get_affected_rows());
      if (freed == 0) return {};
      for (const std::string& record : records)
        if (const Status forgotten = forget_device(*database_, record, holder.device); !forgotten)
          return forgotten;
      judge_again(campaign);
      return {};
    });
    if (!done) return fail(done.error());
    return freed;
  }

  Status refuse(const std::string& campaign, const Holder& holder, const std::string& why) override {
    return database_->write([&]() -> Status {
      sql_ << "INSERT INTO elements (campaign, name, device, expires, verified, sick, refused) VALUES "
              "(:campaign, "
              ":name, :device, 0, 0, '', :refused) ON CONFLICT (campaign, name) DO UPDATE SET refused = "
              "excluded.refused, expires = 0",
          soci::use(campaign), soci::use(holder.name), soci::use(holder.device), soci::use(why);
      return {};
    });
  }

  Result<std::vector<StoredElement>> elements(const std::string& campaign) override {
    std::vector<StoredElement> found;
    const Status read = database_->read([&]() -> Status {
      found.clear();
      StoredElement row;
      int verified = 0;
      soci::statement select =
          (sql_.prepare << fmt::format(
               "SELECT name, device, verified, expires - {}, sick, refused FROM elements WHERE "
               "campaign = :campaign ORDER BY name",
               now_),
           soci::use(campaign), soci::into(row.holder.name), soci::into(row.holder.device),
           soci::into(verified), soci::into(row.lease), soci::into(row.sick), soci::into(row.refused));
      select.execute();
      while (select.fetch()) {
        row.verified = verified != 0;
        found.push_back(row);
      }
      return {};
    });
    if (!read) return fail(read.error());
    return found;
  }

  Result<Seconds> running_for(const std::string& campaign) override {
    Seconds running = 0;
    const Status read = database_->read([&]() -> Status {
      sql_ << fmt::format(
          "SELECT COALESCE(MAX({} - began), 0) FROM tasks WHERE campaign = :campaign AND began > 0", now_),
          soci::use(campaign), soci::into(running);
      return {};
    });
    if (!read) return fail(read.error());
    return running;
  }

  Result<std::vector<ProbeValue>> probes(const std::string& device) override {
    std::vector<ProbeValue> found;
    const Status read = database_->read([&]() -> Status {
      found.clear();
      ProbeValue row;
      soci::statement select =
          (sql_.prepare << "SELECT subject, log_value FROM probes WHERE device = :device ORDER BY measured",
           soci::use(device), soci::into(row.subject), soci::into(row.log_value));
      select.execute();
      while (select.fetch()) found.push_back(row);
      return {};
    });
    if (!read) return fail(read.error());
    return found;
  }

  Status keep_probes(const Holder& holder, std::span<const ProbeValue> values) override {
    return database_->write([&]() -> Status {
      for (const ProbeValue& one : values)
        sql_ << fmt::format(
            "INSERT INTO probes (device, subject, element, log_value, measured) SELECT :device, :subject, "
            ":element, "
            "CAST(:value AS DOUBLE PRECISION), {} WHERE 1 = 1 ON CONFLICT (device, subject, element) DO "
            "UPDATE SET "
            "log_value = excluded.log_value",
            now_),
            soci::use(holder.device), soci::use(one.subject), soci::use(holder.name),
            soci::use(one.log_value);
      return {};
    });
  }

 private:
  static constexpr double leases_before_the_same_device = 3;
  static constexpr const char* not_cancelled =
      "NOT EXISTS (SELECT 1 FROM campaigns WHERE id = tasks.campaign AND cancelled = 1)";

  // A statement whose values are bound.
  static void execute(soci::statement& statement, const std::string& text) {
    statement.alloc();
    statement.prepare(text);
    statement.define_and_bind();
    statement.execute();
  }

  Result<std::vector<FarmTask>> tasks_where(const std::string& condition, const std::string& campaign) {
    std::vector<FarmTask> found;
    const Status read = database_->read([&]() -> Status {
      found.clear();
      TaskReader row;
      Seconds lease = 0;
      soci::statement select(sql_);
      row.bind(select);
      select.exchange(soci::into(lease));
      select.exchange(soci::use(campaign));
      execute(select, fmt::format("SELECT {}, expires - {} FROM tasks WHERE campaign = :campaign AND (kind = "
                                  "'judge' OR case_count > 0) {} ORDER BY number",
                                  task_columns, now_, condition));
      while (select.fetch()) {
        found.push_back(row.task());
        found.back().lease = lease;
      }
      return {};
    });
    if (!read) return fail(read.error());
    return found;
  }

  Status put_results(const MeasuredTask& task) {
    ResultWriter writer(*database_);
    for (const MeasuredSide& side : task.sides) {
      if (Status known = add_machines(*database_, side); !known) return known;
      if (Status put = writer.put(side.record, side.results); !put) return put;
    }
    return {};
  }

  // Tasks are open again that a verdict was based on.
  void judge_again(const std::string& campaign) {
    int judged = 0, open = 0;
    sql_ << "SELECT COUNT(*), COALESCE(SUM(1 - done), 0) FROM tasks WHERE campaign = :campaign AND kind = "
            "'judge'",
        soci::use(campaign), soci::into(judged), soci::into(open);
    if (judged > 0 && open == 0) append_tasks(sql_, now_, campaign, {FarmTask{.kind = TaskKind::judge}});
  }

  bool is_sick(const std::string& campaign, const std::string& device) {
    int sick = 0;
    sql_ << "SELECT COUNT(*) FROM elements WHERE campaign = :campaign AND device = :device AND sick <> ''",
        soci::use(campaign), soci::use(device), soci::into(sick);
    return sick > 0;
  }

  // `change` of the holder's task, where it is not done. False: it is not the holder's.
  Result<bool> update(const std::string& change, Seconds lease, const std::string& campaign, int number,
                      const std::string& holder) {
    bool changed = false;
    const Status done = database_->write([&]() -> Status {
      soci::statement update = (sql_.prepare << "UPDATE tasks SET " + change +
                                                    " WHERE campaign = :campaign AND number = :number AND "
                                                    "holder = :holder AND done = 0 AND " +
                                                    not_cancelled,
                                soci::use(lease), soci::use(campaign), soci::use(number), soci::use(holder));
      update.execute(true);
      changed = update.get_affected_rows() > 0;
      return {};
    });
    if (!done) return fail(done.error());
    return changed;
  }

  std::unique_ptr<Database> database_;
  soci::session& sql_;
  const std::string now_;  // in SQL
};

}  // namespace

Result<std::unique_ptr<FarmStore>> FarmStore::open(const std::string& url) {
  Result<std::unique_ptr<Database>> database = Database::open(url, false);
  if (!database) return fail(database.error());
  if (const Status ready = prepare_schema(**database, NoSchema::is_created); !ready)
    return fail(ready.error());
  return std::make_unique<SqlFarmStore>(std::move(*database));
}

}  // namespace harness
