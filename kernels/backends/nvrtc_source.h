// run_time_source(): the kernels of a fused network as one text for NVRTC, with their sizes as constants.
// Plain host code.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace backends {

struct RunTimeSource {
  std::string text;
  std::vector<std::string> kernels;  // of each step, by name; "" where it is not compiled at run time
};

template <class Network>
RunTimeSource run_time_source(const Network& network) {
  RunTimeSource made;
  made.text =
      "#include \"kernels/backends/network_kernels.cuh\"\n#include \"kernels/block/short_product.cuh\"\n";
  std::map<std::string, std::string> names;  // of kernels by their text: layers share them
  network.each([&](const auto& step) {
    const std::string source = step.source();
    if (source.empty()) return made.kernels.emplace_back("");
    std::string& name = names[source];
    if (name.empty()) {
      name = "network_kernel_" + std::to_string(names.size());
      std::string text = "extern \"C\" __global__ void " + source;
      text.replace(text.find(" kernel("), 8, " " + name + "(");
      made.text += text;
    }
    return made.kernels.emplace_back(name);
  });
  return made;
}

}  // namespace backends
