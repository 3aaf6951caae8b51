// RecordList: the records of a store, as `harness records list` shows them. Plain data.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace harness {

struct ListedRecord {
  std::string id;
  std::vector<std::string> names;  // that were given to it, without the `@`
  std::string suite;
  std::string commit;
  std::string branch;
  bool dirty = false;
  std::string machine_class;
  std::string started;  // UTC
  std::string state;    // by name: "complete"
  std::string verdict;  // by name; "": never judged
  std::string mark;     // of its alert, by name: "true"; "": nobody marked it
  std::string purpose;  // "calibration", "ab" or "": for a comparison
  bool partial = false;
  std::size_t results = 0;
  std::size_t failures = 0;
};

struct RecordList {
  std::string store;                  // where
  std::vector<ListedRecord> records;  // newest first
  std::size_t more = 0;               // older ones, which are not shown
};

}  // namespace harness
