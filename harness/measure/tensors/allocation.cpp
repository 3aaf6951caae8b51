#include "harness/measure/tensors/allocation.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "harness/model/device_kinds.h"

namespace harness {
namespace {

// A padding has 2^9 to 2^25 bytes: what small buffers are aligned to, up to many blocks of a GPU (2 MiB).
constexpr double least_padding_bits = 9;
constexpr double most_padding_bits = 25;

constexpr std::size_t offset_step = 512;

}  // namespace

std::size_t kept_bytes_on(Device& device) {
  return is_gpu_kind(device.traits().kind) ? 16 * device.memory().cache_bytes() : 0;
}

std::vector<SharedBlocks::Wanted> buffers_of(const sdk::Problem& problem, std::size_t workspace_bytes) {
  std::vector<SharedBlocks::Wanted> all;
  for (const sdk::TensorSpec& tensor : problem.tensors) all.push_back({tensor.gpu, tensor.bytes()});
  if (workspace_bytes > 0) all.push_back({0, workspace_bytes});
  return all;
}

Status Allocation::place(const sdk::Problem& problem, const CaseInputs& inputs, std::size_t workspace_bytes,
                         bool moved) {
  if (!moved) held_ = {};
  Result<Buffers> next = moved ? take_elsewhere(problem, workspace_bytes) : take(problem, workspace_bytes);
  if (!next) return fail(next.error());
  Buffers old = std::exchange(held_, std::move(*next));
  Status filled = fill(problem, inputs, old);
  if (moved) keep(std::move(old));
  return filled;
}

Status Allocation::place_in(SharedBlocks& blocks, const sdk::Problem& problem, const CaseInputs& inputs,
                            std::size_t workspace_bytes, const Allocation& like) {
  Result<Buffers> next =
      take(problem, workspace_bytes, [&](const SharedBlocks::Wanted& one) { return blocks.cut(one); });
  if (!next) return fail(next.error());
  held_ = std::move(*next);
  return fill(problem, inputs, like.held_);
}

void Allocation::keep(Buffers buffers) {
  kept_.push_back(std::move(buffers));
  std::size_t sum = 0;
  for (const Buffers& one : kept_) sum += one.bytes();
  while (sum > kept_bytes_) {
    sum -= kept_.front().bytes();
    kept_.pop_front();
  }
}

std::size_t Allocation::Buffers::tensor_bytes() const {
  std::size_t sum = 0;
  for (const std::unique_ptr<Buffer>& tensor : tensors)
    if (!tensor->of_host()) sum += tensor->bytes();
  return sum;
}

std::size_t Allocation::Buffers::bytes() const {
  std::size_t sum = workspace ? workspace->bytes() : 0;
  for (const std::unique_ptr<Buffer>& tensor : tensors) sum += tensor->bytes();
  return sum;
}

Result<Allocation::Buffers> Allocation::take_elsewhere(const sdk::Problem& problem,
                                                       std::size_t workspace_bytes) {
  std::vector<std::size_t> gaps;
  for (std::size_t i = 0; i < buffers_of(problem, workspace_bytes).size(); ++i) gaps.push_back(draw_gap());
  Result<Buffers> next = take_behind(gaps, problem, workspace_bytes);
  if (next) return next;
  if (!kept_.empty()) {
    kept_.clear();
    next = take_behind(gaps, problem, workspace_bytes);
    if (next) return next;
  }
  ++cramped_;
  held_ = {};
  next = take_behind(gaps, problem, workspace_bytes);
  if (next) return next;
  return take(problem, workspace_bytes);
}

// All in one block a GPU.
Result<Allocation::Buffers> Allocation::take_behind(const std::vector<std::size_t>& gaps,
                                                    const sdk::Problem& problem,
                                                    std::size_t workspace_bytes) {
  std::vector<SharedBlocks::Wanted> parts = buffers_of(problem, workspace_bytes);
  for (std::size_t i = 0; i < parts.size(); ++i) parts[i].bytes += gaps[i];
  Result<SharedBlocks> blocks = SharedBlocks::take(memory_, parts, 1);
  if (!blocks) return fail(blocks.error());
  std::size_t next = 0;
  return take(problem, workspace_bytes,
              [&](const SharedBlocks::Wanted& one) -> Result<std::unique_ptr<Buffer>> {
                const std::size_t i = next++;
                return std::make_unique<PartOfBlock>(blocks->cut(parts[i]), gaps[i], one.bytes);
              });
}

Result<Allocation::Buffers> Allocation::take(const sdk::Problem& problem, std::size_t workspace_bytes) {
  return take(problem, workspace_bytes,
              [this](const SharedBlocks::Wanted& one) { return memory_.allocate_on(one.gpu, one.bytes); });
}

// All or nothing: what was taken before an error is given back.
Result<Allocation::Buffers> Allocation::take(const sdk::Problem& problem, std::size_t workspace_bytes,
                                             const TakeOne& take_one) {
  Buffers taken;
  for (const SharedBlocks::Wanted& wanted : buffers_of(problem, workspace_bytes)) {
    Result<std::unique_ptr<Buffer>> buffer = take_one(wanted);
    if (!buffer) return fail(buffer.error());
    if (taken.tensors.size() == problem.tensors.size()) {
      taken.workspace = std::move(*buffer);
    } else {
      taken.addresses.push_back((*buffer)->data());
      taken.tensors.push_back(std::move(*buffer));
    }
  }
  return taken;
}

// Inputs are copied within the device from the old buffers, where these exist. If a kernel changed its
// inputs, the check after the last placement finds it.
Status Allocation::fill(const sdk::Problem& problem, const CaseInputs& inputs, const Buffers& old) {
  std::size_t next_input = 0;
  for (std::size_t i = 0; i < problem.tensors.size(); ++i) {
    const sdk::Role role = problem.tensors[i].role;
    if (!sdk::is_input(role)) continue;
    const sdk::HostTensor& input = inputs.inputs[next_input++];
    const bool unchanged = role == sdk::Role::input && !old.tensors.empty();
    const Status sent = unchanged ? memory_.copy(*held_.tensors[i], *old.tensors[i])
                                  : memory_.upload(*held_.tensors[i], input.data);
    if (!sent) return sent;
  }
  if (held_.workspace)
    if (Status filled = memory_.fill(*held_.workspace, poison); !filled) return filled;
  return poison_outputs(problem);
}

Status Allocation::write_afresh(const sdk::Problem& problem, const CaseInputs& inputs, unsigned char byte) {
  if (Status written = write(problem, inputs, sdk::Role::in_place); !written) return written;
  return poison_outputs(problem, byte);
}

std::size_t Allocation::draw_gap() {
  const double share = static_cast<double>(random_() >> 11) * 0x1p-53;
  const double bits = least_padding_bits + share * (most_padding_bits - least_padding_bits);
  const auto padding = static_cast<std::size_t>(std::exp2(bits)) / offset_step * offset_step;
  return padding + random_() % (most_buffer_offset / offset_step + 1) * offset_step;
}

Status Allocation::poison_outputs(const sdk::Problem& problem, unsigned char byte) {
  for (std::size_t i = 0; i < problem.tensors.size(); ++i) {
    if (problem.tensors[i].role != sdk::Role::output) continue;
    if (Status filled = memory_.fill(*held_.tensors[i], byte); !filled) return filled;
  }
  return timer_.synchronize();
}

Status Allocation::write_inputs(const sdk::Problem& problem, const CaseInputs& inputs) {
  return write(problem, inputs, std::nullopt);
}

Status Allocation::write(const sdk::Problem& problem, const CaseInputs& inputs,
                         std::optional<sdk::Role> only) {
  std::size_t next_input = 0;
  for (std::size_t i = 0; i < problem.tensors.size(); ++i) {
    const sdk::Role role = problem.tensors[i].role;
    if (!sdk::is_input(role)) continue;
    const sdk::HostTensor& input = inputs.inputs[next_input++];
    if (only && role != *only) continue;
    if (Status sent = memory_.upload(*held_.tensors[i], input.data); !sent) return sent;
  }
  return timer_.synchronize();
}

Status Allocation::copy_inputs(const sdk::Problem& problem, const Allocation& from) {
  for (std::size_t i = 0; i < problem.tensors.size(); ++i)
    if (sdk::is_input(problem.tensors[i].role))
      if (Status copied = memory_.copy(*held_.tensors[i], *from.held_.tensors[i]); !copied) return copied;
  return timer_.synchronize();
}

Status Allocation::copy_inputs(const sdk::Problem& problem, std::span<const std::unique_ptr<Buffer>> staged) {
  std::size_t next_input = 0;
  for (std::size_t i = 0; i < problem.tensors.size(); ++i)
    if (sdk::is_input(problem.tensors[i].role))
      if (Status copied = memory_.copy(*held_.tensors[i], *staged[next_input++]); !copied) return copied;
  return timer_.synchronize();
}

Result<std::vector<std::unique_ptr<Buffer>>> Allocation::stage_inputs(const sdk::Problem& problem,
                                                                      const CaseInputs& inputs) const {
  // A variant that allocates in its calls finds as much room as before: three times as much is free.
  constexpr std::size_t spare_factor = 3;
  constexpr std::size_t little = std::size_t{64} << 20;
  std::map<int, std::size_t> bytes;
  for (const sdk::TensorSpec& tensor : problem.tensors)
    if (sdk::is_input(tensor.role) && tensor.gpu >= 0) bytes[tensor.gpu] += tensor.bytes();
  std::vector<std::unique_ptr<Buffer>> staged, spare;
  for (const auto& [gpu, needed] : bytes) {
    if (needed <= little) continue;
    Result<std::unique_ptr<Buffer>> taken = memory_.allocate_on(gpu, needed * (spare_factor + 1));
    if (!taken) return fail(taken.error());
    spare.push_back(std::move(*taken));
  }
  spare.clear();
  for (const sdk::TensorSpec& tensor : problem.tensors) {
    if (!sdk::is_input(tensor.role)) continue;
    const sdk::HostTensor& input = inputs.inputs[staged.size()];
    Result<std::unique_ptr<Buffer>> taken = memory_.allocate_on(tensor.gpu, tensor.bytes());
    if (!taken) return fail(taken.error());
    if (const Status sent = memory_.upload(**taken, input.data); !sent) return fail(sent.error());
    staged.push_back(std::move(*taken));
  }
  return staged;
}

Result<std::optional<std::vector<std::uint64_t>>> Allocation::input_sums(const sdk::Problem& problem,
                                                                         std::uint64_t key) const {
  std::vector<std::uint64_t> sums;
  for (std::size_t i = 0; i < problem.tensors.size(); ++i) {
    if (problem.tensors[i].role != sdk::Role::input) continue;
    const auto sum = memory_.keyed_sum(*held_.tensors[i], key);
    if (!sum) return fail(sum.error());
    if (!*sum) return std::optional<std::vector<std::uint64_t>>();
    sums.push_back(**sum);
  }
  return sums;
}

Result<std::optional<Allocation::ChangedInput>> Allocation::changed_input(const sdk::Problem& problem,
                                                                          const CaseInputs& inputs) const {
  std::size_t next_input = 0;
  for (std::size_t i = 0; i < problem.tensors.size(); ++i) {
    const sdk::TensorSpec& tensor = problem.tensors[i];
    if (!sdk::is_input(tensor.role)) continue;
    const sdk::HostTensor& written = inputs.inputs[next_input++];
    if (tensor.role != sdk::Role::input) continue;
    const auto found = memory_.first_difference(*held_.tensors[i], written.data);
    if (!found) return fail(found.error());
    if (!*found) continue;
    const std::size_t elements = static_cast<std::size_t>(std::max<std::int64_t>(tensor.elements(), 1));
    const std::size_t bytes = std::max<std::size_t>(tensor.bytes(), 1);
    return ChangedInput{i, static_cast<std::int64_t>(**found * elements / bytes)};
  }
  return std::nullopt;
}

std::vector<std::span<const std::byte>> Allocation::outputs(const sdk::Problem& problem) const {
  std::vector<std::span<const std::byte>> all;
  for (std::size_t i = 0; i < problem.tensors.size(); ++i)
    if (sdk::is_output(problem.tensors[i].role))
      all.emplace_back(static_cast<const std::byte*>(held_.tensors[i]->data()), held_.tensors[i]->bytes());
  return all;
}

Result<std::vector<std::unique_ptr<Buffer>>> Allocation::like_outputs(const sdk::Problem& problem) const {
  std::vector<std::unique_ptr<Buffer>> all;
  for (const sdk::TensorSpec& tensor : problem.tensors) {
    if (!sdk::is_output(tensor.role)) continue;
    Result<std::unique_ptr<Buffer>> taken = memory_.allocate_on(tensor.gpu, tensor.bytes());
    if (!taken) return fail(taken.error());
    all.push_back(std::move(*taken));
  }
  return all;
}

Status Allocation::download_outputs(const sdk::Problem& problem, HostOutputs& outputs) const {
  std::size_t next = 0;
  for (std::size_t i = 0; i < problem.tensors.size(); ++i) {
    if (!sdk::is_output(problem.tensors[i].role)) continue;
    const std::span<std::byte> to = outputs.take(next++, problem.tensors[i], memory_);
    if (Status got = memory_.download(to, *held_.tensors[i]); !got) return got;
  }
  outputs.end(next);
  return {};
}

}  // namespace harness
