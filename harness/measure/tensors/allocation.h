// Allocation: the buffers of a case, a placement at a time: its tensors and its workspace, behind padding
// that makes each placement land elsewhere. Owns the device's buffers; one thread uses it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <random>
#include <span>
#include <vector>

#include "harness/device/device.h"
#include "harness/measure/tensors/host_outputs.h"
#include "harness/measure/tensors/inputs.h"
#include "harness/measure/tensors/shared_blocks.h"
#include "harness/measure/tensors/verify.h"
#include "harness/sdk/variant.h"

namespace harness {

// The largest offset of a moved buffer behind its padding, in bytes. A GPU's blocks begin at multiples of 2
// MiB, so without an offset large buffers would often lie alike. Frameworks that manage memory themselves
// use any multiple of 512 bytes, too.
inline constexpr std::size_t most_buffer_offset = std::size_t{2} << 20;

// How many bytes of earlier placements' buffers stay while the next are taken. With only the last ones, two
// sets of blocks would take turns and bias every placement. On a GPU 16 times its cache (960 MiB on an H200);
// on a CPU none, because its memory is shared.
std::size_t kept_bytes_on(Device& device);

// The buffers of one set: a problem's tensors in their order, and the workspace where there is one.
std::vector<SharedBlocks::Wanted> buffers_of(const sdk::Problem& problem, std::size_t workspace_bytes);

class Allocation {
 public:
  // `seed`: of the padding's sizes.
  Allocation(Device& device, std::uint64_t seed, std::size_t kept_bytes = 0)
      : timer_(device.timer()), memory_(device.memory()), random_(seed), kept_bytes_(kept_bytes) {}
  // For the placements that follow.
  void keep(std::size_t bytes) { kept_bytes_ = bytes; }

  // Takes buffers, fills in the inputs (from the buffers held before, or uploads them), poisons outputs and
  // workspace. Ends the use of the buffers held before, whatever it returns.
  //
  // `moved`: takes them in one block a GPU, each behind padding of random size (512 bytes to 32 MiB,
  // log-uniform) and an offset (up to 2 MiB, uniform). Both are multiples of 512 bytes. Up to `kept_bytes` of
  // earlier buffers stay, so that blocks are not handed out again at once. A full device gives up the older
  // buffers first, then the last ones, then the padding. It is an error only when an empty device has no
  // room.
  Status place(const sdk::Problem& problem, const CaseInputs& inputs, std::size_t workspace_bytes,
               bool moved);
  // The same in blocks that others share, not moved, with the inputs of `like`.
  Status place_in(SharedBlocks& blocks, const sdk::Problem& problem, const CaseInputs& inputs,
                  std::size_t workspace_bytes, const Allocation& like);

  // `byte` fills the outputs.
  Status poison_outputs(const sdk::Problem& problem, unsigned char byte = poison);
  // The same, and tensors that are changed in place get their first values.
  Status write_afresh(const sdk::Problem& problem, const CaseInputs& inputs, unsigned char byte = poison);
  // Uploads inputs into the buffers at hand, those that are changed in place among them.
  Status write_inputs(const sdk::Problem& problem, const CaseInputs& inputs);
  // The same from another set, within the device, or from buffers that stage_inputs() has filled.
  Status copy_inputs(const sdk::Problem& problem, const Allocation& from);
  Status copy_inputs(const sdk::Problem& problem, std::span<const std::unique_ptr<Buffer>> staged);
  [[nodiscard]] Result<std::vector<std::unique_ptr<Buffer>>> stage_inputs(const sdk::Problem& problem,
                                                                          const CaseInputs& inputs) const;
  // Memory::keyed_sum() of each input, but of tensors that are changed in place; std::nullopt where memory has
  // none.
  [[nodiscard]] Result<std::optional<std::vector<std::uint64_t>>> input_sums(const sdk::Problem& problem,
                                                                             std::uint64_t key) const;
  // An element of an input that is not as it was written; none of tensors that are changed in place.
  struct ChangedInput {
    std::size_t tensor = 0;
    std::int64_t element = 0;
  };
  [[nodiscard]] Result<std::optional<ChangedInput>> changed_input(const sdk::Problem& problem,
                                                                  const CaseInputs& inputs) const;
  // The memory of the outputs, by the device's addresses.
  [[nodiscard]] std::vector<std::span<const std::byte>> outputs(const sdk::Problem& problem) const;
  // Copies of the outputs that lie elsewhere, to be filled by the device.
  [[nodiscard]] Result<std::vector<std::unique_ptr<Buffer>>> like_outputs(const sdk::Problem& problem) const;
  // In the order of Problem::tensors.
  Status download_outputs(const sdk::Problem& problem, HostOutputs& outputs) const;

  [[nodiscard]] sdk::Buffers buffers() const {
    return {held_.addresses, held_.workspace ? held_.workspace->data() : nullptr};
  }
  // The size of the tensors, without workspace and padding.
  [[nodiscard]] std::size_t tensor_bytes() const { return held_.tensor_bytes(); }
  // How many placements had to do without the last buffers, or without the padding beside them.
  [[nodiscard]] int cramped() const { return cramped_; }

 private:
  struct Buffers {
    std::vector<std::unique_ptr<Buffer>> tensors;
    std::unique_ptr<Buffer> workspace;
    std::vector<void*> addresses;
    [[nodiscard]] std::size_t tensor_bytes() const;
    [[nodiscard]] std::size_t bytes() const;  // and of the workspace
  };

  using TakeOne = std::function<Result<std::unique_ptr<Buffer>>(const SharedBlocks::Wanted& wanted)>;

  Result<Buffers> take(const sdk::Problem& problem, std::size_t workspace_bytes);
  Result<Buffers> take(const sdk::Problem& problem, std::size_t workspace_bytes, const TakeOne& take_one);
  Result<Buffers> take_elsewhere(const sdk::Problem& problem, std::size_t workspace_bytes);
  Status fill(const sdk::Problem& problem, const CaseInputs& inputs, const Buffers& old);
  // Uploads the inputs of one role; std::nullopt: all.
  Status write(const sdk::Problem& problem, const CaseInputs& inputs, std::optional<sdk::Role> only);
  void keep(Buffers buffers);
  Result<Buffers> take_behind(const std::vector<std::size_t>& gaps, const sdk::Problem& problem,
                              std::size_t workspace_bytes);
  std::size_t draw_gap();  // in bytes: padding and offset

  Timer& timer_;
  Memory& memory_;
  std::mt19937_64 random_;
  std::size_t kept_bytes_;
  Buffers held_;
  std::deque<Buffers> kept_;  // of earlier placements
  int cramped_ = 0;
};

}  // namespace harness
