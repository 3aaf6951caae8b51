#include "harness/code/listing.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <utility>

#include "harness/code/instructions.h"

namespace harness {
namespace {

constexpr std::size_t line_bytes = 16;
constexpr std::uint64_t lowest_bits = 0x1ff;
constexpr std::uint16_t no_operation = 0x118, branch = 0x147;
constexpr std::size_t most_cells = 9'000'000;  // of the table that aligns two listings
constexpr std::size_t context = 1;             // equal lines around those that differ

// The fields of an instruction that are read here. `ptxas` 13.0 writes them for sm_75 to sm_121.
struct Fields {
  std::uint64_t low = 0, high = 0;

  [[nodiscard]] std::uint16_t operation() const { return static_cast<std::uint16_t>(low & lowest_bits); }
  [[nodiscard]] bool is_predicated() const { return (low >> 12U & 7U) != 7; }
  // Where the operands are: two of the eight forms hold a number.
  [[nodiscard]] bool has_number() const {
    const std::uint64_t form = low >> 9U & 7U;
    return form == 2 || form == 4;
  }
  [[nodiscard]] std::uint32_t number() const { return static_cast<std::uint32_t>(low >> 32U); }
  [[nodiscard]] std::int32_t address_offset() const {
    return static_cast<std::int32_t>(low >> 32U) >> 8;  // 24 bits with a sign
  }
  // 1 << 0 to 4 bytes.
  [[nodiscard]] int access_bytes() const {
    constexpr std::array bytes{1, 1, 2, 2, 4, 8, 16, 16};
    return bytes[high >> 9U & 7U];
  }
  // In bytes, from the next instruction. From compute capability 9.0 on the lowest bits stand apart.
  [[nodiscard]] std::int64_t branch_offset(bool in_parts) const {
    const auto upper = static_cast<std::int32_t>(low >> 32U);
    if (!in_parts) return upper;
    return (static_cast<std::int64_t>(upper >> 2) * 256 + static_cast<std::int64_t>(low >> 16U & 0xffU)) * 4;
  }
};

Fields fields_at(std::string_view code, std::size_t at) {
  Fields fields;
  std::memcpy(&fields.low, code.data() + at, sizeof fields.low);
  std::memcpy(&fields.high, code.data() + at + sizeof fields.low, sizeof fields.high);
  return fields;
}

const Operation* operation_of(std::uint16_t code) {
  const auto all = operations();
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const Operation& one) { return one.code == code; });
  return found == all.end() ? nullptr : &*found;
}

bool is_access(std::string_view name) {
  constexpr std::array<std::string_view, 8> names{"LD", "LDG", "LDL", "LDS", "ST", "STG", "STL", "STS"};
  return std::find(names.begin(), names.end(), name) != names.end();
}

// "sm_90a" -> 90
int architecture_number(std::string_view architecture) {
  const std::size_t at = architecture.find('_');
  int number = 0;
  if (at != std::string_view::npos)
    std::from_chars(architecture.data() + at + 1, architecture.data() + architecture.size(), number);
  return number;
}

Instruction read_one(const Fields& fields, std::int64_t place, bool in_parts) {
  Instruction one;
  const Operation* const known = operation_of(fields.operation());
  const std::string name =
      known == nullptr ? fmt::format("0x{:03x}", fields.operation()) : std::string(known->name);
  one.kind = known == nullptr ? InstructionClass::other : known->kind;
  one.operation = fields.is_predicated() ? "@P " + name : name;
  one.asynchronous = name == "LDGSTS" || name == "UTMALDG";
  if (is_access(name)) {
    const int bytes = fields.access_bytes();
    one.operation += fmt::format(".{}", bytes * 8);
    if (one.kind == InstructionClass::global) one.access_bytes = bytes;
  }
  one.text = one.operation;
  if (fields.operation() == branch) {
    one.target = place + 1 + fields.branch_offset(in_parts) / static_cast<std::int64_t>(line_bytes);
    one.operation += one.target <= place ? " back" : " on";
    one.text = fmt::format("{} {}", one.operation, std::abs(one.target - place));
  } else if (is_access(name)) {
    if (fields.address_offset() != 0) one.text += fmt::format(" {:+#x}", fields.address_offset());
  } else if (fields.has_number() && fields.number() != 0) {
    one.text += fmt::format(" {:#x}", fields.number());
  }
  return one;
}

using Loop = std::pair<std::int64_t, std::int64_t>;  // places of the first and the last instruction

// Loops that hold no other one. A branch to itself ends a kernel and is no loop.
std::vector<Loop> innermost_loops(const std::vector<Instruction>& listing) {
  std::vector<Loop> loops;
  for (std::size_t at = 0; at < listing.size(); ++at) {
    const auto place = static_cast<std::int64_t>(at);
    if (listing[at].target >= 0 && listing[at].target < place) loops.emplace_back(listing[at].target, place);
  }
  std::vector<Loop> innermost;
  for (const Loop& one : loops)
    if (std::none_of(loops.begin(), loops.end(), [&](const Loop& other) {
          return other != one && other.first >= one.first && other.second <= one.second;
        }))
      innermost.push_back(one);
  return innermost;
}

