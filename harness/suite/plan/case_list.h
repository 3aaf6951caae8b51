// CaseList: the cases of a plan while it is made. It knows where in the suite each comes from, and so reports
// cases that come twice and references that lead nowhere.
#pragma once

#include <map>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "harness/suite/suite.h"
#include "harness/suite/yaml/errors.h"

namespace harness {

class CaseList {
 public:
  // A case with an id that is there already is left out and reported later. `reference`: as the suite names
  // it, or null; it outlives the list.
  void add(PlannedCase planned, const At<std::string>* reference, const Location& where);

  void report_duplicates(const std::string& file, ErrorList& errors) const;

  // A reference must be a case of the suite. The reference itself has none, as it would be compared with
  // itself.
  void resolve_references(ErrorList& errors);

  std::vector<PlannedCase> cases;  // in the order of the suite

 private:
  struct Origin {
    const At<std::string>* reference;
    int line;
  };
  struct Duplicate {
    std::string id;
    int first_line = 0;
    int count = 0;
  };

  [[nodiscard]] Error unknown_reference(const At<std::string>& written, const std::string& id,
                                        bool may_search) const;

  std::vector<Origin> origins_;  // of the cases, by index
  std::unordered_map<std::string, std::size_t> index_;
  std::map<std::pair<int, int>, Duplicate> duplicates_;  // by line and column
};

}  // namespace harness
