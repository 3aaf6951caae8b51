// The table of Nsight Compute's `--csv --page raw`: a line of names, a line of units, a line a launch. A
// kernel with its grid and block is a case, its launches are samples. The duration becomes gpu_time; of the
// other metrics only those in ".sum" are taken, which count work; not those of the profiler itself. Lines of
// the program may come before the table, and further tables behind it.
#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>
#include <unordered_map>
#include <utility>

#include "harness/base/text.h"
#include "harness/store/adapters/import_formats.h"
#include "harness/store/adapters/read_csv.h"
#include "harness/store/adapters/read_text.h"

namespace harness {
namespace {

constexpr std::string_view duration = "gpu__time_duration.sum";
constexpr const char* command = "ncu --csv --page raw --print-units base --metrics gpu__time_duration.sum";

// The decimal exponent of a unit of time in nanoseconds.
struct Exponent {
  std::string_view name;
  int exponent;
};
constexpr std::array<Exponent, 8> time_units{{{"ns", 0},
                                              {"nsecond", 0},
                                              {"us", 3},
                                              {"usecond", 3},
                                              {"ms", 6},
                                              {"msecond", 6},
                                              {"s", 9},
                                              {"second", 9}}};

using Columns = std::array<std::pair<std::string_view, const char*>, 3>;
constexpr Columns launch_columns{{{"Grid Size", "grid"}, {"Block Size", "block"}, {"Device", "device"}}};
constexpr Columns machine_columns{{{"CC", "compute capability"},
                                   {"device__attribute_display_name", "GPU"},
                                   {"device__attribute_chip", "chip"}}};

struct Column {
  std::size_t index = 0;
  std::string metric;
  std::string unit;
  int exponent = 0;  // of the number that is written, to be in `unit`
};

bool is_ncu_header(std::string_view line) {
  return line.starts_with("\"ID\",\"Process ID\"");
}

bool is_ncu(std::string_view text) {
  return is_ncu_header(text) || text.find("\n\"ID\",\"Process ID\"") != std::string_view::npos;
}

class NcuTable {
 public:
  explicit NcuTable(const std::string& file) : file_(file) {}

  void take(std::string_view line, int number) {
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (is_ncu_header(line)) {  // of the first table, or of a further one
      names_.clear();
      columns_.clear();
    } else if (names_.empty()) {
      return;
    }
    if (line.empty() || line.starts_with("==")) return;  // a message of ncu
    if (!is_utf8(line))
      return refuse(number, "is not UTF-8", fmt::format("print it again with `{}`", command));
    std::vector<std::string> fields;
    if (!split_csv(line, fields)) return refuse(number, "has a quotation mark without its partner");
    if (!columns_.empty())
      if (const auto [known, fresh] = lines_.emplace(line, number); !fresh)
        return refuse(number, fmt::format("is the same as line {}", known->second),
                      "the table was printed twice: keep one of them");
    if (names_.empty())
      take_names(std::move(fields), number);
    else if (fields.size() != names_.size())
      refuse(number, fmt::format("has {} fields, where the names are {}", fields.size(), names_.size()));
    else if (columns_.empty())
      take_units(fields, number);
    else
      take_launch(fields, number);
  }

  Checked<ToolFile> finish() {
    if (!errors_.errors().empty()) return tl::unexpected(std::move(errors_).take(file_));
    return with_cases(std::move(read_), file_);
  }

 private:
  void refuse(int line, std::string message, std::string advice = {}) {
    errors_.add({ErrorKind::usage, std::move(message), Location{file_, line}, std::move(advice)});
  }

  void take_names(std::vector<std::string> fields, int line) {
    names_ = std::move(fields);
    const auto kernel = std::find(names_.begin(), names_.end(), "Kernel Name");
    kernel_ = static_cast<std::size_t>(kernel - names_.begin());
    launch_.clear();
    machine_.clear();
    for (std::size_t i = 0; i < names_.size(); ++i) {
      for (const auto& [theirs, ours] : launch_columns)
        if (names_[i] == theirs) launch_.emplace_back(i, ours);
      for (const auto& [theirs, ours] : machine_columns)
        if (names_[i] == theirs) machine_.emplace_back(i, ours);
    }
    if (std::find(names_.begin(), names_.end(), "Metric Name") != names_.end())
      refuse(line, "is a table of another page", fmt::format("print it with `{}`", command));
    else if (kernel == names_.end())
      refuse(line, "has no column `Kernel Name`");
  }

