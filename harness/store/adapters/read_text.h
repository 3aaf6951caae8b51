// How adapters read the text of a file: JSON, lines, times.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/result.h"
#include "harness/schema/json_reader.h"
#include "harness/store/adapters/tool_file.h"

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

// Adds what a document holds, or records its problem.
using TakeJson = std::function<void(const JsonNode& root, ToolFile& read)>;

// One JSON document; or one a line, blank lines aside. NaN and Infinity are numbers.
Checked<ToolFile> read_json(std::string_view text, const std::string& file, const TakeJson& take);
Checked<ToolFile> read_json_lines(std::string_view text, const std::string& file, const TakeJson& take,
                                  const std::function<void(ToolFile&)>& at_the_end = {});

// `read`, or an error where it has no case. `advice` says how the tool leaves samples in its file.
Checked<ToolFile> with_cases(ToolFile read, const std::string& file, const std::string& advice = {});

// Calls `read(line, number)` for each line, numbers from 1.
void each_line(std::string_view text, const std::function<void(std::string_view, int)>& read);

// As much of a text as tells its format.
constexpr std::string_view beginning_of(std::string_view text) {
  return text.substr(0, std::size_t{64} << 10);
}

// Whether a text begins with `open`, "{" or "[{" white space aside, and has all keys in its first 64 KiB.
bool begins_as_json(std::string_view text, std::string_view open,
                    std::initializer_list<std::string_view> keys);

// The times that an array holds, of one unit. Text, negative numbers and an empty array are problems of the
// file. A time of 0, NaN or Infinity ends the case as failed: then nothing is returned.
std::vector<double> times_of(const JsonNode& array, CaseRecord& one, const std::string& advice_if_zero = {});
// One time likewise; std::nullopt where it is unusable.
std::optional<double> time_of(const JsonNode& node, CaseRecord& one, const std::string& advice_if_zero = {});

// A value that is no time: "0", "NaN" or "Infinity".
Cause unusable_time(std::string member, double value, const std::string& advice_if_zero = {});

// A problem unless min <= median <= max, and min <= mean <= max, as far as an object tells them.
void check_order(const JsonNode& statistics);

// A problem unless all samples, an array, lie between the object's `min` and `max`, as far as it tells them.
void check_within(const JsonNode& statistics, const JsonNode& samples);

// A member as text, whatever scalar it is; "" where it is absent or null.
std::string text_of(const JsonNode& object, std::string_view member);

// All scalars of an object as texts, without nulls.
Texts scalars_of(const JsonNode& object);

// A name that is not empty; an empty one is a problem.
std::string name_of(const JsonNode& node);

// "80" of "80x1x1", the shape of a grid or a block.
std::string launch_shape(std::string shape);

// The file name in a path.
std::string file_name(const std::string& path);

// "a command line" whose program, and words that begin as paths do, are without their folders: "taskset -c 2 prog".
std::string without_folders(const std::string& command);

}  // namespace harness
