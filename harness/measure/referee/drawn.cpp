#include "harness/measure/referee/drawn.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <string>

namespace harness::referee {
namespace {

// Elements that one read gets: two where a byte holds two.
std::int64_t elements_a_read(sdk::DType dtype) {
  return sdk::bytes_of(dtype, 2) == 1 ? 2 : 1;
}

std::size_t bytes_a_read(sdk::DType dtype) {
  return sdk::bytes_of(dtype, elements_a_read(dtype));
}

// Whole reads, ascending, each once.
std::vector<std::int64_t> drawn_indices(const sdk::TensorSpec& spec, std::uint64_t seed,
                                        std::int64_t together) {
  const std::int64_t elements = std::max<std::int64_t>(spec.elements(), 0);
  const std::int64_t width = elements_a_read(spec.dtype);
  std::vector<std::int64_t> drawn;
  if (elements > few_elements)
    drawn = checked_indices(elements, few_elements, seed, together);
  else
    for (std::int64_t i = 0; i < elements; ++i) drawn.push_back(i);
  std::vector<std::int64_t> whole;
  for (const std::int64_t index : drawn) {
    const std::int64_t first = index / width * width;
    if (first + width > elements || (!whole.empty() && whole.back() >= first)) continue;
    for (std::int64_t i = 0; i < width; ++i) whole.push_back(first + i);
  }
  return whole;
}

template <class Visit>
void each_output(const sdk::Problem& problem, Visit visit) {
  std::size_t output = 0;
  for (std::size_t i = 0; i < problem.tensors.size(); ++i)
    if (sdk::is_output(problem.tensors[i].role)) visit(i, output++);
}

// "[17]" of the elements that were read, as their place in the output.
void name_place(Cause& cause, const sdk::TensorSpec& spec, const std::vector<std::int64_t>& indices) {
  for (Figure& figure : cause.figures) {
    auto* const text = std::get_if<std::string>(&figure.value);
    std::size_t place = 0;
    if (figure.name != "at" || text == nullptr || text->size() < 2) continue;
    if (std::from_chars(text->data() + 1, text->data() + text->size(), place).ec == std::errc() &&
        place < indices.size())
      *text = position_in(indices[place], spec.shape);
  }
}

}  // namespace

Drawn draw(const sdk::Workload& workload, const sdk::Params& params, const sdk::Problem& problem,
           std::uint64_t seed) {
  Drawn drawn;
  for (const sdk::TensorSpec& tensor : problem.tensors)
    if (sdk::is_input(tensor.role)) drawn.inputs.emplace_back(tensor);
  workload.fill(params, seed, drawn.inputs);
  each_output(problem, [&](std::size_t tensor, std::size_t output) {
    DrawnOutput one{drawn_indices(problem.tensors[tensor], seed + output, problem.checked_together), {}};
    one.right.values.resize(one.indices.size());
    workload.reference(params, drawn.inputs, output, one.indices, one.right.values);
    drawn.outputs.push_back(std::move(one));
  });
  return drawn;
}

void add_reads(const sdk::Problem& problem, const Drawn& drawn, std::span<std::byte* const> addresses,
               std::vector<SharedRead>& reads) {
  each_output(problem, [&](std::size_t tensor, std::size_t output) {
    const sdk::DType dtype = problem.tensors[tensor].dtype;
    const auto width = static_cast<std::size_t>(elements_a_read(dtype));
    const std::vector<std::int64_t>& indices = drawn.outputs[output].indices;
    for (std::size_t i = 0; i < indices.size(); i += width)
      reads.push_back({addresses[tensor] + sdk::bytes_of(dtype, indices[i]), bytes_a_read(dtype)});
  });
}

std::size_t reads_of(const sdk::Problem& problem, const Drawn& drawn) {
  std::size_t count = 0;
  each_output(problem, [&](std::size_t tensor, std::size_t output) {
    count += drawn.outputs[output].indices.size() /
             static_cast<std::size_t>(elements_a_read(problem.tensors[tensor].dtype));
  });
  return count;
}

// The elements that were read pass for whole outputs of one dimension.
Finding check_reads(const sdk::Problem& problem, const Drawn& drawn, std::span<const std::uint64_t> got,
                    unsigned char unwritten) {
  sdk::Problem read = problem;
  read.tensors.clear();
  CaseInputs right;
  std::vector<sdk::HostTensor> outputs;
  std::size_t next = 0;
  each_output(problem, [&](std::size_t tensor, std::size_t output) {
    sdk::TensorSpec spec = problem.tensors[tensor];
    const DrawnOutput& one = drawn.outputs[output];
    spec.shape = {static_cast<std::int64_t>(one.indices.size())};
    sdk::HostTensor values(spec);
    const std::size_t bytes = bytes_a_read(spec.dtype);
    for (std::size_t at = 0; at < values.data.size(); at += bytes)
      std::memcpy(values.data.data() + at, &got[next++], bytes);
    read.tensors.push_back(spec);
    right.expected.push_back(one.right);
    outputs.push_back(std::move(values));
  });
  const RightValues all_are_known = [](std::size_t, std::span<const std::int64_t>, std::span<double>) {};
  Finding finding =
      verify(all_are_known, read, right, outputs, {.unwritten = unwritten, .allowance = audit_allowance});
  if (!finding.wrong) return finding;
  const std::string name = finding.wrong->text("output");
  each_output(problem, [&](std::size_t tensor, std::size_t output) {
    if (problem.tensors[tensor].name == name)
      name_place(*finding.wrong, problem.tensors[tensor], drawn.outputs[output].indices);
  });
  return finding;
}

}  // namespace harness::referee
