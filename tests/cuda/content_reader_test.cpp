// The hashes of what calls copy from the host, with a driver of the test's own.
#include "harness/device/cuda/inject/content_reader.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <numeric>

namespace harness::inject {
namespace {

constexpr CUdeviceptr on_device = 0x7e1200000000;

constexpr std::uint64_t of_host = 1000;            // ids from here on are of memory of the host
std::map<CUdeviceptr, std::uint64_t> allocations;  // of 4096 bytes: ids by begin

CUresult pointer_attributes(unsigned, CUpointer_attribute*, void** data, CUdeviceptr pointer) {
  auto found = allocations.upper_bound(pointer);
  if (found == allocations.begin() || pointer >= (--found)->first + 4096) return CUDA_SUCCESS;
  *static_cast<unsigned*>(data[0]) = found->second >= of_host ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE;
  *static_cast<std::uint64_t*>(data[2]) = found->second;
  *static_cast<std::uint64_t*>(data[3]) = found->first;
  *static_cast<std::uint64_t*>(data[4]) = 4096;
  return CUDA_SUCCESS;
}

class Contents : public testing::Test {
 protected:
  Contents() {
    driver_.PointerGetAttributes = pointer_attributes;
    allocations = {{on_device, 1}};
    reader_.emplace(driver_);
    std::iota(bytes_.begin(), bytes_.end(), 1);
  }

  using Hash = std::array<std::uint32_t, 4>;
  template <class Params>
  std::optional<Hash> call(CUpti_CallbackId id, const Params& params,
                           CUpti_ApiCallbackSite site = CUPTI_API_ENTER) {
    CUpti_CallbackData data{};
    data.functionParams = &params;
    data.callbackSite = site;
    data.correlationId = 17;
    const std::optional<trace::Content> content = reader_->take(id, data);
    if (!content) return std::nullopt;
    EXPECT_EQ(content->correlation, 17U);
    Hash hash{};
    std::copy_n(content->hash, hash.size(), hash.begin());
    return hash;
  }
  std::optional<Hash> upload(const void* from, std::size_t count) {
    return call(CUPTI_DRIVER_TRACE_CBID_cuMemcpyHtoD_v2, cuMemcpyHtoD_v2_params{on_device, from, count});
  }
  [[nodiscard]] CUdeviceptr address(std::size_t at) const {
    return reinterpret_cast<CUdeviceptr>(bytes_.data() + at);
  }

