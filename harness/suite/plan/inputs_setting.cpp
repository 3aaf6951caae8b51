#include "harness/suite/plan/inputs_setting.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <optional>
#include <utility>

#include "harness/base/text.h"

namespace harness {
namespace {

constexpr const char* names_of_modes = "`drawn`, `zeros`, `uniform` or `normal`";

// The problem that a case measures; std::nullopt where its workload refuses the values, which others tell.
std::optional<sdk::Problem> problem_of_case(const PlannedCase& planned, const Target& target) {
  try {
    return target.workload->problem(workload_params(with_tuned(planned.params, planned.tuned), target.specs));
  } catch (const std::exception&) {
    return std::nullopt;
  }
}

}  // namespace

std::filesystem::path stated_file(const std::string& inputs, const Location& where) {
  return std::filesystem::absolute(std::filesystem::path(where.file).parent_path() / inputs)
      .lexically_normal();
}

std::string find_stated_file(const PlannedCase& planned, const Sampling& baseline) {
  const std::filesystem::path path = stated_file(baseline.inputs, planned.where);
  const Result<TensorFile> file = TensorFile::load(path);
  return file && file->hash() == baseline.inputs_hash ? path.string() : std::string();
}

void StatedFiles::wrong(const Location& where, const std::string& message, const std::string& advice) {
  if (told_.emplace(where.line, where.column).second) errors_.add(where, "`inputs`: " + message, advice);
}

const TensorFile* StatedFiles::load(const std::string& inputs, const Location& where) {
  const auto [at, is_new] = files_.emplace(stated_file(inputs, where).string(), nullptr);
  if (!is_new) return at->second.get();
  Result<TensorFile> file = TensorFile::load(at->first);
  if (file) {
    at->second = std::make_unique<TensorFile>(std::move(*file));
    return at->second.get();
  }
  const std::string advice = file.error().advice.empty() ? std::string() : "; " + file.error().advice;
  wrong(where, fmt::format("{}: {}", in_ticks(inputs), file.error().message),
        fmt::format("write {}, or name a safetensors file{}", names_of_modes, advice));
  return nullptr;
}

void StatedFiles::settle(Sampling& sampling, PlannedCase& planned, const Target& target,
                         const Location& where) {
  const auto mode = parse_name<InputsMode>(sampling.inputs);
  if (mode == InputsMode::drawn) return;
  const TensorFile* file = nullptr;
  if (!mode) {
    if (sampling.inputs.empty())
      return wrong(where, "is empty", fmt::format("write {}, or name a file", names_of_modes));
    file = load(sampling.inputs, where);
    if (file == nullptr) return;
    sampling.inputs_hash = file->hash();
    planned.inputs_file = stated_file(sampling.inputs, where).string();
  }
  const std::optional<sdk::Problem> problem = problem_of_case(planned, target);
  if (!problem) return;
  const std::string id = in_ticks(planned.id);
  if (file != nullptr) {
    if (const Status fits = file->fits(*problem); !fits)
      wrong(where, fmt::format("{}, for {}", fits.error().message, id), fits.error().advice);
  } else if (std::none_of(problem->tensors.begin(), problem->tensors.end(),
                          [&](const sdk::TensorSpec& one) { return takes(*mode, one); })) {
    wrong(where, fmt::format("{} has no input that takes `{}`", id, sampling.inputs),
          "give this case `inputs: drawn`");
  }
}

}  // namespace harness
