#include "harness/device/cuda/profiling/calls/launch_words.h"

#include <array>
#include <cstring>

namespace harness::cuda {
namespace {

// The smallest and the largest value that can be an address; the driver need not be asked about others.
constexpr std::uint64_t least_address = 1 << 12;
constexpr std::uint64_t most_address = std::uint64_t{1} << 57;

std::int64_t bits_of(float value) {
  std::int32_t bits = 0;
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
}

}  // namespace

Word word_of(const Driver& driver, std::uint64_t value) {
  Word word{value, Word::Memory::none, {}, 0};
  if (value < least_address || value >= most_address) return word;
  std::array attributes{CU_POINTER_ATTRIBUTE_MEMORY_TYPE, CU_POINTER_ATTRIBUTE_IS_MANAGED,
                        CU_POINTER_ATTRIBUTE_BUFFER_ID, CU_POINTER_ATTRIBUTE_RANGE_START_ADDR,
                        CU_POINTER_ATTRIBUTE_RANGE_SIZE};
  std::uint64_t type = 0, managed = 0, id = 0, begin = 0, bytes = 0;
  std::array<void*, attributes.size()> values{&type, &managed, &id, &begin, &bytes};
  if (driver.PointerGetAttributes(static_cast<unsigned>(attributes.size()), attributes.data(), values.data(),
                                  value) != CUDA_SUCCESS)
    return word;
  if (managed != 0)
    word.memory = Word::Memory::managed;
  else if (type == CU_MEMORYTYPE_DEVICE)
    word.memory = Word::Memory::device;
  else if (type != 0)
    word.memory = Word::Memory::host;
  word.allocation = {begin, bytes};
  word.id = id;
  return word;
}

bool add_attribute(DriverCall& call, const CUlaunchAttribute& one) {
  const CUlaunchAttributeValue& value = one.value;
  const auto add = [&](const char* name, std::int64_t figure) { call.figures.emplace_back(name, figure); };
  switch (static_cast<int>(one.id)) {
    case CU_LAUNCH_ATTRIBUTE_IGNORE: return true;
    case CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW:
      add("window_bytes", static_cast<std::int64_t>(value.accessPolicyWindow.num_bytes));
      add("window_ratio", bits_of(value.accessPolicyWindow.hitRatio));
      add("window_hit", value.accessPolicyWindow.hitProp);
      add("window_miss", value.accessPolicyWindow.missProp);
      return true;
    case CU_LAUNCH_ATTRIBUTE_COOPERATIVE: add("cooperative", value.cooperative); return true;
    case CU_LAUNCH_ATTRIBUTE_SYNCHRONIZATION_POLICY: add("sync_policy", value.syncPolicy); return true;
    case CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION:
      add("cluster_x", value.clusterDim.x);
      add("cluster_y", value.clusterDim.y);
      add("cluster_z", value.clusterDim.z);
      return true;
    case CU_LAUNCH_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE:
      add("cluster_scheduling", value.clusterSchedulingPolicyPreference);
      return true;
    case CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION:
      add("programmatic_serialization", value.programmaticStreamSerializationAllowed);
      return true;
    case CU_LAUNCH_ATTRIBUTE_PRIORITY: add("priority", value.priority); return true;
    case CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP:
      add("sync_domain_default", value.memSyncDomainMap.default_);
      add("sync_domain_remote", value.memSyncDomainMap.remote);
      return true;
    case CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN: add("sync_domain", value.memSyncDomain); return true;
    case CU_LAUNCH_ATTRIBUTE_PREFERRED_CLUSTER_DIMENSION:
      add("preferred_cluster_x", value.preferredClusterDim.x);
      add("preferred_cluster_y", value.preferredClusterDim.y);
      add("preferred_cluster_z", value.preferredClusterDim.z);
      return true;
    case CU_LAUNCH_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT:
      add("carveout", value.sharedMemCarveout);
      return true;
    default: return false;
  }
}

}  // namespace harness::cuda
