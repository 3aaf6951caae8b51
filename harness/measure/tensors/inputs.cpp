#include "harness/measure/tensors/inputs.h"

#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <numeric>
#include <system_error>
#include <utility>

#include "harness/base/bulk_hash.h"
#include "harness/base/files.h"
#include "harness/sdk/in_parts.h"

namespace harness {
namespace {

std::int64_t output_elements(const sdk::Problem& problem) {
  std::int64_t count = 0;
  for (const sdk::TensorSpec& tensor : problem.tensors)
    if (sdk::is_output(tensor.role)) count += tensor.elements();
  return count;
}

std::string key_of(const sdk::Workload& workload, const sdk::Params& params, std::uint64_t seed,
                   InputCache::Answers answers) {
  return fmt::format("{}/{}#{}{}", workload.name(), params.text_id(), seed,
                     answers == InputCache::Answers::few ? " few" : "");
}

// The most that inputs and right answers of a problem may take.
std::size_t most_bytes(const sdk::Problem& problem) {
  std::size_t bytes = 0;
  for (const sdk::TensorSpec& tensor : problem.tensors) {
    if (sdk::is_input(tensor.role)) bytes += tensor.bytes();
    if (!sdk::is_output(tensor.role)) continue;
    const std::int64_t checked = std::min(tensor.elements(), elements_to_check(problem));
    bytes += static_cast<std::size_t>(std::max<std::int64_t>(checked, 0)) * 2 * sizeof(double);
  }
  return bytes;
}

// Threads that the calling one starts from now on are as patient. On Linux this is of a thread, not of the
// process.
void be_patient() {
  constexpr int nicer = 10;
  (void)setpriority(PRIO_PROCESS, 0, nicer);
}

constexpr std::size_t digest_chunk = std::size_t{1} << 20;

std::size_t bytes_of(const CaseInputs& inputs) {
  std::size_t bytes = 0;
  for (const sdk::HostTensor& tensor : inputs.inputs) bytes += tensor.data.size();
  for (const Expected& expected : inputs.expected)
    bytes += expected.indices.size() * sizeof(std::int64_t) + expected.values.size() * sizeof(double);
  return bytes;
}

}  // namespace

std::uint64_t mixed(std::uint64_t z) {
  z += 0x9E3779B97F4A7C15U;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9U;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBU;
  return z ^ (z >> 31);
}

bool Expected::contains(std::int64_t index) const {
  if (indices.empty()) return index >= 0 && index < std::ssize(values);
  return std::binary_search(indices.begin(), indices.end(), index);
}

std::vector<std::int64_t> checked_indices(std::int64_t count, std::int64_t limit, std::uint64_t seed,
                                          std::int64_t together) {
  std::vector<std::int64_t> indices;
  if (together > 1 && count > limit) {
    constexpr std::int64_t least = 4;
    for (const std::int64_t group :
         checked_indices((count + together - 1) / together, std::max(least, limit / together), seed))
      for (std::int64_t i = group * together; i < std::min((group + 1) * together, count); ++i)
        indices.push_back(i);
    return indices;
  }
  if (count <= limit) {
    indices.resize(static_cast<std::size_t>(std::max<std::int64_t>(count, 0)));
    std::iota(indices.begin(), indices.end(), std::int64_t{0});
    return indices;
  }
  indices.push_back(0);
  for (std::int64_t stretch = 1; stretch + 1 < limit; ++stretch) {
    // In double: count * limit may not fit an integer, and a stretch need not be exact.
    const double width = static_cast<double>(count) / static_cast<double>(limit);
    const double offset =
        static_cast<double>(mixed(seed + static_cast<std::uint64_t>(stretch)) >> 11) * 0x1p-53;
    const auto index = static_cast<std::int64_t>((static_cast<double>(stretch) + offset) * width);
    indices.push_back(std::clamp<std::int64_t>(index, indices.back() + 1, count - 1));
  }
  if (indices.back() != count - 1) indices.push_back(count - 1);
  return indices;
}

std::int64_t elements_to_check(const sdk::Problem& problem) {
  const std::int64_t outputs = std::max<std::int64_t>(output_elements(problem), 1);
  const double operations = std::max({problem.work.flops, problem.work.bytes, static_cast<double>(outputs)});
  if (operations <= reference_budget) return outputs;
  return problem.most_checked > 0 ? std::min(problem.most_checked, sampled_elements) : sampled_elements;
}

std::uint64_t input_seed(const std::string& workload, const sdk::Params& params, std::uint64_t seed,
                         int process) {
  std::uint64_t state = mixed(mixed(seed) ^ static_cast<std::uint64_t>(std::max(process, 1)));
  for (const char c : workload + "/" + params.text_id()) state = mixed(state ^ static_cast<unsigned char>(c));
  return state;
}

std::string tensor_text(const sdk::TensorSpec& tensor) {
  return fmt::format("{} {} {}\n", tensor.name, sdk::name_of(tensor.dtype), fmt::join(tensor.shape, ","));
}

// The hashes of chunks, which threads share, are hashed again.
std::string input_digest(const CaseInputs& inputs) {
  std::string text;
  for (const sdk::HostTensor& tensor : inputs.inputs) {
    text += tensor_text(tensor.spec);
    const std::string_view bytes(reinterpret_cast<const char*>(tensor.data.data()), tensor.data.size());
    std::vector<std::string> chunks((bytes.size() + digest_chunk - 1) / digest_chunk);
    sdk::in_parts(std::ssize(chunks), 1, [&](std::int64_t first, std::int64_t last) {
      for (auto i = static_cast<std::size_t>(first); i < static_cast<std::size_t>(last); ++i)
        chunks[i] = bulk_hash(bytes.substr(i * digest_chunk, digest_chunk));
    });
    text += fmt::format("{}\n", fmt::join(chunks, " "));
  }
  return content_hash(text);
}

std::size_t kept_memory_limit(std::optional<std::uint64_t> available, std::optional<std::uint64_t> granted) {
  constexpr std::uint64_t least = std::uint64_t{512} << 20;
  constexpr std::uint64_t most = std::uint64_t{32} << 30;
  const std::uint64_t memory = std::min(available.value_or(0), granted.value_or(most * 4));
  return static_cast<std::size_t>(std::clamp(memory / 4, least, most));
}

std::shared_ptr<const CaseInputs> InputCache::get(const sdk::Workload& workload, const sdk::Params& params,
                                                  const sdk::Problem& problem, std::uint64_t seed,
                                                  Answers answers, const InputsRecipe& recipe) {
  std::string key = key_of(workload, params, seed, answers);
  if (!recipe.name.empty()) key += "\n" + recipe.name;
  if (!holds(key)) settle();
  if (const auto found = by_key_.find(key); found != by_key_.end()) {
    entries_.splice(entries_.begin(), entries_, found->second);
    return entries_.front().inputs;
  }
  auto made = make(workload, params, problem, seed, answers, recipe);
  keep(std::move(key), made);
  return made;
}

bool InputCache::make_ahead(const sdk::Workload& workload, const sdk::Params& params,
                            const sdk::Problem& problem, std::uint64_t seed, Answers answers) {
  if (is_making()) return false;
  std::string key = key_of(workload, params, seed, answers);
  if (holds(key) || key == failed_ahead_ || most_bytes(problem) > byte_limit_ / 2) return false;
  const auto work = [this, &workload, params, problem, seed, answers] {
    be_patient();
    const auto begin = std::chrono::steady_clock::now();
    try {
      made_ahead_ = make(workload, params, problem, seed, answers);
    } catch (...) {  // get() will try again
    }
    making_ahead_ = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  };
  try {
    ahead_ = std::jthread(work);
  } catch (const std::system_error&) {  // no more threads: get() will make them
    return false;
  }
  key_ahead_ = std::move(key);
  return true;
}

void InputCache::settle() {
  if (!is_making()) return;
  ahead_.join();
  std::string key = std::exchange(key_ahead_, {});
  if (auto made = std::exchange(made_ahead_, nullptr))
    keep(std::move(key), std::move(made), making_ahead_);
  else
    failed_ahead_ = std::move(key);
}

bool InputCache::holds(const std::string& key) const {
  return by_key_.contains(key);
}

Seconds InputCache::take_making_ahead(const CaseInputs& inputs) {
  const auto found = by_inputs_.find(&inputs);
  return found == by_inputs_.end() ? 0 : std::exchange(found->second->making_ahead, 0);
}

void InputCache::keep(std::string key, std::shared_ptr<const CaseInputs> inputs, Seconds making_ahead) {
  const std::size_t bytes = bytes_of(*inputs);
  entries_.push_front({std::move(key), bytes, std::move(inputs), making_ahead});
  by_key_[entries_.front().key] = entries_.begin();
  by_inputs_[entries_.front().inputs.get()] = entries_.begin();
  bytes_ += bytes;
  if (all_indices_.size() * sizeof(std::int64_t) > byte_limit_ / 4) all_indices_ = {};
  trim();
}

std::shared_ptr<const CaseInputs> InputCache::make(const sdk::Workload& workload, const sdk::Params& params,
                                                   const sdk::Problem& problem, std::uint64_t seed,
                                                   Answers answers, const InputsRecipe& recipe) {
  const bool few = answers == Answers::few;
  auto made = std::make_shared<CaseInputs>();
  for (const sdk::TensorSpec& tensor : problem.tensors)
    if (sdk::is_input(tensor.role)) made->inputs.emplace_back(tensor);
  workload.fill(params, seed, made->inputs);
  if (recipe.apply) recipe.apply(made->inputs);
  const std::int64_t limit =
      few ? std::min(elements_to_check(problem), few_elements) : elements_to_check(problem);
  for (const sdk::TensorSpec& tensor : problem.tensors) {
    if (!sdk::is_output(tensor.role)) continue;
    const std::int64_t elements = std::max<std::int64_t>(tensor.elements(), 0);
    Expected expected;
    if (elements > limit) expected.indices = checked_indices(elements, limit, seed, problem.checked_together);
    const std::span<const std::int64_t> wanted =
        elements > limit ? std::span<const std::int64_t>(expected.indices) : all_indices(elements);
    expected.values = decltype(expected.values)(wanted.size());
    // One call for all elements, because a workload may have to compute everything for any of them.
    workload.reference(params, made->inputs, made->expected.size(), wanted, expected.values);
    made->expected.push_back(std::move(expected));
  }
  return made;
}

std::string InputCache::digest(const CaseInputs& inputs) {
  const auto found = by_inputs_.find(&inputs);
  if (found == by_inputs_.end()) return input_digest(inputs);
  std::string& digest = found->second->digest;
  if (digest.empty()) digest = input_digest(inputs);
  return digest;
}

// Allocates some extra, because the next point of a sweep may be a little larger.
std::span<const std::int64_t> InputCache::all_indices(std::int64_t count) {
  constexpr std::int64_t worth_a_thread = std::int64_t{1} << 17;
  if (std::ssize(all_indices_) < count) {
    all_indices_ = {};
    all_indices_ = decltype(all_indices_)(static_cast<std::size_t>(count + count / 8));
    sdk::in_parts(std::ssize(all_indices_), worth_a_thread, [&](std::int64_t first, std::int64_t last) {
      std::iota(all_indices_.begin() + first, all_indices_.begin() + last, first);
    });
  }
  return std::span<const std::int64_t>(all_indices_).first(static_cast<std::size_t>(count));
}

void InputCache::trim() {
  const std::size_t indices = all_indices_.size() * sizeof(std::int64_t);
  while (bytes_ + indices > byte_limit_ && !entries_.empty()) {
    bytes_ -= entries_.back().bytes;
    by_key_.erase(entries_.back().key);
    by_inputs_.erase(entries_.back().inputs.get());
    entries_.pop_back();
  }
}

}  // namespace harness
