#include "harness/code/instructions.h"

#include <array>
#include <cstring>

namespace harness {
namespace {

constexpr std::size_t instruction_bytes = 16;
constexpr std::uint64_t code_mask = 0x1ff;
constexpr std::uint16_t nop = 0x118;

using enum InstructionClass;

// 0x1a3 and 0x1a6 are atomics on floats by what nvcc makes of them; no disassembler has told their names yet.
constexpr auto table = std::to_array<Operation>({
    {0x002, "MOV", integer},       {0x003, "P2R", integer},      {0x004, "R2P", integer},
    {0x005, "CS2R", integer},      {0x006, "VOTE", exchange},    {0x007, "SEL", integer},
    {0x008, "FSEL", fp32},         {0x009, "FMNMX", fp32},       {0x00a, "FSET", fp32},
    {0x00b, "FSETP", fp32},        {0x00c, "ISETP", integer},    {0x010, "IADD3", integer},
    {0x011, "LEA", integer},       {0x012, "LOP3", integer},     {0x013, "IABS", integer},
    {0x016, "PRMT", integer},      {0x017, "IMNMX", integer},    {0x019, "SHF", integer},
    {0x01c, "PLOP3", integer},     {0x020, "FMUL", fp32},        {0x021, "FADD", fp32},
    {0x023, "FFMA", fp32},         {0x024, "IMAD", integer},     {0x025, "IMAD", integer},
    {0x027, "IMAD", integer},      {0x028, "DMUL", fp64},        {0x029, "DADD", fp64},
    {0x02a, "DSETP", fp64},        {0x02b, "DFMA", fp64},        {0x02f, "ELECT", exchange},
    {0x030, "HADD2", fp16},        {0x031, "HFMA2", fp16},       {0x032, "HMUL2", fp16},
    {0x033, "HSET2", fp16},        {0x034, "HSETP2", fp16},      {0x036, "VIADD", integer},
    {0x037, "IMMA", tensor},       {0x03c, "HMMA", tensor},      {0x03d, "BMMA", tensor},
    {0x03e, "F2FP", special},      {0x03f, "DMMA", tensor},      {0x040, "HMNMX2", fp16},
    {0x044, "STSM", shared},       {0x045, "I2FP", special},     {0x048, "VIMNMX", integer},
    {0x082, "UMOV", integer},      {0x086, "VOTEU", exchange},   {0x087, "USEL", integer},
    {0x08c, "UISETP", integer},    {0x090, "UIADD3", integer},   {0x091, "ULEA", integer},
    {0x092, "ULOP3", integer},     {0x096, "UPRMT", integer},    {0x099, "USHF", integer},
    {0x09c, "UPLOP3", integer},    {0x0a4, "UIMAD", integer},    {0x0a5, "UIMAD", integer},
    {0x0b9, "ULDC", constant},     {0x100, "FLO", special},      {0x101, "BREV", special},
    {0x102, "FCHK", special},      {0x104, "F2F", special},      {0x105, "F2I", special},
    {0x106, "I2F", special},       {0x107, "FRND", special},     {0x108, "MUFU", special},
    {0x109, "POPC", special},      {0x110, "F2F", special},      {0x111, "F2I", special},
    {0x112, "I2F", special},       {0x113, "FRND", special},     {nop, "NOP", control},
    {0x119, "S2R", integer},       {0x11a, "DEPBAR", barrier},   {0x11d, "BAR", barrier},
    {0x13b, "LDSM", shared},       {0x141, "BSYNC", control},    {0x142, "BREAK", control},
    {0x143, "CALL", control},      {0x144, "CALL", control},     {0x145, "BSSY", control},
    {0x147, "BRA", control},       {0x148, "WARPSYNC", barrier}, {0x149, "BRX", control},
    {0x14d, "EXIT", control},      {0x150, "RET", control},      {0x15c, "BPT", control},
    {0x15d, "NANOSLEEP", control}, {0x180, "LD", global},        {0x181, "LDG", global},
    {0x182, "LDC", constant},      {0x183, "LDL", local},        {0x184, "LDS", shared},
    {0x185, "ST", global},         {0x186, "STG", global},       {0x187, "STL", local},
    {0x188, "STS", shared},        {0x189, "SHFL", exchange},    {0x18a, "ATOM", atomic},
    {0x18c, "ATOMS", atomic},      {0x18d, "ATOMS", atomic},     {0x18e, "RED", atomic},
    {0x192, "MEMBAR", barrier},    {0x1a1, "MATCH", exchange},   {0x1a3, "ATOMG", atomic},
    {0x1a6, "RED", atomic},        {0x1a7, "SYNCS", barrier},    {0x1a8, "ATOMG", atomic},
    {0x1a9, "ATOMG", atomic},      {0x1ae, "LDGSTS", global},    {0x1af, "LDGDEPBAR", barrier},
    {0x1b4, "UTMALDG", global},    {0x1b5, "UTMASTG", global},   {0x1c2, "R2UR", integer},
    {0x1c3, "S2UR", integer},      {0x1c4, "REDUX", exchange},   {0x1c6, "FENCE", barrier},
    {0x1f0, "HGMMA", tensor},      {0x1f1, "IGMMA", tensor},     {0x1f3, "QGMMA", tensor},
});

constexpr auto class_of_code = [] {
  std::array<InstructionClass, code_mask + 1> classes{};
  for (InstructionClass& one : classes) one = other;
  for (const Operation& one : table) classes[one.code] = one.kind;
  return classes;
}();

std::uint16_t operation_at(std::string_view code, std::size_t at) {
  std::uint64_t word = 0;
  std::memcpy(&word, code.data() + at, sizeof word);
  return static_cast<std::uint16_t>(word & code_mask);
}

}  // namespace

std::span<const Operation> operations() {
  return table;
}

void count_instructions(std::string_view code, KernelFigures& figures) {
  std::size_t end = code.size() / instruction_bytes * instruction_bytes;
  while (end > 0 && operation_at(code, end - instruction_bytes) == nop) end -= instruction_bytes;
  for (std::size_t at = 0; at < end; at += instruction_bytes) {
    ++figures.instructions;
    ++figures.by_class[static_cast<std::size_t>(class_of_code[operation_at(code, at)])];
  }
}

}  // namespace harness
