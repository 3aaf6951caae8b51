// Spells a GPU's identity for records and folder names. Pure text; no CUDA here.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace harness::cuda {

// The machine class of a device's marketing name: lower case, every run of other characters one "-".
// "NVIDIA H200" -> "nvidia-h200"; "NVIDIA RTX 6000 Ada Generation" -> "nvidia-rtx-6000-ada-generation".
std::string machine_class_of(std::string_view device_name);

// "GPU-8f3c2a10-0b1c-2d3e-4f50-617283940a1b", as nvidia-smi prints the 16 bytes of a device's UUID.
std::string uuid_text(std::span<const char, 16> bytes);

// 13000 -> "13.0", 12040 -> "12.4": how CUDA encodes its versions.
std::string version_text(int encoded);

}  // namespace harness::cuda
