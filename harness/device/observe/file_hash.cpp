#include "harness/device/observe/file_hash.h"

#include <elf.h>
#include <openssl/evp.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <chrono>
#include <cstddef>
#include <cstring>
#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace harness {
namespace {

constexpr std::size_t hashed_block = 256UL << 10;
constexpr std::uint64_t longest_padding = 64;  // between sections
constexpr std::size_t most_sections = 65'536, longest_names = 4UL << 20;

class Sha256 {
 public:
  Sha256() { EVP_DigestInit_ex(hash_.get(), EVP_sha256(), nullptr); }
  void add(const void* from, std::size_t bytes) { EVP_DigestUpdate(hash_.get(), from, bytes); }
  std::string digits() {
    std::array<unsigned char, EVP_MAX_MD_SIZE> all{};
    EVP_DigestFinal_ex(hash_.get(), all.data(), nullptr);
    constexpr std::string_view hex = "0123456789abcdef";
    std::string text;
    for (const unsigned char one : std::span(all).first(16)) {
      text += hex[one >> 4];
      text += hex[one & 15];
    }
    return text;
  }

 private:
  std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> hash_{EVP_MD_CTX_new(), EVP_MD_CTX_free};
};

// Bytes of a file, from `begin` to before `end`.
struct Range {
  std::uint64_t begin = 0, end = 0;
};

// All or nothing.
bool read_range(int file, std::uint64_t offset, void* to, std::size_t bytes) {
  auto* out = static_cast<std::byte*>(to);
  while (bytes > 0) {
    const ssize_t count = pread(file, out, bytes, static_cast<off_t>(offset));
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    out += count;
    offset += static_cast<std::uint64_t>(count);
    bytes -= static_cast<std::size_t>(count);
  }
  return true;
}

bool only_for_debuggers(std::string_view name, const Elf64_Shdr& section) {
  constexpr std::array tables{".symtab", ".strtab", ".shstrtab", ".gdb_index"};
  if (name == ".note.gnu.build-id") return true;
  if ((section.sh_flags & SHF_ALLOC) != 0) return false;
  return name.starts_with(".debug_") || name.starts_with(".zdebug_") || name.starts_with(".gnu_debug") ||
         std::find(tables.begin(), tables.end(), name) != tables.end();
}

// The parts of an ELF file that do not count, in order; none of other files.
std::vector<Range> left_out(int file, std::uint64_t size) {
  Elf64_Ehdr head{};
  if (size < sizeof head || !read_range(file, 0, &head, sizeof head)) return {};
  const bool usual = std::memcmp(head.e_ident, ELFMAG, SELFMAG) == 0 &&
                     head.e_ident[EI_CLASS] == ELFCLASS64 && head.e_ident[EI_DATA] == ELFDATA2LSB &&
                     std::endian::native == std::endian::little && head.e_shentsize == sizeof(Elf64_Shdr);
  if (!usual || (head.e_type != ET_EXEC && head.e_type != ET_DYN) || head.e_shnum == 0 ||
      head.e_shnum > most_sections || head.e_shstrndx >= head.e_shnum)
    return {};
  std::vector<Elf64_Shdr> sections(head.e_shnum);
  const std::uint64_t table = sections.size() * sizeof(Elf64_Shdr);
  if (head.e_shoff > size || table > size - head.e_shoff ||
      !read_range(file, head.e_shoff, sections.data(), static_cast<std::size_t>(table)))
    return {};
  const Elf64_Shdr& texts = sections[head.e_shstrndx];
  if (texts.sh_offset > size || texts.sh_size > size - texts.sh_offset || texts.sh_size > longest_names)
    return {};
  std::string names(static_cast<std::size_t>(texts.sh_size), '\0');
  if (!read_range(file, texts.sh_offset, names.data(), names.size())) return {};
  std::vector<Range> found = {
      {offsetof(Elf64_Ehdr, e_shoff), offsetof(Elf64_Ehdr, e_shoff) + sizeof head.e_shoff},
      {offsetof(Elf64_Ehdr, e_shnum), sizeof head},
      {head.e_shoff, head.e_shoff + table}};
  for (const Elf64_Shdr& one : sections) {
    if (one.sh_type == SHT_NULL || one.sh_type == SHT_NOBITS || one.sh_name >= names.size()) continue;
    if (one.sh_offset > size || one.sh_size > size - one.sh_offset) return {};
    if (only_for_debuggers(names.c_str() + one.sh_name, one))
      found.push_back({one.sh_offset, one.sh_offset + one.sh_size});
  }
  std::sort(found.begin(), found.end(), [](const Range& a, const Range& b) { return a.begin < b.begin; });
  return found;
}

// The rest of the file, without the padding between what is left out.
std::vector<Range> counted_ranges(int file, std::uint64_t size) {
  std::vector<Range> kept;
  std::uint64_t at = 0;
  const auto keep = [&](std::uint64_t end) {
    if (end <= at) return;
    std::array<char, longest_padding> bytes{};
    const bool padding = at > 0 && end - at < longest_padding &&
                         read_range(file, at, bytes.data(), static_cast<std::size_t>(end - at)) &&
                         std::all_of(bytes.begin(), bytes.end(), [](char one) { return one == 0; });
    if (!padding) kept.push_back({at, end});
  };
  for (const Range& one : left_out(file, size)) {
    keep(one.begin);
    at = std::max(at, one.end);
  }
  keep(size);
  return kept;
}

}  // namespace

std::string text_hash(std::string_view text) {
  Sha256 hash;
  hash.add(text.data(), text.size());
  return hash.digits();
}

std::optional<std::string> hash_of_file(int file, HashLimits& limits, bool executed) {
  using Clock = std::chrono::steady_clock;
  struct stat about {};
  if (fstat(file, &about) != 0 || !S_ISREG(about.st_mode)) return std::nullopt;
  const auto size = static_cast<std::uint64_t>(about.st_size);
  if (limits.seconds <= 0 || size > limits.bytes) {
    limits = {0, 0};
    return std::nullopt;
  }
  const auto begin = Clock::now();
  std::vector<std::byte> buffer(std::min<std::uint64_t>(hashed_block, std::max<std::uint64_t>(size, 1)));
  Sha256 hash;
  const std::vector<Range> ranges = executed ? counted_ranges(file, size) : std::vector<Range>{{0, size}};
  for (const Range& range : ranges) {
    const std::uint64_t length = range.end - range.begin;
    hash.add(&length, sizeof length);
    for (std::uint64_t at = range.begin; at < range.end;) {
      const auto bytes = static_cast<std::size_t>(std::min<std::uint64_t>(buffer.size(), range.end - at));
      if (!read_range(file, at, buffer.data(), bytes)) return std::nullopt;
      hash.add(buffer.data(), bytes);
      at += bytes;
      if (std::chrono::duration<double>(Clock::now() - begin).count() > limits.seconds) {
        limits = {0, 0};
        return std::nullopt;
      }
    }
  }
  limits.bytes -= size;
  limits.seconds -= std::chrono::duration<double>(Clock::now() - begin).count();
  return hash.digits();
}

}  // namespace harness
