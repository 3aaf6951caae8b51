#include "harness/code/host/host_decode.h"

#include <Zydis/Zydis.h>

#include <span>

namespace harness {
namespace {

bool is_jump(const ZydisDecodedInstruction& one) {
  return one.meta.branch_type != ZYDIS_BRANCH_TYPE_NONE;
}

}  // namespace

std::optional<std::vector<HostReference>> host_references(std::string_view code, std::uint64_t address) {
  ZydisDecoder decoder;
  ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
  std::vector<HostReference> references;
  ZydisDecodedInstruction one;
  ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
  for (std::size_t at = 0; at < code.size(); at += one.length) {
    if (!ZYAN_SUCCESS(ZydisDecoderDecodeFull(&decoder, code.data() + at, code.size() - at, &one, operands)))
      return std::nullopt;
    const std::uint64_t next = address + at + one.length;
    for (const ZydisDecodedOperand& operand : std::span(operands, one.operand_count_visible)) {
      const bool near = operand.type == ZYDIS_OPERAND_TYPE_MEMORY && operand.mem.base == ZYDIS_REGISTER_RIP;
      const bool far = operand.type == ZYDIS_OPERAND_TYPE_IMMEDIATE && operand.imm.is_relative != 0;
      HostReference reference;
      if (near) {
        reference = {static_cast<std::uint32_t>(at + one.raw.disp.offset), one.raw.disp.size / 8U,
                     next + static_cast<std::uint64_t>(operand.mem.disp.value), operand.size / 8U,
                     is_jump(one)};
        if (operand.mem.type == ZYDIS_MEMOP_TYPE_AGEN) reference.reads = 0;
      } else if (far) {
        reference = {static_cast<std::uint32_t>(at + one.raw.imm[0].offset), one.raw.imm[0].size / 8U,
                     next + static_cast<std::uint64_t>(operand.imm.value.s), 0, true};
        const bool within = reference.target >= address && reference.target - address < code.size();
        if (within) continue;
      } else {
        continue;
      }
      references.push_back(reference);
    }
  }
  return references;
}

}  // namespace harness
