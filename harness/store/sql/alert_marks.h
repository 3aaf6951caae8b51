// Marks of alerts: what somebody found out about a record. A mark is a name of the record that nobody can
// give otherwise, so `records prune` spares it and a role that may name records may mark them.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "harness/base/result.h"
#include "harness/model/alerts/alert_rates.h"
#include "harness/store/store.h"

namespace harness {

// The mark that a name is; none where somebody chose the name.
std::optional<AlertMark> mark_in(const RecordName& name);

// By record.
std::map<std::string, AlertMark> marks_in(const std::vector<RecordName>& names);

// Replaces the mark of a record in the store at `url`; none: takes it back.
Status set_mark(const std::string& url, const std::string& record, std::optional<AlertMark> mark);

}  // namespace harness
