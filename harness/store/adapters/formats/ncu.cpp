// The table of Nsight Compute's `--csv --page raw`: a line of names, a line of units, a line a launch. A
// kernel with its grid and block is a case, its launches are samples. The duration becomes gpu_time; of the
// other metrics only those in ".sum" are taken, which count work; not those of the profiler itself. Lines of
// the program may come before the table, and further tables behind it.
#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>
#include <optional>
#include <set>
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

// Without a locale, ncu parts thousands by commas.
constexpr const char* plain_numbers =
    "print it again in the C locale, with whole base units: LC_ALL=C ncu --import FILE --csv --page raw "
    "--print-units base";

// The number with the commas that part thousands left out; std::nullopt where a comma does anything else.
std::optional<std::string> without_thousands(const std::string& written) {
  const std::size_t end = std::min(written.find_first_not_of("0123456789,"), written.size());
  if (written.find(',', end) != std::string::npos) return std::nullopt;
  std::string digits;
  std::size_t group = end;  // digits to the left of `i`, up to the next comma
  const bool parted = written.find(',') != std::string::npos;
  for (std::size_t i = 0, begin = 0; i <= end; ++i) {
    if (i < end && written[i] != ',') continue;
    group = i - begin;
    if (parted && (begin == 0 ? group < 1 || group > 3 : group != 3)) return std::nullopt;
    digits += written.substr(begin, group);
    begin = i + 1;
  }
  return digits + written.substr(end);
}

// A unit that ncu scaled, "Mbyte", as "byte" and 6.
std::pair<std::string, int> base_unit(const std::string& unit) {
  static constexpr std::string_view prefixes = "KMGTP";
  const std::size_t at = unit.size() > 3 ? prefixes.find(unit.front()) : std::string_view::npos;
  if (at == std::string_view::npos || unit[1] < 'a' || unit[1] > 'z') return {unit, 0};
  return {unit.substr(1), 3 * (static_cast<int>(at) + 1)};
}

struct Column {
  std::size_t index = 0;
  std::string metric;
  std::string unit;
  int exponent = 0;          // of the number that is written, to be in `unit`
  std::string written = {};  // the unit of the file
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
    if (is_refused_) return;
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (is_ncu_header(line)) {  // of the first table, or of a further one
      names_.clear();
      columns_.clear();
    } else if (names_.empty()) {
      leaves_clocks_ |=
          line.starts_with("==") && line.find("unmodified GPU clocks") != std::string_view::npos;
      return;
    }
    if (!line.starts_with('"')) return take_other(line, number);
    if (!is_utf8(line))
      return refuse(number, "is not UTF-8", fmt::format("print it again with `{}`", command));
    std::vector<std::string> fields;
    if (!split_csv(line, fields)) return refuse(number, "has a quotation mark without its partner");
    if (!columns_.empty())
      if (const auto [known, fresh] = lines_.emplace(line, number); !fresh)
        return refuse_all(number, fmt::format("is the same as line {}", known->second),
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
    if (others_ > 0)
      read_.remarks.push_back(fmt::format(
          "{} lines are no part of the table, the first is line {}; ncu --log-file FILE keeps it apart "
          "from what the program writes",
          others_, first_other_));
    read_.same.emplace("executable",
                       join(std::vector<std::string>(programs_.begin(), programs_.end()), ", "));
    read_.field("gpu_clocks", leaves_clocks_ ? "not locked by ncu" : "", FieldClass::block);
    read_.forget_lone("device");
    return with_cases(std::move(read_), file_);
  }

 private:
  void refuse(int line, std::string message, std::string advice = {}) {
    errors_.add({ErrorKind::usage, std::move(message), Location{file_, line}, std::move(advice)});
  }

  // A message of ncu, or text of the program between the lines of the table. Text right before a line,
  // without an end, makes the launch unreadable.
  void take_other(std::string_view line, int number) {
    if (line.empty() || line.starts_with("==")) return;
    std::vector<std::string> fields;
    if (is_utf8(line) && split_csv(line, fields) && fields.size() == names_.size() && names_.size() > 1)
      return refuse(number, "begins with text that is no part of the table",
                    "print the table into a file of its own: ncu --log-file FILE");
    if (others_++ == 0) first_other_ = number;
  }

