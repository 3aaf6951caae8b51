// The document that nvbandwidth prints for -j. Each number of a test's matrix is a case: a rate, or a
// latency, as the description of the matrix says. It is the median or the mean of what was sampled, so one
// sample of the process.
//
// A test that throws stays "Running", and a second entry of its name has the status "Error". A test of
// several matrices writes them as the rows of one.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "harness/base/text.h"
#include "harness/store/adapters/import_formats.h"
#include "harness/store/adapters/known_units.h"
#include "harness/store/adapters/read_text.h"

namespace harness {
namespace {

bool is_nvbandwidth(std::string_view text) {
  return begins_as_json(text, "{", {"nvbandwidth"});
}

// "GB/s" of "memcpy local GPU(column) bandwidth (GB/s)".
std::string unit_of(const JsonNode& description) {
  const std::string text = description.text();
  const std::size_t open = text.rfind('(');
  if (open == std::string::npos || !text.ends_with(')')) {
    description.problem("ends with no unit; expected (GB/s) or (ns)");
    return {};
  }
  return text.substr(open + 1, text.size() - open - 2);
}

// "NVIDIA H200" of "0: NVIDIA H200 (00000000:00:06): (host)".
std::string model_of(const std::string& device) {
  const std::size_t colon = device.find(": "), open = device.find(" (");
  if (colon == std::string::npos || open == std::string::npos || open < colon) return device;
  return device.substr(colon + 2, open - colon - 2);
}

class Tests {
 public:
  Tests(const JsonNode& whole, ToolFile& read) : read_(read), error_(text_of(whole, "error")) {
    std::vector<std::string> models;
    const JsonNode devices = whole.find("GPU Device list");
    const std::vector<std::string> listed = devices.is_null() ? std::vector<std::string>{} : devices.texts();
    for (const std::string& device : listed)
      if (std::string model = model_of(device);
          std::find(models.begin(), models.end(), model) == models.end())
        models.push_back(std::move(model));
    read.field("GPU", join(models, ", "), FieldClass::block);
    if (!listed.empty()) {
      read.field("GPUs", std::to_string(listed.size()), FieldClass::warn);
      const std::size_t host = listed.front().rfind(": (");
      if (host != std::string::npos)
        read.host = listed.front().substr(host + 3, listed.front().rfind(')') - host - 3);
    }
    read.field("driver", text_of(whole, "Driver Version"), FieldClass::warn);
    read.field("CUDA runtime", text_of(whole, "CUDA Runtime Version"), FieldClass::warn);
    read.field("nvbandwidth", text_of(whole, "version"), FieldClass::warn);
    // Its only warning is of a buffer that is smaller than the default one.
    const bool small = text_of(whole, "warning").find("buffer size") != std::string::npos;
    buffer_ = small ? "below the default" : "at least the default";
  }

  void take(const JsonNode& test) {
    const std::string name = name_of(test.require("name")), status = test.require("status").text();
    if (!test.ok()) return;
    if (status == "Passed") return take_matrix(test, name);
    CaseRecord& one = read_.at(name);
    if (status == "Waived") return ToolFile::end(one, Outcome::skipped, {CauseCode::tool_skipped});
    std::string why = text_of(test, "error");
    if (why.empty()) why = error_.empty() ? "status " + status : error_;
    ToolFile::end(one, Outcome::failed,
                  cause_with_why(CauseCode::tool_failed, printable(std::string(trim(why)))));
  }

 private:
  void take_matrix(const JsonNode& test, const std::string& name) {
    const JsonNode description = test.require("bandwidth_description");
    const std::string unit = unit_of(description);
    const bool is_time = time_unit(unit).has_value();
    const UsualDirection usual = usual_direction(unit);
    if (test.ok() && !is_time && !(usual.known && usual.direction == Direction::higher_is_better))
      description.problem(fmt::format("ends with `({})`; expected a unit, (GB/s) or (ns)", printable(unit)));
    std::size_t row = 0, numbers = 0;
    test.require("bandwidth_matrix").each_element([&](const JsonNode& cells) {
      std::size_t column = 0;
      cells.each_element([&](const JsonNode& cell) {
        if (cell.ok() && cell.text() != "N/A") {
          take_cell(cell,
                    {.name = name,
                     .parameters = {{"row", std::to_string(row)},
                                    {"column", std::to_string(column)},
                                    {"buffer", buffer_}}},
                    is_time ? "latency" : "bandwidth", unit);
          ++numbers;
        }
        ++column;
      });
      ++row;
    });
    if (test.ok() && numbers == 0) test.find("bandwidth_matrix").problem("has no number");
  }

  void take_cell(const JsonNode& cell, const ToolCase& known, const char* metric, const std::string& unit) {
    const std::string text = cell.text();
    double value = 0;
    const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (code != std::errc{} || end != text.data() + text.size() || (value < 0 && std::isfinite(value)))
      cell.problem(fmt::format("is `{}`; expected a number above 0, or N/A", printable(text)));
    if (cell.ok() && read_.has(known))
      cell.problem(fmt::format("is of the test `{}`, which came before", printable(known.name)),
                   "name each test once after -t");
    if (!cell.ok()) return;
    CaseRecord& one = read_.at(known);
    if (value > 0 && std::isfinite(value))
      ToolFile::add(one, metric, unit, {{value}});
    else
      ToolFile::end(one, Outcome::failed,
                    cause_with_why(CauseCode::tool_failed, fmt::format("the {} is {}", metric, text)));
  }

  ToolFile& read_;
  std::string error_, buffer_;
};

Checked<ToolFile> read_nvbandwidth(std::string_view text, const std::string& file, const ToolQuestions&) {
  std::string why;
  Checked<ToolFile> read = read_json(text, file, [&](const JsonNode& root, ToolFile& into) {
    const JsonNode whole = root.require("nvbandwidth");
    if (!root.ok()) return;
    Tests tests(whole, into);
    whole.find("testcases").each_element([&](const JsonNode& test) { tests.take(test); });
    why = printable(std::string(trim(text_of(whole, "error"))));
  });
  if (!read) return read;
  return with_cases(std::move(*read), file, why.empty() ? "" : "nvbandwidth reports: " + why);
}

}  // namespace

extern const ImportFormat nvbandwidth_format;
const ImportFormat nvbandwidth_format{"nvbandwidth", "JSON of nvbandwidth: nvbandwidth -j > FILE",
                                      is_nvbandwidth, read_nvbandwidth};

}  // namespace harness
