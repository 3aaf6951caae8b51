#include "harness/measure/allocation.h"

#include <algorithm>

#include "harness/measure/verify.h"

namespace harness {
namespace {

constexpr std::size_t most_padding = std::size_t{16} << 20;   // a padding block, bytes
constexpr std::size_t least_padding = std::size_t{64} << 10;  // the upper bound for small tensors

}  // namespace

Status Allocation::place(const sdk::Problem& problem, const CaseInputs& inputs, std::size_t workspace_bytes,
                         bool padded) {
  release();
  std::size_t next_input = 0;
  for (const sdk::TensorSpec& tensor : problem.tensors) {
    if (padded) pad(tensor.bytes());
    Result<std::unique_ptr<Buffer>> buffer = device_.allocate(tensor.bytes());
    if (!buffer) return fail(buffer.error());
    addresses_.push_back((*buffer)->data());
    tensors_.push_back(std::move(*buffer));
    if (tensor.role != sdk::Role::input) continue;
    if (Status sent = device_.upload(*tensors_.back(), inputs.inputs[next_input++].data); !sent) return sent;
  }
  if (workspace_bytes > 0) {
    Result<std::unique_ptr<Buffer>> buffer = device_.allocate(workspace_bytes);
    if (!buffer) return fail(buffer.error());
    workspace_ = std::move(*buffer);
    if (Status filled = device_.fill(*workspace_, poison); !filled) return filled;
  }
  return poison_outputs(problem);
}

void Allocation::release() {
  padding_.clear();
  tensors_.clear();
  workspace_.reset();
  addresses_.clear();
}

// Padding is as large as a tensor at most, because a hole that a freed tensor left is what must be
// filled in part for the next to land elsewhere. A device too full for padding goes without.
void Allocation::pad(std::size_t like) {
  const std::size_t most = std::clamp(like, least_padding, most_padding);
  Result<std::unique_ptr<Buffer>> buffer = device_.allocate(256 + random_() % most);
  if (buffer) padding_.push_back(std::move(*buffer));
}

Status Allocation::poison_outputs(const sdk::Problem& problem) {
  for (std::size_t i = 0; i < problem.tensors.size(); ++i) {
    if (problem.tensors[i].role != sdk::Role::output) continue;
    if (Status filled = device_.fill(*tensors_[i], poison); !filled) return filled;
  }
  return device_.synchronize();
}

Result<std::vector<sdk::HostTensor>> Allocation::download_outputs(const sdk::Problem& problem) const {
  std::vector<sdk::HostTensor> outputs;
  for (std::size_t i = 0; i < problem.tensors.size(); ++i) {
    if (problem.tensors[i].role != sdk::Role::output) continue;
    outputs.emplace_back(problem.tensors[i]);
    if (const Status got = device_.download(outputs.back().data, *tensors_[i]); !got)
      return fail(got.error());
  }
  return outputs;
}

std::size_t Allocation::tensor_bytes() const {
  std::size_t sum = 0;
  for (const std::unique_ptr<Buffer>& tensor : tensors_) sum += tensor->bytes();
  return sum;
}

}  // namespace harness
