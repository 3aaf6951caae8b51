#include "harness/store/sql/result_writer.h"

#include <fmt/format.h>

#include "harness/base/text.h"
#include "harness/model/codec.h"

namespace harness {

ResultWriter::ResultWriter(Database& database)
    : database_(database),
      insert_((database.sql().prepare
                   << "INSERT INTO results (run, position, process, outcome, result) SELECT run, position, "
                      "CAST(:process AS INTEGER), :outcome, :result FROM cases WHERE run = :run AND id = "
                      ":case ON CONFLICT (run, position, process) DO UPDATE SET outcome = excluded.outcome, "
                      "result = excluded.result",
               soci::use(process_), soci::use(outcome_), soci::use(text_), soci::use(id_),
               soci::use(case_id_))),
      values_(database.sql()),
      counter_(database.sql()) {}

Status ResultWriter::put(const std::string& id, const EncodedResult& encoded) {
  const ProcessResult& result = encoded.result;
  text_ = encoded.text;
  if (text_.empty()) {  // a text that came from a worker was read already
    text_ = encode(result);
    if (const auto readable =
            decode_process_result(text_, "result of case `" + printable(result.case_id) + "`");
        !readable)
      return fail(readable.error());
  }
  id_ = id;
  case_id_ = column_text(result.case_id);
  outcome_ = name_of(result.outcome);
  process_ = result.process;
  insert_.execute(true);
  if (insert_.get_affected_rows() == 0)
    return fail(ErrorKind::missing, fmt::format("record {} in {} has no case `{}`", printable(id),
                                                database_.name(), printable(result.case_id)));
  values_.put(id, result);
  counter_.count(id, result);
  return {};
}

}  // namespace harness
