#include "tests/reports/diagnosis_samples.h"

namespace gputrace::tests {
namespace {

using namespace analyzer;
using trace::DeviceId;
using trace::Span;

constexpr std::int64_t kMs = 1'000'000;
constexpr std::int64_t kSecond = 1'000 * kMs;

const char* const kPaddingKernel =
    "void Eigen::internal::EigenMetaKernel_NonVectorizable<Eigen::TensorEvaluator<Eigen::TensorAssignOp<"
    "Eigen::TensorMap<Eigen::Tensor<float, int=4, int=1, long>, int=16>, Eigen::TensorPaddingOp<Eigen::array<"
    "std::pair<int, int>, unsigned long=4> const, Eigen::TensorMap<Eigen::Tensor<float const, int=4, int=1, long>, "
    "int=16> const > const > const, Eigen::GpuDevice>, long>(float, int=4)";

DeviceReport gpu(int id, const char* name, std::vector<TimePart> parts) {
  DeviceReport report;
  report.device = DeviceId{id};
  report.name = name;
  report.used = true;
  report.compute_utilization = 0.125;
  report.kernel_concurrency = 0.0;
  report.copy_overlap = 0.25;
  report.parts = std::move(parts);
  return report;
}

std::vector<TimePart> parts_of_slow_run(std::int64_t window_ns) {
  return {{"compute", window_ns / 8}, {"copy", window_ns / 16}, {"compute+copy", window_ns / 48},
          {"idle.host op", window_ns - window_ns / 8 - window_ns / 16 - window_ns / 48}};
}

std::vector<Finding> findings_of_slow_run() {
  return {{.rule = "cpu-placed-ops", .verdict = Verdict::found, .severity = Severity::critical,
           .title = "Six matmul ops that were asked for GPU 0 and GPU 1 run on the CPU",
           .why = "The inner device block /cpu:0 is nested in /gpu:i, and the inner one decides. The ops matmul_0 to "
                  "matmul_5 take 4.1 s of each step on the CPU, while both GPUs wait.",
           .at_stake_ns_per_step = 4'100 * kMs, .recoverable_ns_per_step = 4'017 * kMs, .predicted_speedup = 5.628,
           .evidence = {{{kSecond, kSecond + 812 * kMs}, std::nullopt, "matmul_3 on /cpu:0, asked for /gpu:0"},
                        {{2 * kSecond, 2 * kSecond + 640 * kMs}, DeviceId{0}, "GPU 0 waits for matmul_4"},
                        {{3 * kSecond, 3 * kSecond + 590 * kMs}, DeviceId{1}, "GPU 1 waits for matmul_4"},
                        {{4 * kSecond, 4 * kSecond + 12 * kMs}, DeviceId{1}, "GPU 1 waits for matmul_5"}},
           .advice = {"Remove the inner tf.device('/cpu:0') around the tower, so that its ops stay on the GPU.",
                      "Keep only the variables on the CPU."}},
          {.rule = "pcie-bound-transfers", .verdict = Verdict::found, .severity = Severity::info,
           .title = "Copies from pageable memory run at a quarter of the link's rate",
           .why = "Pinned memory would copy at the rate of the link.", .at_stake_ns_per_step = 21 * kMs,
           .recoverable_ns_per_step = 15 * kMs, .predicted_speedup = 1.003, .evidence = {},
           .advice = {"Allocate the input buffers with cudaHostAlloc."}},
          {.rule = "exposed-communication", .verdict = Verdict::could_not_look, .severity = Severity::info, .title = "",
           .why = "no NCCL kernels and no peer copies in the trace", .evidence = {}, .advice = {}},
          {.rule = "low-kernel-concurrency", .verdict = Verdict::nothing, .severity = Severity::info, .title = "",
           .why = "", .evidence = {}, .advice = {}}};
}

ActivityStrip strip(int id, float compute, float copy) {
  ActivityStrip strip{DeviceId{id}, {}};
  for (int i = 0; i < 40; ++i) strip.stretches.push_back({i % 4 == 0 ? compute : 0, i % 8 == 1 ? 0.5f : 0, i % 5 == 0 ? copy : 0});
  return strip;
}

// The second step: ops on the host, short kernels and a copy on GPU 0, nothing on GPU 1.
StepPicture picture_of_slow_run() {
  const std::int64_t start = 4'885 * kMs;
  const auto at = [start](std::int64_t from_ms, std::int64_t to_ms) { return Span{start + from_ms * kMs, start + to_ms * kMs}; };
  StepPicture picture{.step = 1, .span = at(0, 4'885), .lanes = {}, .merged_below_ns = 298'000};
  picture.lanes.push_back({LaneKind::host, std::nullopt, "trainer",
                           {{at(10, 2'000), 1, 1'990 * kMs, "matmul_0, device = /cpu:0", ""},
                            {at(2'100, 4'700), 6, 2'400 * kMs, "matmul_1, device = /cpu:0", ""}}});
  picture.lanes.push_back({LaneKind::compute, DeviceId{0}, "",
                           {{at(2'010, 2'050), 1, 40 * kMs, "eigen: y = pad(x)", "layout change"},
                            {at(4'710, 4'800), 12, 70 * kMs, "cublas: sgemm 128x128", "matmul"}}});
  picture.lanes.push_back({LaneKind::copy, DeviceId{0}, "", {{at(2'050, 2'090), 1, 40 * kMs, "device to host", ""}}});
  picture.lanes.push_back({LaneKind::compute, DeviceId{1}, "", {}});
  return picture;
}

ChartData charts_of_slow_run() {
  return {.activity = {strip(0, 0.25f, 1.0f), strip(1, 0.125f, 0)},
          .step = picture_of_slow_run(),
          .traffic = {{"host", "GPU 0", 4097, 13'630'000'000, 4'460 * kMs, 3.056, 3.2, 12.2, "recorded: PCIe 3.0 x16"},
                      {"GPU 0", "host", 10, 24'000, 3'000, std::nullopt, std::nullopt, 12.2, "recorded: PCIe 3.0 x16"},
                      {"GPU 0", "GPU 1", 0, 0, 0, std::nullopt, std::nullopt, 25.0, "recorded: NVLink 2 x1"}},
          .copy_sizes = {{"device to host", "pinned", 0, 4096, 10, 24'000, 3'000},
                         {"host to device", "pageable", 1'048'576, 16'777'216, 4097, 13'630'000'000, 4'460 * kMs},
                         {"host to device", "pageable", 268'435'456, 0, 1, 300'000'000, 98 * kMs}}};
}

}  // namespace

Diagnosis cpu_placed_ops() {
  Diagnosis d;
  d.file = "b.sqlite";
  d.producer = "gputrace 0.1.0";
  d.machine = "gtx1060x2";
  d.simulated = true;
  d.trace_span = {0, 25 * kSecond};
  d.window = {5 * kSecond, 24'540 * kMs};
  d.dropped = 12;
  d.complete = false;
  d.incomplete_why = "the program was killed by signal 9";
  d.not_captured = {"overheads", "graph launches"};
  d.diagnostics = {{"kernel rows that end before they start", 3}};
  d.steps.source = StepSource::nvtx;
  d.steps.certainty = 1;
  d.steps.warm_up = 1;
  d.steps.median_ns = 4'885 * kMs;
  for (int i = 0; i < 5; ++i) d.steps.spans.push_back({i * 4'885 * kMs, (i + 1) * 4'885 * kMs});
  const std::int64_t window_ns = d.window.duration_ns();
  d.devices = {gpu(0, "GeForce GTX 1060 6GB", parts_of_slow_run(window_ns)),
               gpu(1, "GeForce GTX 1060 6GB", parts_of_slow_run(window_ns))};
  d.kernels = {{kPaddingKernel, "eigen: y = pad(x)", "Pads a rank-4 float tensor; the assignment only writes the result.",
                "layout change", 1200, 1'046 * kMs, 0.214},
               {"void sgemm_128x128x8_NN()", "cublas: sgemm 128x128", "Multiplies two float matrices.", "matmul", 60,
                400 * kMs, 0.0818}};
  d.copies = {{"host to device", "pageable", 4097, 13'630'000'000, 4'460 * kMs, 3.056, 12.2, "recorded link", 0.0125},
              {"device to host", "pinned", 10, 24'000, 3'000, 8.0, std::nullopt, "", std::nullopt}};
  d.findings = findings_of_slow_run();
  d.charts = charts_of_slow_run();
  return d;
}

Diagnosis healthy_run() {
  Diagnosis d;
  d.file = "clean.sqlite";
  d.producer = "Nsight Systems 2024.5.1.113";
  d.trace_span = d.window = {1'000, 2 * kSecond};
  d.devices = {gpu(0, "NVIDIA A100-SXM4-80GB", {{"compute", 1'996 * kMs}, {"idle.launch", 4 * kMs - 1'000}})};
  d.devices[0].compute_utilization = 0.998;
  d.kernels = {{"ampere_sgemm", "ampere: sgemm", "", "matmul", 10, 1'996 * kMs, 1.0}};
  d.findings = {{.rule = "low-kernel-concurrency", .verdict = Verdict::nothing, .title = "", .why = "", .evidence = {},
                 .advice = {}},
                {.rule = "cpu-placed-ops", .verdict = Verdict::could_not_look, .title = "",
                 .why = "no op placement in the trace", .evidence = {}, .advice = {}}};
  return d;
}

Diagnosis empty_trace() {
  Diagnosis d;
  d.file = "empty.sqlite";
  d.not_captured = {"kernels", "copies", "API calls", "NVTX ranges"};
  d.findings = {{.rule = "low-kernel-concurrency", .verdict = Verdict::could_not_look, .title = "",
                 .why = "no kernels in the trace", .evidence = {}, .advice = {}}};
  return d;
}

Diagnosis hostile_names() {
  Diagnosis d = cpu_placed_ops();
  const std::string hostile =
      "\x1b[31mred\x1b]0;title\x07 <script>alert('x')</script> \" onload=\"evil() | `code` \xff\xfe \xe2\x80\xae reversed "
      "\xe6\xbc\xa2\xe5\xad\x97 {{triple}} \xc2\x9b" "31m\nline two\t]]>--> </style>";
  d.file = d.producer = d.machine = d.incomplete_why = hostile;
  d.not_captured = {hostile};
  d.diagnostics = {{hostile, 1}};
  for (auto& device : d.devices) device.name = hostile;
  for (auto& device : d.devices) device.parts.push_back({hostile, 0});
  for (auto& kernel : d.kernels) kernel.name = kernel.label = kernel.explained = kernel.op_class = hostile;
  d.kernels[1].label = std::string(100'000, '<');
  for (auto& copy : d.copies) copy.direction = copy.memory = copy.link_source = hostile;
  for (auto& lane : d.charts.step.lanes) {
    lane.name = hostile;
    for (auto& span : lane.spans) span.text = span.op_class = hostile;
  }
  for (auto& link : d.charts.traffic) link.link_source = hostile;
  d.charts.traffic[0].from = hostile;
  for (auto& size : d.charts.copy_sizes) size.direction = size.memory = hostile;
  for (auto& finding : d.findings) {
    finding.rule = finding.title = finding.why = finding.remedy = finding.explained_by = hostile;
    finding.advice = {hostile, std::string(300, 'x')};
    for (auto& evidence : finding.evidence) evidence.text = hostile;
  }
  return d;
}

Diagnosis eight_gpus() {
  Diagnosis d = healthy_run();
  d.devices.clear();
  for (int i = 0; i < 9; ++i) {
    d.devices.push_back(gpu(i, i < 4 ? "V100" : "T4", {{"compute", kSecond}, {"idle.launch", kSecond - 1'000}}));
  }
  d.devices[8].used = false;
  d.devices[3].parts.clear();
  d.devices[3].compute_utilization = d.devices[3].kernel_concurrency = d.devices[3].copy_overlap = std::nullopt;
  return d;
}

}  // namespace gputrace::tests
