// Call: cuDNN's fused attention of one shape, ready to run; and PlannedGraph, what it shares with other
// operations of the library. The plan is made once, before timing; a call executes it. Host code without
// CUDA; it belongs to one thread at a time.
#pragma once

#include <limits>
#include <vector>

#include "harness/sdk/variant.h"
#include "kernels/attention/cudnn_sdpa.h"

namespace attention::cudnn {

// A library handle on the current device.
class Handle {
 public:
  explicit Handle(const Library& library) : library_(library) {
    library.check(library.create(&handle_), "cudnnCreate");
  }
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  ~Handle() { library_.destroy(handle_); }
  [[nodiscard]] void* get() const { return handle_; }

 private:
  const Library& library_;
  void* handle_ = nullptr;
};

// The plan of a graph, ready to run. `what` is the graph's, in messages.
class PlannedGraph {
 public:
  PlannedGraph(const Library& library, const Handle& handle, const Descriptor& graph, const char* what)
      : library_(library),
        handle_(handle.get()),
        plan_(library, graph, {handle_, nullptr}, what),
        pack_(library, Kind::variant_pack) {}

  [[nodiscard]] std::size_t workspace_bytes() const {
    return static_cast<std::size_t>(plan_.workspace_bytes());
  }
  // The addresses of the tensors with these numbers.
  void bind(const std::vector<std::int64_t>& ids, const std::vector<void*>& pointers, void* workspace) {
    pack_ = Descriptor(library_, Kind::variant_pack);
    pack_.set(Attribute::pack_ids, ids);
    pack_.set(Attribute::pack_pointers, Type::pointer, static_cast<std::int64_t>(pointers.size()),
              pointers.data());
    pack_.set(Attribute::pack_workspace, Type::pointer, workspace);
    pack_.finalize();
  }
  void run(harness::sdk::Stream stream) {
    if (stream.handle != stream_) {
      library_.check(library_.set_stream(handle_, stream.handle), "cudnnSetStream");
      stream_ = stream.handle;
    }
    library_.check(library_.execute(handle_, plan_.descriptor().raw(), pack_.raw()), "cudnnBackendExecute");
  }

 private:
  const Library& library_;
  void* handle_;
  Plan plan_;
  Descriptor pack_;
  void* stream_ = nullptr;
};

class Call {
 public:
  explicit Call(const Shape& shape)
      : shape_(shape),
        handle_(Library::instance()),
        graph_(Library::instance(), shape_, {handle_.get(), nullptr}),
        planned_(Library::instance(), handle_, graph_.descriptor(), "forward attention"),
        scale_(static_cast<float>(shape_.scale())),
        window_(static_cast<std::int32_t>(shape_.window)) {}

  [[nodiscard]] std::size_t workspace_bytes() const { return planned_.workspace_bytes(); }

  void bind(const harness::sdk::Buffers& buffers) {
    std::vector<std::int64_t> ids = {q_id, k_id, v_id, o_id, scale_id};
    std::vector<void*> pointers = {buffers.as<void>(q_index), buffers.as<void>(k_index),
                                   buffers.as<void>(v_index), buffers.as<void>(o_index), &scale_};
    if (shape_.causal) {
      ids.push_back(masked_id);
      pointers.push_back(&masked_);
    }
    if (shape_.causal && shape_.window > 0) {
      ids.push_back(window_id);
      pointers.push_back(&window_);
    }
    planned_.bind(ids, pointers, buffers.workspace);
  }

  void run(harness::sdk::Stream stream) { planned_.run(stream); }

 private:
  Shape shape_;
  Handle handle_;
  Graph graph_;
  PlannedGraph planned_;
  float scale_;
  float masked_ = std::numeric_limits<float>::lowest();  // finite: no infinity minus infinity can occur
  std::int32_t window_;
};

}  // namespace attention::cudnn