  void take_units(const std::vector<std::string>& units, int line) {
    if (!errors_.errors().empty()) return;
    for (std::size_t i = 0; i < names_.size(); ++i)
      if (names_[i] == duration)
        take_duration(i, units[i], line);
      else if (names_[i].ends_with(".sum") && !names_[i].starts_with("profiler__"))
        columns_.push_back({i, names_[i], units[i]});
    if (columns_.empty())
      refuse(line - 1, fmt::format("has no column `{}`", duration),
             fmt::format("print it with `{}`", command));
  }

  void take_duration(std::size_t index, const std::string& unit, int line) {
    const auto found = std::find_if(time_units.begin(), time_units.end(),
                                    [&](const Exponent& one) { return one.name == unit; });
    if (found == time_units.end())
      return refuse(line, fmt::format("has `{}` as the unit of `{}`", printable(unit), duration),
                    fmt::format("print it with `{}`", command));
    columns_.insert(columns_.begin(), {index, "gpu_time", "ns", found->exponent});
  }

  void take_launch(const std::vector<std::string>& fields, int line) {
    if (fields[kernel_].empty()) return refuse(line, "has no kernel name");
    ToolCase known{.name = fields[kernel_]};
    for (const auto& [index, name] : launch_) known.launch.emplace(name, shape(fields[index]));
    CaseRecord& one = read_.at(known);
    for (const auto& [index, name] : machine_) take_machine(name, fields[index], line);
    for (const Column& column : columns_) {
      const std::string& written = fields[column.index];
      if (written.empty() || written.ends_with("n/a")) continue;  // not measured for this kernel
      // Commas part thousands. The exponent is part of the text, so that the number is rounded once.
      std::string digits;
      for (const char digit : written)
        if (digit != ',') digits += digit;
      if (column.exponent != 0) digits += fmt::format("e{}", column.exponent);
      double value = 0;
      const auto [end, code] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
      const bool is_number = code == std::errc{} && end == digits.data() + digits.size();
      if (!is_number || value < 0)
        return refuse(line, fmt::format("has `{}` in the column `{}`; expected a number above 0",
                                        printable(written), printable(names_[column.index])));
      if (column.metric == "gpu_time" && !(value > 0 && std::isfinite(value)))
        ToolFile::end(one, Outcome::failed, unusable_time(names_[column.index], value));
      else if (std::isfinite(value))
        ToolFile::append(one, column.metric, column.unit, value);
    }
  }

  // GPUs of two models are two machines.
  void take_machine(const std::string& name, const std::string& value, int line) {
    const auto known = std::find_if(read_.machine.fields.begin(), read_.machine.fields.end(),
                                    [&](const MachineField& one) { return one.name == name; });
    if (known == read_.machine.fields.end())
      read_.field(name, value, FieldClass::block);
    else if (known->value != value)
      refuse(line,
             fmt::format("is of {} {}, and a line before of {}", name, printable(value),
                         printable(known->value)),
             "print the launches of each GPU into a file of their own: ncu --devices NUMBER");
  }

  // "80x1x1" of "(80, 1, 1)".
  static std::string shape(const std::string& written) {
    std::string text;
    for (const char c : written)
      if (c == ',')
        text += 'x';
      else if (c != '(' && c != ')' && c != ' ')
        text += c;
    return launch_shape(std::move(text));
  }

  std::string file_;
  std::vector<std::string> names_;
  std::size_t kernel_ = 0;
  std::vector<std::pair<std::size_t, std::string>> launch_,
      machine_;  // columns, and what they are called here
  std::vector<Column> columns_;
  std::unordered_map<std::string, int> lines_;
  ToolFile read_;
  SampleErrors errors_;
};

Checked<ToolFile> read_ncu(std::string_view text, const std::string& file, const ToolQuestions&) {
  NcuTable table(file);
  each_line(text, [&](std::string_view line, int number) { table.take(line, number); });
  return table.finish();
}

}  // namespace

extern const ImportFormat ncu_format;
const ImportFormat ncu_format{"ncu", "CSV of Nsight Compute: ncu --csv --page raw --print-units base COMMAND",
                              is_ncu, read_ncu};

}  // namespace harness
