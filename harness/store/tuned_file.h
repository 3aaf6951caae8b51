// Pinned values of `harness tune`: baselines/<machine class>/tuned/<suite>.json, reviewed in git.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "harness/base/result.h"
#include "harness/model/tuning/tuned.h"

namespace harness {

inline constexpr const char* tuned_folder = "baselines";

std::string encode_tuned(const TunedSuite& tuned);
// Errors name `source` and the place in it.
Result<TunedSuite> decode_tuned(std::string_view text, const std::string& source);

std::filesystem::path tuned_path(const std::filesystem::path& folder, const std::string& machine_class,
                                 const std::string& suite);

// The values that are pinned for a suite; none where there is no file.
Result<TunedSuite> read_tuned(const std::filesystem::path& folder, const std::string& machine_class,
                              const std::string& suite);

// Adds the cases to the file, each instead of an older entry. The file is replaced as a whole. Returns its
// path.
Result<std::filesystem::path> pin_tuned(const std::filesystem::path& folder, const TunedSuite& tuned);

}  // namespace harness