  // A fault of each line is told once.
  void refuse_all(int line, std::string message, std::string advice) {
    is_refused_ = true;
    refuse(line, std::move(message), std::move(advice));
  }

  void take_names(std::vector<std::string> fields, int line) {
    names_ = std::move(fields);
    const auto kernel = std::find(names_.begin(), names_.end(), "Kernel Name");
    kernel_ = static_cast<std::size_t>(kernel - names_.begin());
    const auto place_of = [&](const char* name) {
      return static_cast<std::size_t>(std::find(names_.begin(), names_.end(), name) - names_.begin());
    };
    program_ = place_of("Process Name");
    process_ = place_of("Process ID");
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
        take_sum(i, units[i]);
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
    columns_.insert(columns_.begin(), {index, "gpu_time", "ns", found->exponent, unit});
  }

  void take_sum(std::size_t index, const std::string& unit) {
    auto [base, exponent] = base_unit(unit);
    columns_.push_back({index, names_[index], std::move(base), exponent, unit});
  }

  // The value of a column in its unit; std::nullopt where it cannot be one.
  static std::optional<double> number_in(const Column& column, const std::string& written) {
    std::optional<std::string> digits = without_thousands(written);
    // ncu scales numbers to less than 1000: then a lone comma is that of a fraction. Whole units have none.
    const bool is_scaled = column.exponent != 0, is_whole = column.unit == "ns" || column.unit == "byte";
    const bool has_point = written.find('.') != std::string::npos;
    const bool has_comma = written.find(',') != std::string::npos;
    if (!digits || (is_scaled && has_comma && !has_point) || (!is_scaled && is_whole && has_point))
      return std::nullopt;
    // The exponent is part of the text, so that the number is rounded once.
    if (is_scaled) *digits += fmt::format("e{}", column.exponent);
    double value = 0;
    const auto [end, code] = std::from_chars(digits->data(), digits->data() + digits->size(), value);
    if (code != std::errc{} || end != digits->data() + digits->size() || value < 0) return std::nullopt;
    return value;
  }

  void take_launch(const std::vector<std::string>& fields, int line) {
    if (fields[kernel_].empty()) return refuse(line, "has no kernel name");
    ToolCase known{.name = fields[kernel_]};
    for (const auto& [index, name] : launch_) known.launch.emplace(name, shape(fields[index]));
    // A process may have a table more; two processes number their launches on.
    std::string process;
    for (const std::size_t column : {process_, program_})
      if (column < fields.size()) process += fields[column] + "\n";
    const auto [earlier, fresh] = launches_.emplace(fields[0], std::pair(line, process));
    if (!fresh && earlier->second.second != process)
      return refuse_all(line,
                        fmt::format("has the ID {} of line {}: the file holds two runs", printable(fields[0]),
                                    earlier->second.first),
                        "print each run into a file of its own");
    if (program_ < fields.size() && !fields[program_].empty()) programs_.insert(fields[program_]);
    CaseRecord& one = read_.at(known);
    for (const auto& [index, name] : machine_) take_machine(name, fields[index], line);
    for (const Column& column : columns_) {
      const std::string& written = fields[column.index];
      if (written.empty() || written.ends_with("n/a")) continue;  // not measured for this kernel
      const std::optional<double> value = number_in(column, written);
      if (!value)
        return refuse_all(
            line,
            fmt::format("has `{}` in the column `{}`, of unit `{}`; expected a number above 0",
                        printable(written), printable(names_[column.index]), printable(column.written)),
            plain_numbers);
      if (column.metric == "gpu_time" && !(*value > 0 && std::isfinite(*value)))
        ToolFile::end(one, Outcome::failed, unusable_time(names_[column.index], *value));
      else if (std::isfinite(*value))
        ToolFile::append(one, column.metric, column.unit, *value);
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
  std::size_t kernel_ = 0, program_ = 0, process_ = 0;
  std::set<std::string> programs_;
  bool is_refused_ = false;
  bool leaves_clocks_ = false;  // --clock-control none
  std::size_t others_ = 0;
  int first_other_ = 0;
  std::vector<std::pair<std::size_t, std::string>> launch_,
      machine_;  // columns, and what they are called here
  std::vector<Column> columns_;
  std::unordered_map<std::string, int> lines_;
  std::unordered_map<std::string, std::pair<int, std::string>> launches_;  // by ID: line and process
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
