// Small elements and what unpacks them, against the PTX ISA and the host's conversions.
#include "kernels/ptx/small.cuh"

#include <gmock/gmock.h>

namespace {

using emulate::Buffer;
using emulate::Failure;
using emulate::launch;
using emulate::Options;
using ptx::F16;
using testing::HasSubstr;
using testing::ThrowsMessage;

TEST(SmallElements, AreRoundedToNearestAndSaturate) {
  EXPECT_EQ(ptx::I8::narrow(2.5F), 2);
  EXPECT_EQ(ptx::I8::narrow(-3.5F), -4);
  EXPECT_EQ(ptx::I8::narrow(-1000.0F), -127);
  EXPECT_EQ(ptx::E4M3::narrow(1.0F), 0x38);
  EXPECT_EQ(ptx::E4M3::narrow(-448.0F), 0xFE);
  EXPECT_EQ(ptx::E4M3::narrow(1e9F), 0x7E);
  EXPECT_EQ(ptx::E4M3::narrow(1.0625F), 0x38) << "a tie goes to even";
}

__global__ void select(std::uint32_t selector, std::uint32_t* out) {
  *out = ptx::select_bytes(0x33221100U, 0x77665544U, selector);
}
TEST(SelectBytes, TakesBytesOfBothRegisters) {
  const Buffer<std::uint32_t> out("out", 1);
  launch(Options{}, {1}, {1}, 0, select, 0x4140U, out.data());
  EXPECT_EQ(out[0], 0x44114400U);
  launch(Options{}, {1}, {1}, 0, select, 0x7632U, out.data());
  EXPECT_EQ(out[0], 0x77663322U);
  EXPECT_THAT([&] { launch(Options{}, {1}, {1}, 0, select, 0x8000U, out.data()); },
              ThrowsMessage<Failure>(HasSubstr("prmt with a selector")));
}

TEST(Halves, AreAddedAndMultipliedInPairs) {
  const std::uint32_t a = F16::narrow(1.5F, -2.0F), b = F16::narrow(4.0F, 0.5F), c = F16::narrow(1.0F, 3.0F);
  EXPECT_EQ(ptx::add_halves(a, b), F16::narrow(5.5F, -1.5F));
  EXPECT_EQ(ptx::multiply_add_halves(a, b, c), F16::narrow(7.0F, 2.0F));
}

__global__ void store(unsigned char* to) {
  ptx::store_sixteen(to, {1, 2, 3, 4});
}
TEST(StoreSixteen, NeedsSixteenBytesOfABufferAndAnAlignedAddress) {
  const Buffer<unsigned char> out("out", 40);
  launch(Options{}, {1}, {1}, 0, store, out.data() + 16);
  EXPECT_EQ(out[20], 2);
  EXPECT_EQ(out[28], 4);
  EXPECT_THAT([&] { launch(Options{}, {1}, {1}, 0, store, out.data() + 8); },
              ThrowsMessage<Failure>(HasSubstr("not aligned")));
  EXPECT_THAT([&] { launch(Options{}, {1}, {1}, 0, store, out.data() + 32); },
              ThrowsMessage<Failure>(HasSubstr("at byte 32 of `out`, which has 40")));
}

__global__ void load(const unsigned char* from, uint4* to) {
  *to = ptx::load_once(from);
}
TEST(LoadOnce, NeedsSixteenBytesOfABufferAndAnAlignedAddress) {
  const Buffer<unsigned char> in("in", 40);
  for (std::size_t i = 0; i < in.size(); ++i) in[i] = static_cast<unsigned char>(i);
  const Buffer<uint4> out("out", 1);
  launch(Options{}, {1}, {1}, 0, load, in.data() + 16, out.data());
  EXPECT_EQ(out[0].x, 0x13121110U);
  EXPECT_EQ(out[0].w, 0x1F1E1D1CU);
  EXPECT_THAT([&] { launch(Options{}, {1}, {1}, 0, load, in.data() + 8, out.data()); },
              ThrowsMessage<Failure>(HasSubstr("not aligned")));
  EXPECT_THAT([&] { launch(Options{}, {1}, {1}, 0, load, in.data() + 32, out.data()); },
              ThrowsMessage<Failure>(HasSubstr("at byte 32 of `in`, which has 40")));
}

}  // namespace
