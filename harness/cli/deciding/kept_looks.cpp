#include "harness/cli/deciding/kept_looks.h"

#include <utility>

namespace harness {

void keep_look(Looks& looks, EncodedResult result) {
  if (result.result.outcome != Outcome::looked_at || !result.result.identity) return;
  const std::string id = result.result.case_id;
  looks.results.insert_or_assign(id, std::move(result));
}

Record with_looks(Record record, const Looks& looks) {
  for (CaseRecord& one : record.cases)
    if (const auto found = looks.results.find(one.id); found != looks.results.end())
      add_result(one, found->second.result);
  return record;
}

}  // namespace harness
