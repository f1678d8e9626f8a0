// One line of TensorFlow's device placement log (log_device_placement=True, tf.debugging.set_log_device_placement).
#pragma once

#include <optional>
#include <string_view>

#include "trace/trace.h"

namespace gputrace::trace {

// The spellings of the versions, each with or without the logger's prefix "2019-... I tensorflow/.../placer.cc:54] ":
//   conv1/Conv2D: /job:localhost/replica:0/task:0/gpu:0                       before 1.0, also with device:GPU:0
//   conv1/Conv2D: (Conv2D): /job:localhost/replica:0/task:0/device:GPU:0      1.x, as printed on the console
//   conv1/Conv2D: (Conv2D)/job:localhost/replica:0/task:0/cpu:0               1.x, as logged
//   Executing op Conv2D in device /job:localhost/replica:0/task:0/device:GPU:0   2.x, eager
//   conv1/Conv2D (Conv2D) /device:GPU:0                                       asked for, in the placer's notes on soft placement
//   conv1/Conv2D (Conv2D) /device:GPU:0 framework assigned device=/job:localhost/replica:0/task:0/device:CPU:0
std::optional<OpPlacement> parse_placement_line(std::string_view line);

// "/job:localhost/replica:0/task:0/device:GPU:0 -> device: 0, name: GeForce GTX 1060, pci bus id: 0000:01:00.0, compute capability: 6.1"
std::optional<Gpu> parse_device_mapping_line(std::string_view line);

}  // namespace gputrace::trace
