#include "harness/catalog/tensor_file.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>
#include <utility>

#include "harness/base/files.h"
#include "harness/base/text.h"
#include "harness/schema/json_reader.h"

namespace harness {
namespace {

static_assert(std::endian::native == std::endian::little, "the format is little-endian");

constexpr std::size_t length_bytes = sizeof(std::uint64_t);
constexpr std::uint64_t most_header_bytes = 100'000'000;  // the format's own limit
constexpr const char* metadata = "__metadata__";          // texts, no tensor

// The format's names. It has none for integers of four bits.
std::string_view stored_name(sdk::DType type) {
  switch (type) {
    case sdk::DType::f64: return "F64";
    case sdk::DType::f32: return "F32";
    case sdk::DType::f16: return "F16";
    case sdk::DType::bf16: return "BF16";
    case sdk::DType::i32: return "I32";
    case sdk::DType::i8: return "I8";
    case sdk::DType::e4m3: return "F8_E4M3";
    case sdk::DType::e5m2: return "F8_E5M2";
    case sdk::DType::e2m1: return "F4";
    case sdk::DType::i4: break;
  }
  return {};
}

std::string ticked(std::string_view name) {
  return "`" + printable(name) + "`";
}

std::string shape_text(const std::vector<std::int64_t>& shape) {
  return fmt::format("[{}]", fmt::join(shape, ", "));
}

std::string wanted_text(const sdk::TensorSpec& tensor) {
  return fmt::format("{} {}", stored_name(tensor.dtype), shape_text(tensor.shape));
}

}  // namespace

Result<TensorFile> TensorFile::load(const std::filesystem::path& path) {
  Result<std::string> bytes = read_file(path);
  if (!bytes) return fail(bytes.error());
  return read(std::move(*bytes), path.string());
}

Result<TensorFile> TensorFile::read(std::string bytes, const std::string& name) {
  TensorFile file;
  file.file_ = printable(name);
  file.text_ = std::move(bytes);
  file.hash_ = content_hash(file.text_);
  const auto broken = [&](const std::string& what) {
    return fail(ErrorKind::usage, Location{file.file_}, fmt::format("`{}` {}", file.file_, what),
                "write it with safetensors' `save_file`");
  };
  std::uint64_t length = 0;
  if (file.text_.size() < length_bytes) return broken("is no safetensors file: it is shorter than 8 bytes");
  std::memcpy(&length, file.text_.data(), length_bytes);
  if (length > most_header_bytes || length > file.text_.size() - length_bytes)
    return broken(
        fmt::format("is no safetensors file: its first 8 bytes tell of a header of {} bytes", length));
  const std::string_view header = std::string_view(file.text_).substr(length_bytes, length);
  const std::uint64_t data = length_bytes + length, size = file.text_.size() - data;
  auto reader = JsonReader::parse(header, Location{file.file_});
  if (!reader) return fail(reader.error());
  (*reader)->root().each_member([&](std::string_view key, const JsonNode& node) {
    if (key == metadata) return;
    Entry& entry = file.entries_.emplace_back();
    entry.name = key;
    entry.type = node.require("dtype").text();
    node.require("shape").each_element([&](const JsonNode& extent) {
      entry.shape.push_back(extent.integer<std::int64_t>(0, 0, std::numeric_limits<std::int64_t>::max()));
    });
    std::vector<std::uint64_t> offsets;
    const JsonNode places = node.require("data_offsets");
    places.each_element(
        [&](const JsonNode& offset) { offsets.push_back(offset.integer<std::uint64_t>(0, 0, size)); });
    if (!node.ok()) return;
    if (offsets.size() != 2 || offsets[0] > offsets[1])
      return places.problem("is no place in the file; expected its first byte and the one behind its last");
    entry.begin = data + offsets[0];
    entry.end = data + offsets[1];
  });
  return (*reader)->finish(std::move(file));
}

const TensorFile::Entry* TensorFile::find(std::string_view name) const {
  const auto found =
      std::find_if(entries_.begin(), entries_.end(), [&](const Entry& one) { return one.name == name; });
  return found == entries_.end() ? nullptr : &*found;
}

std::string TensorFile::names() const {
  constexpr std::size_t most = 8;
  std::vector<std::string> all;
  for (const Entry& one : entries_) {
    if (all.size() == most) return join(all, ", ") + fmt::format(" and {} more", entries_.size() - most);
    all.push_back(ticked(one.name));
  }
  return all.empty() ? "no tensor" : join(all, ", ");
}

Status TensorFile::fits(const sdk::Problem& problem) const {
  const auto wrong = [&](const std::string& what, const std::string& advice) {
    return fail(ErrorKind::usage, Location{file_}, fmt::format("`{}` {}", file_, what), advice);
  };
  bool any = false;
  for (const sdk::TensorSpec& tensor : problem.tensors) {
    const Entry* const found = find(tensor.name);
    const std::string name = ticked(tensor.name);
    if (tensor.role == sdk::Role::in_place && found != nullptr)
      return wrong(
          fmt::format("holds {}, which calls change, so only the first would find these values", name),
          "leave it out: such a tensor keeps its drawn values");
    if (tensor.role != sdk::Role::input) continue;
    any = true;
    if (stored_name(tensor.dtype).empty())
      return wrong(fmt::format("cannot hold {} of {}: its format has no such element type", name,
                               sdk::name_of(tensor.dtype)),
                   "use `zeros`, or leave the drawn values");
    if (found == nullptr)
      return wrong(fmt::format("has no {}; it holds {}", name, names()),
                   fmt::format("add {} as {}", name, wanted_text(tensor)));
    if (found->type != stored_name(tensor.dtype) || found->shape != tensor.shape)
      return wrong(fmt::format("holds {} as {} {}", name, printable(found->type), shape_text(found->shape)),
                   fmt::format("the case needs {}", wanted_text(tensor)));
    if (found->end - found->begin != tensor.bytes())
      return wrong(fmt::format("holds {} bytes of {}", found->end - found->begin, name),
                   fmt::format("{} has {} bytes", wanted_text(tensor), tensor.bytes()));
  }
  if (!any) return wrong("is for a case without inputs that calls only read", "leave the drawn values");
  return {};
}

std::span<const std::byte> TensorFile::bytes_of(std::string_view name) const {
  const Entry* const found = find(name);
  if (found == nullptr) return {};
  return std::as_bytes(std::span<const char>(text_)).subspan(found->begin, found->end - found->begin);
}

}  // namespace harness
