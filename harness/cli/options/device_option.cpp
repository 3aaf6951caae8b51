#include "harness/cli/options/device_option.h"

#include <algorithm>
#include <set>

#include "harness/cli/options/typed_option.h"
#include "harness/device/host/gpu_state.h"
#include "harness/device/open.h"

namespace harness {
namespace {

// "cpu, cuda, cuda:N"
std::string device_names() {
  std::vector<std::string> names;
  for (const DeviceKind& kind : device_kinds) {
    names.emplace_back(kind.name);
    if (kind.is_gpu) names.push_back(fmt::format("{}:N", kind.name));
  }
  return join(names, ", ");
}

Result<std::string> parse_device(const std::string& name) {
  if (name == cuda_kind.name) return gpu_device_name(0);
  const DeviceKind* kind = find_device_kind(name);
  const bool is_host = kind != nullptr && !kind->is_gpu;
  if (is_host || cuda_ordinal(name) || is_scripted_device(name)) return name;
  // Other words for a GPU lie nearer to `cpu` than to the name of its kind.
  const std::size_t colon = std::min(name.find(':'), name.size());
  const std::vector<std::string> words{std::string(cpu_kind.name), "gpu", "nvidia"};
  const auto word = nearest(to_lower(name.substr(0, colon)), words);
  auto near = nearest(name, usual_device_names());
  if (word && *word != cpu_kind.name) {
    near = std::string(cuda_kind.name) + name.substr(colon);
    if (!cuda_ordinal(*near)) near = cuda_kind.name;
  }
  return fail(ErrorKind::usage, fmt::format("`{}` is not a device", printable(name)),
              near ? fmt::format("did you mean `{}`?", printable(*near)) : "known: " + device_names());
}

Result<DeviceOption> parse_devices(const std::string& text) {
  DeviceOption option{text, {}};
  std::set<std::string> kinds;
  for (const std::string& word : split(text, ',')) {
    Result<std::string> name = parse_device(std::string(trim(word)));
    if (!name) return fail(name.error());
    kinds.insert(name->substr(0, name->find(':')));
    if (std::find(option.names.begin(), option.names.end(), *name) != option.names.end())
      return fail(ErrorKind::usage, fmt::format("{} is named twice", printable(*name)));
    option.names.push_back(std::move(*name));
  }
  if (kinds.size() == 1) return option;
  return fail(ErrorKind::usage, "several devices must be of one kind",
              "leave --device out to use every kind that the suite names");
}

}  // namespace

std::string script_of(const std::string& device) {
  return device.substr(device.find(':') + 1);
}

CLI::Option* DeviceOption::add_to(CLI::App& command) {
  return add_typed(
             command, "--device", *this, parse_devices,
             device_names() +
                 ", numbered as in nvidia-smi; several with commas, if the suite's `devices` allows it; "
                 "default: every device that the suite names")
      ->type_name("NAME");
}

}  // namespace harness
