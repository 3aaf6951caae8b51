// The reader of the driver's functions: graphs that are captured from a stream stand for their calls.
#include <gmock/gmock.h>

#include <string>
#include <utility>
#include <vector>

#include "read_calls.h"
#include "tests/model/fact_matchers.h"

namespace harness::cuda {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;
using testing::SizeIs;

// A graph is captured from stream 0x99, into which launch() launches.
class ReadGraphs : public ReadCalls {
 protected:
  // Whether the case is followed while a graph is made.
  enum class Followed { yes, no };
  void make(Followed how, CUpti_CallbackId id, const char* name, const void* params) {
    if (how == Followed::yes) return call(id, name, params);
    unfollowed(id, name, params);
  }
  void begin_capture() {
    const cuStreamBeginCapture_v2_params params{stream_, CU_STREAM_CAPTURE_MODE_GLOBAL};
    call(CUPTI_DRIVER_TRACE_CBID_cuStreamBeginCapture_v2, "cuStreamBeginCapture_v2", &params);
  }
  void end_capture(Followed how = Followed::yes) {
    const cuStreamEndCapture_params params{stream_, &graph_};
    make(how, CUPTI_DRIVER_TRACE_CBID_cuStreamEndCapture, "cuStreamEndCapture", &params);
  }
  void instantiate(Followed how = Followed::yes) {
    const cuGraphInstantiateWithFlags_params params{&executable_, graph_, 0};
    make(how, CUPTI_DRIVER_TRACE_CBID_cuGraphInstantiateWithFlags, "cuGraphInstantiateWithFlags", &params);
  }
  void update() {
    const cuGraphExecUpdate_v2_params params{executable_, graph_, nullptr};
    call(CUPTI_DRIVER_TRACE_CBID_cuGraphExecUpdate_v2, "cuGraphExecUpdate_v2", &params);
  }
  void launch_graph() {
    const cuGraphLaunch_params params{executable_, reinterpret_cast<CUstream>(0x88)};
    call(CUPTI_DRIVER_TRACE_CBID_cuGraphLaunch, "cuGraphLaunch", &params);
  }
  void make_graph() {
    begin_capture();
    launch();
    end_capture();
    instantiate();
  }
  // The names of the calls that were carried out, and their streams.
  std::vector<std::pair<std::string, std::uint64_t>> carried_out() {
    std::vector<std::pair<std::string, std::uint64_t>> found;
    for (const DriverCall& one : recorder_.history().before)
      found.emplace_back(one.name, one.stream.value_or(0));
    return found;
  }

  CUstream stream_ = reinterpret_cast<CUstream>(0x99);
  CUgraph graph_ = reinterpret_cast<CUgraph>(0x6000);
  CUgraphExec executable_ = reinterpret_cast<CUgraphExec>(0x7000);
};

TEST_F(ReadGraphs, StandForTheCallsThatWereCaptured) {
  make_graph();
  EXPECT_THAT(carried_out(), IsEmpty()) << "nothing is carried out yet";
  launch_graph();
  launch_graph();
  EXPECT_THAT(carried_out(), ElementsAre(Pair("cuGraphLaunch", 0x88), Pair("_Z4gemmPfi", 0x88),
                                         Pair("cuGraphLaunch", 0x88), Pair("_Z4gemmPfi", 0x88)));
  EXPECT_THAT(recorder_.history().gaps, IsEmpty());
  EXPECT_EQ(recorder_.history().before[1].words[0].value, 0x7f0000001010U) << "with its arguments";
}

TEST_F(ReadGraphs, DoWhatTheyWereUpdatedTo) {
  make_graph();
  graph_ = reinterpret_cast<CUgraph>(0x6100);
  begin_capture();
  launch();
  launch();
  end_capture();
  update();
  launch_graph();
  EXPECT_THAT(carried_out(), SizeIs(3));
  EXPECT_THAT(recorder_.history().gaps, IsEmpty());
}

TEST_F(ReadGraphs, AreUnknownWhereTheyWereMadeUnseen) {
  make_graph();
  end_capture(Followed::no);  // another graph with the handle of the first
  instantiate();
  EXPECT_THAT(gap(), FactIs(CauseCode::call_not_followed, {{"call", "cuGraphInstantiateWithFlags"}}));
}

TEST_F(ReadGraphs, AreUnknownWhereTheirHandleBecameAnother) {
  make_graph();
  instantiate(Followed::no);
  launch_graph();
  EXPECT_THAT(gap(), FactIs(CauseCode::call_not_followed, {{"call", "cuGraphLaunch"}}));
}

TEST_F(ReadGraphs, AreUnknownOnceAnyIsChangedUnseen) {
  make_graph();
  unfollowed(CUPTI_DRIVER_TRACE_CBID_cuGraphExecKernelNodeSetParams_v2, "cuGraphExecKernelNodeSetParams_v2",
             nullptr);
  launch_graph();
  EXPECT_THAT(gap(), FactIs(CauseCode::call_not_followed, {{"call", "cuGraphLaunch"}}));
}

TEST_F(ReadGraphs, AreUnknownOnceTheyAreDestroyed) {
  make_graph();
  const cuGraphExecDestroy_params params{executable_};
  unfollowed(CUPTI_DRIVER_TRACE_CBID_cuGraphExecDestroy, "cuGraphExecDestroy", &params);
  launch_graph();
  EXPECT_THAT(gap(), FactIs(CauseCode::call_not_followed, {{"call", "cuGraphLaunch"}}));
}

TEST_F(ReadGraphs, OfSeveralStreamsAreAGap) {
  begin_capture();
  const cuEventRecord_params record{reinterpret_cast<CUevent>(0x77), reinterpret_cast<CUstream>(0x98)};
  call(CUPTI_DRIVER_TRACE_CBID_cuEventRecord, "cuEventRecord", &record);
  end_capture();
  EXPECT_THAT(gap(), FactIs(CauseCode::call_not_followed, {{"call", "cuEventRecord"}}));
}

TEST_F(ReadGraphs, ThatReadTheHostAreAGap) {
  begin_capture();
  const int value = 5;
  const cuMemcpyHtoDAsync_v2_params copy{0x7f0000001000, &value, sizeof value, stream_};
  call(CUPTI_DRIVER_TRACE_CBID_cuMemcpyHtoDAsync_v2, "cuMemcpyHtoDAsync_v2", &copy);
  end_capture();
  EXPECT_THAT(gap(), FactIs(CauseCode::call_not_followed, {{"call", "cuMemcpyHtoDAsync_v2"}}));
}

}  // namespace
}  // namespace harness::cuda
