#include "harness/code/host/exception_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <set>

namespace harness {
namespace {

constexpr unsigned char omitted = 0xff;
constexpr unsigned char relative_word = 0x1b;           // signed, 4 bytes, to its own address
constexpr unsigned char relative_word_indirect = 0x9b;  // likewise, to the address of the value
constexpr unsigned char unsigned_leb = 0x01;

tl::unexpected<Error> not_understood() {
  return fail(ErrorKind::environment, "its tables of exceptions are not understood");
}

// Reads forward; `ok` becomes false at the end of the bytes.
struct Reader {
  std::string_view bytes;
  std::size_t at = 0;
  bool ok = true;

  template <class T>
  T take() {
    T value{};
    if (!ok || at > bytes.size() || sizeof value > bytes.size() - at) {
      ok = false;
      return value;
    }
    std::memcpy(&value, bytes.data() + at, sizeof value);
    at += sizeof value;
    return value;
  }
  std::uint64_t unsigned_number() { return number(false); }
  std::int64_t signed_number() { return static_cast<std::int64_t>(number(true)); }

 private:
  std::uint64_t number(bool with_sign) {
    std::uint64_t value = 0;
    for (unsigned shift = 0;; shift += 7) {
      const auto byte = take<unsigned char>();
      if (!ok || shift > 63) {
        ok = false;
        return 0;
      }
      value |= std::uint64_t{byte & 0x7fU} << shift;
      if ((byte & 0x80U) != 0) continue;
      if (with_sign && (byte & 0x40U) != 0 && shift + 7 < 64) value |= ~std::uint64_t{0} << (shift + 7);
      return value;
    }
  }
};

struct Augmentation {
  unsigned char addresses = omitted, tables = omitted;
  bool known = false;
};

Augmentation augmentation_of(std::string_view entry) {
  Reader in{entry};
  Augmentation found;
  const auto version = in.take<unsigned char>();
  const std::size_t end = entry.find('\0', in.at);
  if (end == std::string_view::npos) return found;
  const std::string_view letters = entry.substr(in.at, end - in.at);
  in.at = end + 1;
  in.unsigned_number();
  in.signed_number();
  version == 1 ? in.take<unsigned char>() : in.unsigned_number();
  if (!letters.starts_with('z')) return found;
  in.unsigned_number();
  for (const char letter : letters.substr(1)) {
    if (letter == 'R') found.addresses = in.take<unsigned char>();
    if (letter == 'L') found.tables = in.take<unsigned char>();
    if (letter == 'P') {
      const auto how = in.take<unsigned char>();
      if (how != relative_word && how != relative_word_indirect) return found;
      in.take<std::int32_t>();
    }
    if (letter != 'R' && letter != 'L' && letter != 'P' && letter != 'S') return found;
  }
  found.known =
      in.ok && found.addresses == relative_word && (found.tables == relative_word || found.tables == omitted);
  return found;
}

// The addresses of tables, by function.
std::optional<std::map<std::uint64_t, std::uint64_t>> table_addresses(const ElfSection& frames) {
  std::map<std::uint64_t, std::uint64_t> found;
  std::map<std::size_t, Augmentation> common;
  Reader in{frames.bytes};
  while (in.at + 4 <= frames.bytes.size()) {
    const auto length = in.take<std::uint32_t>();
    if (length == 0) continue;
    const std::size_t begin = in.at;
    if (length == UINT32_MAX || length > frames.bytes.size() - begin) return std::nullopt;
    const auto id = in.take<std::uint32_t>();
    if (id == 0) {
      common[begin - 4] =
          augmentation_of(frames.bytes.substr(in.at, length - std::min<std::size_t>(length, 4)));
    } else {
      const auto of_it = common.find(begin - id);
      if (of_it == common.end() || !of_it->second.known) return std::nullopt;
      const std::uint64_t here = frames.address + in.at;
      const std::uint64_t function = here + static_cast<std::uint64_t>(in.take<std::int32_t>());
      in.take<std::int32_t>();
      in.unsigned_number();
      if (of_it->second.tables != omitted) {
        const std::uint64_t place = frames.address + in.at;
        const auto distance = in.take<std::int32_t>();
        if (distance != 0) found[function] = place + static_cast<std::uint64_t>(distance);
      }
    }
    if (!in.ok) return std::nullopt;
    in.at = begin + length;
  }
  return found;
}

struct Actions {
  std::string text;                  // those that call sites name, and the ones that follow
  std::size_t highest = 0;           // number of a type in them
  bool with_specifications = false;  // lists of types, behind the table
};

std::optional<Actions> actions_of(std::string_view sites, std::string_view bytes) {
  Actions found;
  std::set<std::size_t> open, seen;
  for (Reader in{sites}; in.at < sites.size();) {
    for (int i = 0; i < 3; ++i) in.unsigned_number();
    const std::uint64_t action = in.unsigned_number();
    if (!in.ok) return std::nullopt;
    if (action > 0) open.insert(action - 1);
  }
  while (!open.empty()) {
    Reader in{bytes, *open.begin()};
    open.erase(open.begin());
    if (!seen.insert(in.at).second) continue;
    const std::size_t begin = in.at;
    const std::int64_t type = in.signed_number();
    const auto here = static_cast<std::int64_t>(in.at);
    const std::int64_t next = in.signed_number();
    if (!in.ok || here + next < 0) return std::nullopt;
    found.text += fmt::format("{} {} {}\n", begin, type, next);
    if (type > 0) found.highest = std::max(found.highest, static_cast<std::size_t>(type));
    found.with_specifications = found.with_specifications || type < 0;
    if (next != 0) open.insert(static_cast<std::size_t>(here + next));
  }
  return found;
}

std::optional<ExceptionTable> table_of(std::string_view bytes, std::uint64_t address) {
  Reader in{bytes};
  if (in.take<unsigned char>() != omitted) return std::nullopt;
  const auto how = in.take<unsigned char>();
  std::size_t base = 0;
  if (how != omitted) {
    if (how != relative_word_indirect) return std::nullopt;
    const std::uint64_t distance = in.unsigned_number();
    if (distance > bytes.size()) return std::nullopt;
    base = in.at + distance;
  }
  if (in.take<unsigned char>() != unsigned_leb) return std::nullopt;
  const std::uint64_t length = in.unsigned_number();
  if (!in.ok || length > bytes.size() - in.at || base > bytes.size()) return std::nullopt;
  const std::string_view sites = bytes.substr(in.at, length);
  const std::optional<Actions> actions = actions_of(sites, bytes.substr(in.at + length));
  if (!actions || actions->highest > base / 4) return std::nullopt;
  const std::size_t begin_of_types = base - actions->highest * 4;
  if (actions->highest > 0 && begin_of_types < in.at + length) return std::nullopt;
  ExceptionTable table;
  table.content = std::string(sites) + "|" + actions->text;
  if (actions->with_specifications) {
    std::string_view lists = bytes.substr(base);
    while (lists.ends_with('\0')) lists.remove_suffix(1);  // up to the next table
    table.content += lists;
  }
  for (std::size_t at = begin_of_types; at < base; at += 4) {
    std::int32_t distance = 0;
    std::memcpy(&distance, bytes.data() + at, sizeof distance);
    table.types.push_back(distance == 0 ? 0 : address + at + static_cast<std::uint64_t>(distance));
  }
  return table;
}

}  // namespace

Result<std::map<std::uint64_t, ExceptionTable>> exception_tables(const HostImage& image) {
  std::map<std::uint64_t, ExceptionTable> tables;
  for (const ElfSection& one : image.sections) {
    if (one.name != ".eh_frame") continue;
    const auto addresses = table_addresses(one);
    if (!addresses) return not_understood();
    std::set<std::uint64_t> starts;
    for (const auto& [function, table] : *addresses) starts.insert(table);
    for (const auto& [function, table] : *addresses) {
      const ElfSection* const section = image.section_at(table);
      if (section == nullptr) return not_understood();
      const auto next = starts.upper_bound(table);
      const std::uint64_t end = section->address + section->size;
      const std::string_view bytes = image.bytes(table, next == starts.end() ? end : std::min(end, *next));
      std::optional<ExceptionTable> read = table_of(bytes, table);
      if (!read) return not_understood();
      tables[function] = std::move(*read);
    }
  }
  return tables;
}

}  // namespace harness
