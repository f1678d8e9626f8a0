#include "tests/trainer/cuda/call_log.h"

#include <algorithm>

#include <fmt/format.h>

#include "tests/support/cudart/stand_in.h"
#include "trainer/kernel_names.h"

namespace trainer::test {

namespace names = kernel_names;

namespace {

std::string text_of(const Buffer& buffer) {
  if (buffer.memory == Memory::device) return fmt::format("device {}", buffer.device);
  if (buffer.memory == Memory::managed) return "managed";
  return buffer.memory == Memory::pinned ? "pinned" : "pageable";
}

// What the mangled name of a launched kernel must hold, for each name of the trainer's: the expression of Eigen's, the kernel of our
// own, or the product that a test's stand-in for cuBLAS notes.
struct LaunchedAs {
  std::string_view name, variant;
  std::vector<std::string_view> parts;
};

constexpr std::string_view kElementwise = "TensorIfLi1E", kRows = "TensorIfLi2E", kChannels = "TensorIfLi3E", kImages = "TensorIfLi4E";
constexpr std::string_view kRepeated = "TensorBroadcastingOp", kBound = "bind2nd_op";

const std::vector<LaunchedAs>& launched_as() {
  static const std::vector<LaunchedAs> all{
      {names::kRelu, {}, {"EigenMetaKernel", "scalar_max_op", kElementwise}},
      {names::kNegate, {}, {"scalar_opposite_op", kElementwise}},
      {names::kSigmoid, {}, {"scalar_logistic_op", kElementwise}},
      {names::kReciprocalSquareRoot, {}, {"scalar_rsqrt_op", kElementwise}},
      {names::kSquareRoot, {}, {"scalar_sqrt_op", kElementwise}},
      {names::kMultiplyScalar, {}, {kBound, "scalar_product_op", kElementwise}},
      {names::kAddScalar, {}, {kBound, "scalar_sum_op", kElementwise}},
      {names::kDivideScalar, {}, {kBound, "scalar_quotient_op", kElementwise}},
      {names::kDivideScalar, names::kClipVariant, {"ClipFactor", kElementwise}},
      {names::kFill, {}, {"TensorCwiseNullaryOp", kElementwise}},
      {names::kAdd, {}, {"TensorCwiseBinaryOp", "scalar_sum_op", kElementwise}},
      {names::kSubtract, {}, {"TensorCwiseBinaryOp", "scalar_difference_op", kElementwise}},
      {names::kMultiply, {}, {"TensorCwiseBinaryOp", "scalar_product_op", kElementwise}},
      {names::kReluGradient, {}, {"TensorSelectOp", kElementwise}},
      {names::kSigmoidGradient, {}, {"SigmoidGradient", kElementwise}},
      {names::kReciprocalSquareRootGradient, {}, {"ReciprocalSquareRootGradient", kElementwise}},
      {names::kMomentumAccumulator, {}, {"scalar_sum_op", kBound, kElementwise}},
      {names::kMomentumVariable, {}, {"scalar_difference_op", kBound, kElementwise}},
      {names::kAdamFirstMoment, {}, {"scalar_sum_op", "scalar_difference_op", kElementwise}},
      {names::kAdamSecondMoment, {}, {"scalar_sum_op", "scalar_square_op", kElementwise}},
      {names::kBroadcastAdd, {}, {kRepeated, "scalar_sum_op", kRows}},
      {names::kBroadcastSubtract, {}, {kRepeated, "scalar_difference_op", kRows}},
      {names::kBroadcastMultiply, {}, {kRepeated, "scalar_product_op", kRows}},
      {names::kBroadcastSquaredDifference, {}, {kRepeated, "SquaredDifference", kRows}},
      {names::kChannelAdd, {}, {kRepeated, "scalar_sum_op", kChannels}},
      {names::kChannelSubtract, {}, {kRepeated, "scalar_difference_op", kChannels}},
      {names::kChannelMultiply, {}, {kRepeated, "scalar_product_op", kChannels}},
      {names::kChannelSquaredDifference, {}, {kRepeated, "SquaredDifference", kChannels}},
      {names::kTile2, {}, {kRepeated, kRows}},
      {names::kTile4, {}, {kRepeated, kImages}},
      {names::kPad, {}, {"TensorPaddingOp", kImages}},
      {names::kSlice, {}, {"TensorSlicingOp", kImages}},
      {names::kStridedRead, {}, {"TensorStridingOp", kImages}},
      {names::kStridedAssign, {}, {"TensorAssignOpINS_16TensorStridingOp", kImages}},
      {names::kShuffle4, {}, {"TensorShufflingOp", kImages}},
      {names::kTransformFilter, {}, {"TensorShufflingOp", kChannels}},
      {names::kOuterSum, {}, {"SumReducer"}},
      {names::kOuterMean, {}, {"SumReducer", "scalar_product_op"}},
      {names::kInnerMean, {}, {"SumReducer", "scalar_product_op"}},
      {names::kFullMean, {}, {"FullReductionKernel", "SumReducer"}},
      {names::kL2Loss, {}, {"FullReductionKernel", "scalar_square_op"}},
      {names::kSumOfChannels, {}, {"EigenMetaKernel", "SumReducer", "Lm2E"}},
      {names::kMeanOfChannels, {}, {"EigenMetaKernel", "MeanReducer", "Lm2E"}},
      {names::kAdd3, {}, {"AddMany"}},
      {names::kAdamVariable, {}, {"AdamVariable"}},
      {names::kInnerSum, names::kCrossEntropyVariant, {"RowStatistics"}},
      {names::kSubtract, names::kCrossEntropyVariant, {"CrossEntropyGradient"}},
      {names::kSwapDimensions12, {}, {"SwapDimensions"}},
      {names::kBatchNormForward, {}, {"BatchNormForward"}},
      {names::kBatchNormBackward, {}, {"BatchNormBackward"}},
      {names::kConvolutionForward, {}, {"ConvolutionForward"}},
      {names::kConvolutionBackwardData, {}, {"ConvolutionBackwardData"}},
      {names::kConvolutionBackwardFilter, {}, {"ConvolutionBackwardFilter"}},
      {names::kSgemmNN, {}, {"sgemm NN"}},
      {names::kSgemmNT, {}, {"sgemm NT"}},
      {names::kSgemmTN, {}, {"sgemm TN"}},
  };
  return all;
}

std::string launch_text(std::string_view name, std::string_view variant) {
  return fmt::format("launch {}{}{}", name, variant.empty() ? "" : " ", variant);
}

bool is_the_same(const std::string& asked, const std::string& reached) {
  if (!asked.starts_with("launch ")) return asked == reached;
  for (const LaunchedAs& known : launched_as()) {
    if (launch_text(known.name, known.variant) != asked) continue;
    return reached.starts_with("launch ") && std::all_of(known.parts.begin(), known.parts.end(), [&](std::string_view part) {
             return reached.find(part) != std::string::npos;
           });
  }
  return false;
}

std::string difference(int stream, const std::vector<std::string>& asked, const std::vector<std::string>& reached) {
  std::size_t at = 0;
  for (const std::string& call : asked) {
    const bool prepared = at < reached.size() && reached[at].find("ReductionInitKernel") != std::string::npos;
    if (prepared) ++at;
    if (at == reached.size()) return fmt::format("stream {}: {} is missing", stream, call);
    if (!is_the_same(call, reached[at])) return fmt::format("stream {}, call {}: {} became {}", stream, at, call, reached[at]);
    ++at;
  }
  return at == reached.size() ? "" : fmt::format("stream {}: {} was not asked for", stream, reached[at]);
}

}  // namespace

Stream CallLog::create_stream(int device) {
  const Stream stream = backend_.create_stream(device);
  const int number = static_cast<int>(streams_.size()) + 1;
  streams_[{stream.device, stream.id}] = number;
  return stream;
}

Event CallLog::create_event(int device) {
  const Event event = backend_.create_event(device);
  const int number = static_cast<int>(events_.size()) + 1;
  events_[event.id] = number;
  return event;
}

Buffer CallLog::allocate(Memory memory, int device, std::size_t size_bytes, bool with_storage) {
  if (memory != Memory::pageable) of_device(device).push_back(fmt::format("allocate {}", size_bytes));
  return backend_.allocate(memory, device, size_bytes, with_storage);
}

void CallLog::release(const Buffer& buffer) {
  if (buffer.memory != Memory::pageable) of_device(buffer.device).push_back("release");
  backend_.release(buffer);
}

void CallLog::copy_async(const Buffer& to, const Buffer& from, std::size_t bytes, Stream stream) {
  of(stream).push_back(fmt::format("copy {} {} {}", text_of(from), text_of(to), bytes));
  backend_.copy_async(to, from, bytes, stream);
}

void CallLog::fill_async(const Buffer& buffer, int value, std::size_t bytes, Stream stream) {
  of(stream).push_back(fmt::format("fill {}", bytes));
  backend_.fill_async(buffer, value, bytes, stream);
}

void CallLog::launch(Stream stream, const KernelLaunch& kernel) {
  of(stream).push_back(launch_text(kernel.mangled_name, kernel.operands ? kernel.operands->variant : ""));
  backend_.launch(stream, kernel);
}

void CallLog::record(Event event, Stream stream) {
  of(stream).push_back("record " + number(event));
  backend_.record(event, stream);
}

void CallLog::wait(Stream stream, Event event) {
  of(stream).push_back("wait " + number(event));
  backend_.wait(stream, event);
}

void CallLog::synchronize(Stream stream) {
  of(stream).push_back("synchronize stream");
  backend_.synchronize(stream);
}

void CallLog::synchronize(Event event) {
  of_device(0).push_back("synchronize event " + number(event));
  backend_.synchronize(event);
}

void CallLog::synchronize_device(int device) {
  of_device(device).push_back("synchronize device");
  backend_.synchronize_device(device);
}

Calls runtime_calls() {
  Calls calls;
  for (const cudart_stand_in::Call& call : cudart_stand_in::take_calls()) {
    if (call.text.starts_with("reach ")) continue;
    calls[call.stream < 0 ? -1 - call.device : call.stream].push_back(call.text);
  }
  return calls;
}

std::string difference(const Calls& asked, const Calls& reached) {
  static const std::vector<std::string> kNothing;
  for (const auto& [stream, calls] : asked) {
    const auto found = reached.find(stream);
    const std::string first = difference(stream, calls, found == reached.end() ? kNothing : found->second);
    if (!first.empty()) return first;
  }
  for (const auto& [stream, calls] : reached) {
    if (!asked.contains(stream) && !calls.empty()) return fmt::format("stream {}: {} was not asked for", stream, calls.front());
  }
  return {};
}

}  // namespace trainer::test