  cuda::Driver driver_;
  std::array<unsigned char, 64> bytes_{};
  std::optional<ContentReader> reader_;
};

TEST_F(Contents, AreTheSha256OfTheBytes) {
  const auto hash = upload("abc", 3);
  ASSERT_TRUE(hash);
  // FIPS 180-4, example B.1: ba7816bf 8f01cfea 414140de 5dae2223 ...
  const std::array<unsigned char, 16> expected{0xba, 0x78, 0x16, 0xbf, 0x8f, 0x01, 0xcf, 0xea,
                                               0x41, 0x41, 0x40, 0xde, 0x5d, 0xae, 0x22, 0x23};
  EXPECT_EQ(std::memcmp(hash->data(), expected.data(), expected.size()), 0);
  EXPECT_EQ(reader_->bytes(), 3U);
  EXPECT_EQ(reader_->problem(), "");
}

TEST_F(Contents, OfAllKindsOfCallsAreTheSame) {
  const auto hash = upload(bytes_.data(), 12);
  const void* from = bytes_.data();
  EXPECT_EQ(call(CUPTI_DRIVER_TRACE_CBID_cuMemcpyHtoDAsync_v2_ptsz,
                 cuMemcpyHtoDAsync_v2_params{on_device, from, 12, nullptr}),
            hash);
  EXPECT_EQ(call(CUPTI_DRIVER_TRACE_CBID_cuMemcpy, cuMemcpy_params{on_device, address(0), 12}), hash);
  EXPECT_EQ(
      call(CUPTI_DRIVER_TRACE_CBID_cuMemcpyAsync, cuMemcpyAsync_params{on_device, address(0), 12, nullptr}),
      hash);
  EXPECT_EQ(call(CUPTI_DRIVER_TRACE_CBID_cuMemcpyHtoA_v2, cuMemcpyHtoA_v2_params{nullptr, 0, from, 12}),
            hash);
  EXPECT_EQ(call(CUPTI_DRIVER_TRACE_CBID_cuMemcpyHtoAAsync_v2,
                 cuMemcpyHtoAAsync_v2_params{nullptr, 0, from, 12, nullptr}),
            hash);
  std::array<CUdeviceptr, 3> to{on_device, on_device, on_device};
  std::array<CUdeviceptr, 3> parts{address(0), on_device, address(4)};
  std::array<std::size_t, 3> sizes{4, 100, 8};
  cuMemcpyBatchAsync_params batch{};
  batch.dsts = to.data();
  batch.srcs = parts.data();
  batch.sizes = sizes.data();
  batch.count = 3;
  EXPECT_EQ(call(CUPTI_DRIVER_TRACE_CBID_cuMemcpyBatchAsync, batch), hash)
      << "what is on the device is no input";
}

TEST_F(Contents, OfPlanesAndCuboidsAreThoseOfTheirRows) {
  // Rows of 4 bytes in a pitch of 16, from the second row and the third byte on.
  std::array<unsigned char, 8> rows{};
  std::memcpy(rows.data(), bytes_.data() + 16 + 2, 4);
  std::memcpy(rows.data() + 4, bytes_.data() + 32 + 2, 4);
  CUDA_MEMCPY2D plane{};
  plane.srcMemoryType = CU_MEMORYTYPE_HOST;
  plane.srcHost = bytes_.data();
  plane.srcPitch = 16;
  plane.srcXInBytes = 2;
  plane.srcY = 1;
  plane.WidthInBytes = 4;
  plane.Height = 2;
  const auto expected = upload(rows.data(), rows.size());
  EXPECT_EQ(call(CUPTI_DRIVER_TRACE_CBID_cuMemcpy2D_v2, cuMemcpy2D_v2_params{&plane}), expected);
  plane.srcMemoryType = CU_MEMORYTYPE_UNIFIED;
  plane.srcHost = nullptr;
  plane.srcDevice = address(0);
  EXPECT_EQ(call(CUPTI_DRIVER_TRACE_CBID_cuMemcpy2DUnaligned_v2, cuMemcpy2DUnaligned_v2_params{&plane}),
            expected);
  plane.srcDevice = on_device;
  EXPECT_FALSE(call(CUPTI_DRIVER_TRACE_CBID_cuMemcpy2DAsync_v2, cuMemcpy2DAsync_v2_params{&plane, nullptr}));
  plane.srcMemoryType = CU_MEMORYTYPE_ARRAY;
  EXPECT_FALSE(call(CUPTI_DRIVER_TRACE_CBID_cuMemcpy2D_v2, cuMemcpy2D_v2_params{&plane}));
  // Two slices of two rows of 8 bytes, of which the last row of each is taken.
  std::memcpy(rows.data(), bytes_.data() + 8, 4);
  std::memcpy(rows.data() + 4, bytes_.data() + 24, 4);
  CUDA_MEMCPY3D cuboid{};
  cuboid.srcMemoryType = CU_MEMORYTYPE_HOST;
  cuboid.srcHost = bytes_.data();
  cuboid.srcPitch = 8;
  cuboid.srcHeight = 2;
  cuboid.srcY = 1;
  cuboid.WidthInBytes = 4;
  cuboid.Height = 1;
  cuboid.Depth = 2;
  EXPECT_EQ(call(CUPTI_DRIVER_TRACE_CBID_cuMemcpy3D_v2, cuMemcpy3D_v2_params{&cuboid}),
            upload(rows.data(), rows.size()));
}

// A table of pointers is the same in a process where memory lies elsewhere.
TEST_F(Contents, OfATableArePlacesInAllocations) {
  const auto table = [this](CUdeviceptr first, CUdeviceptr second, std::uint64_t offset) {
    const std::array<std::uint64_t, 3> pointers{first + offset, second, first};
    return upload(pointers.data(), sizeof pointers);
  };
  allocations = {{on_device, 1}, {on_device + 0x10000, 2}};
  const auto here = table(on_device, on_device + 0x10000, 8);
  EXPECT_NE(table(on_device, on_device + 0x10000, 16), here) << "another offset";
  EXPECT_NE(table(on_device, on_device, 8), here) << "another allocation";
  reader_.emplace(driver_);
  allocations = {{0x7f0100000000, 31}, {0x7f0200000000, 37}};
  EXPECT_EQ(table(0x7f0100000000, 0x7f0200000000, 8), here);
  const std::array<std::uint64_t, 2> on_stack{reinterpret_cast<std::uint64_t>(&here), 5};
  const std::array<std::uint64_t, 2> beside{reinterpret_cast<std::uint64_t>(&on_stack), 5};
  EXPECT_EQ(upload(on_stack.data(), sizeof on_stack), upload(beside.data(), sizeof beside));
}

TEST_F(Contents, TellMemoryOfTheHostThatATableLeadsTo) {
  allocations = {{on_device, 1}, {0x7e1300000000, of_host}};
  const std::array<std::uint64_t, 2> to_device{on_device, on_device + 8};
  upload(to_device.data(), sizeof to_device);
  EXPECT_EQ(reader_->shared_bytes(), 0U);
  const std::array<std::uint64_t, 2> to_host{0x7e1300000008, 0x7e1300000010};
  upload(to_host.data(), sizeof to_host);
  EXPECT_EQ(reader_->shared_bytes(), 4096U) << "once";
}

TEST_F(Contents, OfLargeCopiesAreTheirBytes) {
  std::vector<std::uint64_t> large(ContentReader::small / sizeof(std::uint64_t) + 1, 7);
  large.front() = on_device;
  const auto one = upload(large.data(), large.size() * sizeof(std::uint64_t));
  large.front() = on_device + 1;
  EXPECT_NE(upload(large.data(), large.size() * sizeof(std::uint64_t)), one);
}

TEST_F(Contents, AreNotReadWhereNothingComesFromTheHost) {
  EXPECT_FALSE(upload(bytes_.data(), 0));
  EXPECT_FALSE(call(CUPTI_DRIVER_TRACE_CBID_cuMemcpy, cuMemcpy_params{address(0), on_device, 12}));
  EXPECT_FALSE(call(CUPTI_DRIVER_TRACE_CBID_cuMemcpyHtoD_v2,
                    cuMemcpyHtoD_v2_params{on_device, bytes_.data(), 12}, CUPTI_API_EXIT));
  EXPECT_EQ(reader_->bytes(), 0U);
}

// The bytes of a copy that is too large are counted, and not touched.
TEST_F(Contents, EndWhereThereAreTooMany) {
  EXPECT_TRUE(upload(bytes_.data(), 12));
  EXPECT_FALSE(upload(bytes_.data(), ContentReader::most_bytes));
  EXPECT_EQ(reader_->problem(), "more than 8 GB");
  EXPECT_FALSE(upload(bytes_.data(), 12)) << "and stay ended";
  EXPECT_EQ(reader_->bytes(), ContentReader::most_bytes + 24);
}

}  // namespace
}  // namespace harness::inject
