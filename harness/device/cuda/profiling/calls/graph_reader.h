// GraphReader: reads how graphs are captured, made, changed and launched, from CUPTI's callbacks. Any thread
// may call it.
#pragma once

#include <cupti.h>

#include "harness/device/code/case_recorder.h"

namespace harness::cuda {

class GraphReader {
 public:
  explicit GraphReader(CaseRecorder& recorder) : recorder_(recorder) {}

  // Records a launch that begins. False for a call that has nothing to do with captured graphs.
  bool begin(CUpti_CallbackId id, const CUpti_CallbackData& data);
  // Follows what graphs hold. For each call that ends, also while no case is followed.
  void end(CUpti_CallbackId id, const CUpti_CallbackData& data);

 private:
  CaseRecorder& recorder_;
};

}  // namespace harness::cuda
