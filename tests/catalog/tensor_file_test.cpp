// Files of tensors: what fits a case, and each way in which a file is wrong.
#include "harness/catalog/tensor_file.h"

#include <gtest/gtest.h>

#include <cstring>
#include <fstream>

#include "harness/base/files.h"

namespace harness {
namespace {

constexpr const char* good =
    R"({"__metadata__": {"made": "by hand"}, "x": {"dtype": "F16", "shape": [2, 3], "data_offsets": [0, 12]},
        "i": {"dtype": "I32", "shape": [1], "data_offsets": [12, 16]}})";

class TensorFiles : public testing::Test {
 protected:
  Result<TensorFile> load(const std::string& header, std::size_t bytes = 16, std::uint64_t longer = 0) {
    const std::uint64_t length = header.size() + longer;
    std::string text(sizeof(length), '\0');
    std::memcpy(text.data(), &length, sizeof(length));
    for (std::size_t i = 0; i < bytes; ++i) data_ += static_cast<char>(i);
    std::ofstream(path(), std::ios::binary) << text << header << data_.substr(0, bytes);
    return TensorFile::load(path());
  }
  [[nodiscard]] std::filesystem::path path() const { return folder_.path() / "inputs.safetensors"; }

  std::string error_of(const std::string& header, std::size_t bytes = 16, std::uint64_t longer = 0) {
    const Result<TensorFile> file = load(header, bytes, longer);
    return file ? "" : file.error().text();
  }
  std::string misfit(const std::vector<sdk::TensorSpec>& tensors) {
    const Result<TensorFile> file = load(good);
    if (!file) return "cannot be read";
    sdk::Problem problem;
    problem.tensors = tensors;
    const Status fits = file->fits(problem);
    return fits ? "" : fits.error().text();
  }

 private:
  TemporaryFolder folder_;
  std::string data_;
};

const sdk::TensorSpec x{"x", sdk::Role::input, sdk::DType::f16, {2, 3}};
const sdk::TensorSpec index_of{"i", sdk::Role::input, sdk::DType::i32, {1}};
const sdk::TensorSpec y{"y", sdk::Role::output, sdk::DType::f32, {9}};

TEST_F(TensorFiles, HoldTheInputsOfACase) {
  const Result<TensorFile> file = load(good);
  ASSERT_TRUE(file) << file.error().text();
  sdk::Problem problem;
  problem.tensors = {index_of, x, y};
  EXPECT_TRUE(file->fits(problem));
  problem.tensors = {x};
  EXPECT_TRUE(file->fits(problem)) << "others may be in it";
  ASSERT_EQ(file->bytes_of("x").size(), 12U);
  EXPECT_EQ(file->bytes_of("i").front(), std::byte{12});
  EXPECT_TRUE(file->bytes_of("y").empty());
  const std::string hash = file->hash();
  EXPECT_EQ(load(good)->hash(), hash);
  EXPECT_NE(load(std::string(good) + " ")->hash(), hash);
}

TEST_F(TensorFiles, ThatDoNotFitSayWhatWouldBeRight) {
  using testing::IsSubstring;
  const auto says = [](const std::string& told, std::initializer_list<const char*> words) {
    for (const char* word : words) EXPECT_PRED_FORMAT2(IsSubstring, word, told);
  };
  sdk::TensorSpec other = x;
  other.shape = {3, 2};
  says(misfit({other}), {"`x`", "F16 [2, 3]", "F16 [3, 2]", "inputs.safetensors"});
  other = x;
  other.dtype = sdk::DType::bf16;
  says(misfit({other}), {"`x`", "F16 [2, 3]", "BF16 [2, 3]"});
  other.name = "w";
  says(misfit({other}), {"`w`", "`x`, `i`", "BF16 [2, 3]"});
  other.dtype = sdk::DType::i4;
  says(misfit({other}), {"`w`", "i4", "`zeros`"});
  other = x;
  other.role = sdk::Role::in_place;
  says(misfit({other, index_of}), {"`x`", "calls change", "leave it out"});
  says(misfit({y}), {"without inputs"});
}

TEST_F(TensorFiles, ThatAreBrokenSayHow) {
  EXPECT_NE(error_of("", 0).find("safetensors"), std::string::npos);
  EXPECT_NE(error_of(good, 16, 1000).find("header of"), std::string::npos);
  EXPECT_NE(error_of("{]").find("is not JSON"), std::string::npos);
  EXPECT_NE(error_of("[]"), "");
  EXPECT_NE(error_of(R"({"x": {"shape": [1], "data_offsets": [0, 4]}})").find("dtype"), std::string::npos);
  EXPECT_NE(error_of(R"({"x": {"dtype": "F32", "shape": [-1], "data_offsets": [0, 4]}})"), "");
  EXPECT_NE(error_of(R"({"x": {"dtype": "F32", "shape": [1], "data_offsets": [0, 400]}})"), "");
  EXPECT_NE(error_of(R"({"x": {"dtype": "F32", "shape": [1], "data_offsets": [4, 0]}})"), "");
  EXPECT_NE(error_of(R"({"x": {"dtype": "F32", "shape": [1], "data_offsets": [0]}})"), "");
  EXPECT_FALSE(TensorFile::load(path().parent_path()));
  EXPECT_FALSE(TensorFile::load(path().parent_path() / "absent"));
}

// A file may say another number of bytes than its type and shape need.
TEST_F(TensorFiles, WithTooFewBytesDoNotFit) {
  const Result<TensorFile> file =
      load(R"({"x": {"dtype": "F16", "shape": [2, 3], "data_offsets": [0, 10]}})");
  ASSERT_TRUE(file);
  sdk::Problem problem;
  problem.tensors = {x};
  const Status fits = file->fits(problem);
  ASSERT_FALSE(fits);
  EXPECT_NE(fits.error().text().find("12 bytes"), std::string::npos);
}

TEST(TakesValues, OnlyWhatCallsRead) {
  sdk::TensorSpec one = x;
  EXPECT_TRUE(takes(InputsMode::zeros, one));
  EXPECT_FALSE(takes(InputsMode::drawn, one));
  one.role = sdk::Role::in_place;
  EXPECT_FALSE(takes(InputsMode::zeros, one));
  one = index_of;
  EXPECT_FALSE(takes(InputsMode::zeros, one)) << "an index";
  one.dtype = sdk::DType::i8;
  EXPECT_TRUE(takes(InputsMode::zeros, one));
  EXPECT_FALSE(takes(InputsMode::uniform, one));
}

}  // namespace
}  // namespace harness
