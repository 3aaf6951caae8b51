#include "harness/cli/options/output_options.h"

#include <charconv>
#include <optional>

#include "harness/cli/options/typed_option.h"

namespace harness {

template <>
inline constexpr auto enum_names<ColourMode> = names<ColourMode>({{ColourMode::automatic, "auto"},
                                                                  {ColourMode::always, "always"},
                                                                  {ColourMode::never, "never"}});

namespace {

constexpr std::size_t least_markdown = 1000;  // bytes; a verdict and a reference need some

Result<Format> parse_format(const std::string& name) {
  if (const std::optional<Format> known = parse_name<Format>(name)) return *known;
  return fail(ErrorKind::usage, fmt::format("unknown format `{}`", printable(name)),
              suggestion(name, all_names<Format>()));
}

// At commas, but for those behind a backslash, which stand for themselves.
std::vector<std::string> split_targets(const std::string& text) {
  std::vector<std::string> parts(1);
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool literal = text[i] == '\\' && i + 1 < text.size() && text[i + 1] == ',';
    if (literal) parts.back() += text[++i];
    if (!literal && text[i] == ',') parts.emplace_back();
    if (!literal && text[i] != ',') parts.back() += text[i];
  }
  return parts;
}

Result<ReportTarget> parse_target(const std::string& text) {
  const std::size_t equals = text.find('=');
  const std::string name = text.substr(0, equals);
  const Result<Format> format = parse_format(name);
  if (!format) {
    Error error = format.error();
    if (equals == std::string::npos) error.advice += "; a comma in a file name is written `\\,`";
    return fail(error);
  }
  if (equals == std::string::npos || equals + 1 == text.size())
    return fail(ErrorKind::usage, fmt::format("{}: no file named", name),
                fmt::format("write --report {}=FILE, or {}=- for standard output", name, name));
  return ReportTarget{*format, text.substr(equals + 1)};
}

Result<std::size_t> parse_markdown_limit(const std::string& text) {
  std::size_t limit = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), limit);
  const bool whole = code == std::errc() && end == text.data() + text.size();
  if (whole && (limit == 0 || limit >= least_markdown)) return limit;
  return fail(ErrorKind::usage,
              fmt::format("`{}` is not a number of bytes from {} on", printable(text), least_markdown),
              "1000000 suits a job summary; 0 is no limit");
}

}  // namespace

Status add_targets(std::vector<ReportTarget>& targets, const std::string& word) {
  for (const std::string& text : split_targets(word)) {
    Result<ReportTarget> target = parse_target(text);
    if (!target) return fail(target.error());
    targets.push_back(std::move(*target));
  }
  return {};
}

void OutputOptions::add_to(CLI::App& command) {
  add_choice(command, "--color", colour, "colour on the terminal");
  add_typed(command, "--format", format, parse_format,
            "format of standard output: " + join(all_names<Format>(), ", "))
      ->type_name("NAME")
      ->default_str(std::string(name_of(format)));
  add_words(
      command, "--report", [this](const std::string& word) { return add_targets(reports, word); },
      "also write FORMAT=FILE, several with commas or repeated; FILE - is standard output")
      ->expected(1, CLI::detail::expected_max_vector_size)
      ->allow_extra_args(false)
      ->type_name("FORMAT=FILE");
  add_typed(command, "--markdown-limit", markdown_limit, parse_markdown_limit,
            "largest size of a Markdown report; longer ones end after a whole row")
      ->type_name("BYTES");
}

void OutputOptions::add_verbose_to(CLI::App& command, const std::string& summary) {
  command.add_flag("--verbose", verbose, summary);
}

}  // namespace harness
