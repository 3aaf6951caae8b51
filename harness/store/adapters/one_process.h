// The common parts of the adapters: the cases of one process, and how a JSON text is read into them.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "harness/base/result.h"
#include "harness/model/record.h"
#include "harness/schema/json_reader.h"

namespace harness {

// Errors of a text, of which a reader sees the first 50 and the number of the others.
class SampleErrors {
 public:
  void add(Error error);
  [[nodiscard]] const std::vector<Error>& errors() const { return errors_; }
  // Errors that end with how many more there are, in `file`.
  std::vector<Error> take(const std::string& file) &&;

 private:
  std::vector<Error> errors_;
  std::size_t more_ = 0;
};

// All metrics are lower-is-better.
class OneProcess {
 public:
  // Adds a placement to a series; the case and the series are made where they are new.
  void add(const std::string& id, std::string_view metric, std::string_view unit, Placement placement);
  // Adds a sample to the last placement of a series.
  void append(const std::string& id, std::string_view metric, std::string_view unit, double sample);
  [[nodiscard]] bool has(const std::string& id) const { return index_.contains(id); }

  Machine machine;

  // An error if there are no samples.
  Checked<Record> finish(const std::string& file) &&;

 private:
  Series& series(const std::string& id, std::string_view metric, std::string_view unit);

  std::vector<CaseRecord> cases_;
  std::unordered_map<std::string, std::size_t> index_;
};

// Adds what a document holds, or records its problem.
using TakeJson = std::function<void(const JsonNode& root, OneProcess& process)>;

// One JSON document; or one a line, blank lines aside.
Checked<Record> read_json(std::string_view text, const std::string& file, const TakeJson& take);
Checked<Record> read_json_lines(std::string_view text, const std::string& file, const TakeJson& take,
                                const std::function<void(OneProcess&)>& at_the_end = {});

// Calls `read(line, number)` for each line, numbers from 1.
void each_line(std::string_view text, const std::function<void(std::string_view, int)>& read);

// Whether a text begins with `open`, "{" or "[{" white space aside, and has all keys in its first 64 KiB.
bool begins_as_json(std::string_view text, std::string_view open,
                    std::initializer_list<std::string_view> keys);

// Numbers above 0, as times are. Another number is a problem, and so is an empty array.
double time_above_zero(const JsonNode& node);
std::vector<double> times_above_zero(const JsonNode& array);

// A text that names a case of which the process has none yet.
std::string new_case_name(const JsonNode& node, const OneProcess& process, const std::string& advice);

// Members of an object as information on the machine.
void add_fields(Machine& machine, const JsonNode& object, std::initializer_list<std::string_view> names);

}  // namespace harness
