// Text: spelling suggestions, joining, wildcards, escaping of untrusted names for a terminal.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace harness {

// Optimal string alignment distance: how many insertions, deletions, replacements and swaps of neighbours
// lead from one text to the other.
std::size_t edit_distance(std::string_view one, std::string_view other);

// The candidate nearest to `name` by Damerau-Levenshtein distance, if it is a plausible slip (distance <= 1 +
// length/4). Otherwise the only candidate that begins with `name`, of at least 4 characters. std::nullopt if
// there is none.
std::optional<std::string> nearest(std::string_view name, std::span<const std::string> candidates);

// "did you mean `x`?" when `nearest` finds one; else "known: a, b, c" when there are candidates and at most
// `list_limit` of them; else "".
std::string suggestion(std::string_view name, std::span<const std::string> candidates,
                       std::size_t list_limit = 12);

std::string join(std::span<const std::string> parts, std::string_view separator);
std::vector<std::string> split(std::string_view text, char separator);
std::string_view trim(std::string_view text);
std::string to_lower(std::string_view text);

// Shell-style wildcard over a whole string: `*` any run, `?` any one character.
bool wildcard_match(std::string_view pattern, std::string_view text);

// Replaces control characters (ANSI escapes, newlines, right-to-left overrides) by visible escapes,
// so that a name from a suite or a record cannot drive a terminal.
std::string printable(std::string_view text);

// The same line by line: newlines stay.
std::string printable_lines(std::string_view text);

// A word for a POSIX shell, for commands that messages suggest: as it is when nothing in it means
// anything to a shell, else printable() and in single quotes.
std::string shell_quoted(std::string_view text);

// Length of the well-formed UTF-8 sequence at the front of a text that is not empty, or 0 (Unicode 15, table
// 3-7).
std::size_t utf8_length(std::string_view text);

// Whether all of a text is well-formed UTF-8.
bool is_utf8(std::string_view text);

// Width in terminal columns of UTF-8 text, counting each code point as one column.
std::size_t display_width(std::string_view text);

}  // namespace harness
