// links: harness_catalog
// Files of tensors: whatever the bytes are, they are read or refused, and what fits a case lies within them.
#include <cstdint>
#include <cstdlib>
#include <string>

#include "harness/catalog/tensor_file.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace harness;
  const auto file = TensorFile::read(std::string(reinterpret_cast<const char*>(data), size), "x.safetensors");
  if (!file) return file.error().text().empty() ? std::abort(), 0 : 0;
  sdk::Problem problem;
  problem.tensors = {{"x", sdk::Role::input, sdk::DType::f16, {2, 3}}};
  if (!file->fits(problem)) return 0;
  unsigned sum = 0;
  for (const std::byte one : file->bytes_of("x")) sum += std::to_integer<unsigned>(one);
  if (file->bytes_of("x").size() != problem.tensors[0].bytes() || sum > 6 * 2 * 255) std::abort();
  return 0;
}