// How many instructions both sides have in common at the beginning and at the end.
std::pair<std::size_t, std::size_t> common_ends(const std::vector<Instruction>& before,
                                                const std::vector<Instruction>& after) {
  std::size_t head = 0, tail = 0;
  const std::size_t shorter = std::min(before.size(), after.size());
  const auto equal = [&](std::size_t i, std::size_t j) { return before[i].operation == after[j].operation; };
  while (head < shorter && equal(head, head)) ++head;
  while (tail < shorter - head && equal(before.size() - 1 - tail, after.size() - 1 - tail)) ++tail;
  return {head, tail};
}

// Lines of both sides in their order: those that align, and between them what only one side has, next to each
// other.
std::vector<CodeLine> aligned_lines(const std::vector<Instruction>& before,
                                    const std::vector<Instruction>& after, std::size_t head,
                                    std::size_t tail) {
  const auto equal = [&](std::size_t i, std::size_t j) { return before[i].operation == after[j].operation; };
  const std::size_t rows = before.size() - head - tail, columns = after.size() - head - tail;
  std::vector<CodeLine> lines;
  const auto add = [&](std::size_t i, std::size_t j) { lines.push_back({before[i].text, after[j].text}); };
  for (std::size_t i = 0; i < head; ++i) add(i, i);
  // The longest common subsequence of the rest.
  std::vector<std::uint16_t> best((rows + 1) * (columns + 1), 0);
  const auto at = [&](std::size_t i, std::size_t j) -> std::uint16_t& { return best[i * (columns + 1) + j]; };
  for (std::size_t i = rows; i-- > 0;)
    for (std::size_t j = columns; j-- > 0;)
      at(i, j) = equal(head + i, head + j) ? static_cast<std::uint16_t>(at(i + 1, j + 1) + 1)
                                           : std::max(at(i + 1, j), at(i, j + 1));
  std::vector<std::string> gone, come;
  const auto flush = [&] {
    for (std::size_t k = 0; k < std::max(gone.size(), come.size()); ++k)
      lines.push_back({k < gone.size() ? gone[k] : "", k < come.size() ? come[k] : ""});
    gone.clear();
    come.clear();
  };
  std::size_t i = 0, j = 0;
  while (i < rows && j < columns) {
    if (equal(head + i, head + j) && at(i, j) == at(i + 1, j + 1) + 1) {
      flush();
      add(head + i++, head + j++);
    } else if (at(i + 1, j) >= at(i, j + 1)) {
      gone.push_back(before[head + i++].text);
    } else {
      come.push_back(after[head + j++].text);
    }
  }
  for (; i < rows; ++i) gone.push_back(before[head + i].text);
  for (; j < columns; ++j) come.push_back(after[head + j].text);
  flush();
  for (std::size_t k = tail; k > 0; --k) add(before.size() - k, after.size() - k);
  return lines;
}

}  // namespace

std::vector<Instruction> listing_of(std::string_view code, std::string_view architecture) {
  std::size_t end = code.size() / line_bytes;
  while (end > 0 && fields_at(code, (end - 1) * line_bytes).operation() == no_operation) --end;
  const bool in_parts = architecture_number(architecture) >= 90;
  std::vector<Instruction> listing;
  listing.reserve(end);
  for (std::size_t place = 0; place < end; ++place)
    listing.push_back(
        read_one(fields_at(code, place * line_bytes), static_cast<std::int64_t>(place), in_parts));
  return listing;
}

CodeProfile profile_of(const std::vector<Instruction>& listing, const KernelFigures& figures) {
  CodeProfile profile{figures};
  for (const Instruction& one : listing) {
    profile.asynchronous += one.asynchronous ? 1 : 0;
    for (std::size_t i = 0; i < access_widths; ++i)
      profile.global_by_width[i] += one.access_bytes == 1 << i ? 1 : 0;
  }
  for (const auto& [first, last] : innermost_loops(listing)) {
    ++profile.loops;
    profile.loop_instructions += last - first + 1;
    for (std::int64_t place = first; place <= last; ++place)
      ++profile.loop_by_class[static_cast<std::size_t>(listing[static_cast<std::size_t>(place)].kind)];
  }
  return profile;
}

void align(const std::vector<Instruction>& baseline, const std::vector<Instruction>& current,
           CodeSides& sides) {
  const auto [head, tail] = common_ends(baseline, current);
  sides.too_long = (baseline.size() - head - tail + 1) * (current.size() - head - tail + 1) > most_cells;
  if (sides.too_long) return;
  const std::vector<CodeLine> all = aligned_lines(baseline, current, head, tail);
  const auto differs = [&](std::size_t at) { return all[at].baseline != all[at].current; };
  std::size_t shown = 0;  // after the last line that is shown
  for (std::size_t at = 0; at < all.size(); ++at) {
    if (!differs(at)) continue;
    ++sides.different;
    for (std::size_t line = std::max(shown, at - std::min(at, context));
         line < std::min(at + context + 1, all.size()); ++line) {
      if (sides.lines.size() == most_code_lines) break;
      sides.lines.push_back(all[line]);
      sides.lines.back().gap = line > shown;
      shown = line + 1;
    }
  }
}

}  // namespace harness
