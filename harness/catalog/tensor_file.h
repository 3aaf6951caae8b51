// The values that a suite may state for inputs: which tensors a mode sets, and files of tensors.
//
// TensorFile: a file of tensors, in the safetensors format, that holds the inputs of a case by name. It is
// read whole. The format: https://github.com/huggingface/safetensors#format.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/result.h"
#include "harness/model/sampling_modes.h"
#include "harness/sdk/workload.h"

namespace harness {

// Whether a mode sets this tensor. Tensors that calls change keep their drawn values, because the second call
// would find others in any case. `zeros` leaves whole numbers of 32 bits, which are indices, and the other
// modes leave all whole numbers.
constexpr bool takes(InputsMode mode, const sdk::TensorSpec& tensor) {
  if (tensor.role != sdk::Role::input || mode == InputsMode::drawn) return false;
  return mode == InputsMode::zeros ? tensor.dtype != sdk::DType::i32 : !sdk::is_whole(tensor.dtype);
}

class TensorFile {
 public:
  // An Error says what is wrong with the file, and names it.
  static Result<TensorFile> load(const std::filesystem::path& path);
  // The same of its bytes. `name`: of the file, for errors.
  static Result<TensorFile> read(std::string bytes, const std::string& name);

  // A hash of all its bytes.
  [[nodiscard]] const std::string& hash() const { return hash_; }

  // Whether it holds each input that calls only read, with its element type and shape, and none that they
  // change. The Error names the first that is wrong, and says what would be right. Others are not looked at.
  [[nodiscard]] Status fits(const sdk::Problem& problem) const;

  // The bytes of a tensor that fits; empty where it has none by this name.
  [[nodiscard]] std::span<const std::byte> bytes_of(std::string_view name) const;

 private:
  struct Entry {
    std::string name;
    std::string type;  // as the file writes it: "BF16"
    std::vector<std::int64_t> shape;
    std::uint64_t begin = 0;  // in text_
    std::uint64_t end = 0;
  };
  [[nodiscard]] const Entry* find(std::string_view name) const;
  [[nodiscard]] std::string names() const;

  std::string file_;
  std::string text_;
  std::string hash_;
  std::vector<Entry> entries_;
};

}  // namespace harness
