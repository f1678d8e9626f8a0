#include "trainer/options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <limits>
#include <map>
#include <vector>

#include "trainer/scenario.h"

namespace trainer {

namespace {

constexpr int kGpuLimit = 64;
constexpr std::int64_t kBatchLimit = 65536;
constexpr int kPrefetchLimit = 1024, kReaderLimit = 64, kStreamLimit = 32;
constexpr std::string_view kCifarPrefix = "cifar10:";
constexpr int kStepLimit = 10'000'000;

// As given; absent where the scenario decides.
struct Given {
  std::string scenario, box, csv_path;
  std::optional<ModelKind> model;
  std::optional<int> gpus, steps;
  std::optional<std::int64_t> batch;
  std::optional<OpPlacement> placement;
  std::optional<UpdateStyle> update;
  std::optional<PaddingStyle> padding;
  std::optional<Layout> layout;
  std::optional<BatchNormStyle> batch_norm;
  std::optional<bool> pinned, peer;
  std::optional<FrameworkVersion> framework;
  std::optional<int> streams;
  std::optional<int> prefetch, readers;
  std::optional<bool> feed_ahead;
  std::string data;
  std::optional<std::uint64_t> seed;
  ArithmeticMode arithmetic = ArithmeticMode::automatic;
  BackendKind backend = BackendKind::automatic;
  bool list_boxes = false, list_faults = false;
  std::string table;
  std::vector<std::string> faults;
};

template <class Target, class Value>
void add_choice(CLI::App& app, const std::string& name, Target& target,
                const std::map<std::string, Value>& choices, const std::string& help) {
  std::vector<std::string> words;
  for (const auto& [word, value] : choices) words.push_back(word);
  app.add_option_function<std::string>(
         name, [&target, choices](const std::string& word) { target = choices.at(word); }, help)
      ->check(CLI::IsMember(words));
}

template <class Value>
void add_number(CLI::App& app, const std::string& name, std::optional<Value>& target, Value lowest,
                Value highest, const std::string& help) {
  app.add_option_function<Value>(
         name, [&target](const Value& value) { target = value; }, help)
      ->check(CLI::Range(lowest, highest));
}

void add_options(CLI::App& app, Given& given) {
  std::vector<std::string> names;
  std::string footer = "Scenarios:\n";
  for (const Scenario& scenario : scenarios()) {
    names.emplace_back(scenario.name);
    footer += fmt::format("  {:<20} {} (box {})\n", scenario.name, scenario.summary, scenario.box);
  }
  footer +=
      "\nExamples:\n  trainer --scenario A-base --arithmetic off --steps 20\n"
      "  trainer --model resnet --gpus 1 --batch 32 --steps 5 --csv loss.csv\n";
  app.footer(footer);
  app.add_option("--scenario", given.scenario, "start from a named run; other options change it")
      ->check(CLI::IsMember(names));
  add_choice(app, "--model", given.model,
             std::map<std::string, ModelKind>{{"resnet", ModelKind::resnet}, {"mlp", ModelKind::mlp}},
             "what to train");
  add_number(app, "--gpus", given.gpus, 1, kGpuLimit, "towers, one per GPU");
  add_number<std::int64_t>(app, "--batch", given.batch, 1, kBatchLimit, "examples per GPU and step");
  add_number(app, "--steps", given.steps, 1, kStepLimit, "training steps");
  add_choice(app, "--backend", given.backend,
             std::map<std::string, BackendKind>{{"auto", BackendKind::automatic},
                                                {"cuda", BackendKind::cuda},
                                                {"virtual", BackendKind::modelled}},
             "real GPUs or the modelled machine; auto: CUDA where a device answers and no machine is named, else virtual");
  app.add_option(
      "--box", given.box,
      "machine profile, a name or a .toml file (default: VIRTUAL_BOX_PROFILE, else the scenario's)");
  add_choice(app, "--placement", given.placement,
             std::map<std::string, OpPlacement>{{"gpu", OpPlacement::gpu}, {"cpu", OpPlacement::cpu}},
             "cpu: ops asked for on /gpu:i are put on /cpu:0 by a nested device scope");
  add_choice(app, "--update", given.update,
             std::map<std::string, UpdateStyle>{{"host", UpdateStyle::host},
                                                {"host-overlapped", UpdateStyle::host_overlapped},
                                                {"gpu0", UpdateStyle::gpu0},
                                                {"all-reduce", UpdateStyle::all_reduce}},
             "where weights live and are updated");
  add_choice(app, "--padding", given.padding,
             std::map<std::string, PaddingStyle>{{"explicit", PaddingStyle::explicit_ops},
                                                 {"fused", PaddingStyle::fused}},
             "of convolutions: ops of their own, or inside the convolution kernel");
  app.add_option("--data", given.data,
                 "dummy, synthetic-files (what reading costs, without files; no arithmetic), or cifar10:DIR (binary version)");
  add_number(app, "--prefetch", given.prefetch, 0, kPrefetchLimit, "batches read ahead, beyond those in use; 0: read when a step asks");
  add_choice(app, "--feed-ahead", given.feed_ahead, std::map<std::string, bool>{{"on", true}, {"off", false}},
             "copy the next step's batch to the GPU while a step computes, where one is fed in each step");
  add_number(app, "--readers", given.readers, 1, kReaderLimit, "threads that read batches");
  add_choice(app, "--layout", given.layout,
             std::map<std::string, Layout>{{"nhwc", Layout::nhwc}, {"nchw", Layout::nchw}},
             "order of the dimensions of images");
  add_choice(app, "--batch-norm", given.batch_norm,
             std::map<std::string, BatchNormStyle>{{"unfused", BatchNormStyle::unfused},
                                                   {"fused", BatchNormStyle::fused},
                                                   {"naive", BatchNormStyle::naive},
                                                   {"transposed", BatchNormStyle::transposed}},
             "unfused and fused with nhwc; fused, naive and transposed with nchw");
  add_choice(app, "--pinned", given.pinned, std::map<std::string, bool>{{"on", true}, {"off", false}},
             "page-locked host memory for copies");
  add_choice(app, "--peer", given.peer, std::map<std::string, bool>{{"on", true}, {"off", false}},
             "direct access of GPUs to each other's memory, where the machine has it; off: through the host");
  add_number(app, "--streams", given.streams, 1, kStreamLimit, "of each tower: ops that do not depend on each other run side by side");
  add_choice(app, "--framework", given.framework,
             std::map<std::string, FrameworkVersion>{{"older", FrameworkVersion::older}, {"newer", FrameworkVersion::newer}},
             "version that the virtual machine models: the newer one hands out ops faster");
  add_choice(
      app, "--arithmetic", given.arithmetic,
      std::map<std::string, ArithmeticMode>{
          {"auto", ArithmeticMode::automatic}, {"on", ArithmeticMode::on}, {"off", ArithmeticMode::off}},
      "compute values on the CPU; auto: where a step is small enough");
  add_number<std::uint64_t>(app, "--seed", given.seed, 0, std::numeric_limits<std::uint32_t>::max(),
                            "of weights and data");
  app.add_option("--fault", given.faults, "do something wrong, for a trace of known cause (see --list-faults); any number");
  app.add_flag("--list-faults", given.list_faults, "describe the faults and what a report must say of each, and exit");
  app.add_option("--table", given.table, "published figures beside modelled ones, and exit")->check(CLI::IsMember({"A", "B"}));
  app.add_option("--csv", given.csv_path, "write step, loss and step time to this file");
  app.add_flag("--list-boxes", given.list_boxes, "describe the machines and exit");
}

template <class Value>
void override(Value& value, const std::optional<Value>& given) {
  if (given) value = *given;
}

bool is_data(const std::string& text) {
  return text.empty() || text == "dummy" || text == "synthetic-files" ||
         (text.starts_with(kCifarPrefix) && text.size() > kCifarPrefix.size());
}

void choose_data(Configuration& run, const std::string& text) {
  if (text.empty()) return;
  run.real_data = text != "dummy";
  run.data_folder = text.starts_with(kCifarPrefix) ? text.substr(kCifarPrefix.size()) : "";
}

Options resolve(const Given& given, const char* box_from_environment) {
  const Scenario* named = given.scenario.empty() ? nullptr : find_scenario(given.scenario);
  const Scenario& base = named ? *named : default_scenario(given.model.value_or(ModelKind::resnet));
  Options options;
  options.configuration = base.configuration;
  Configuration& run = options.configuration;
  if (!named) run.scenario.clear();
  override(run.model, given.model);
  override(run.gpus, given.gpus);
  override(run.batch_per_gpu, given.batch);
  override(run.steps, given.steps);
  override(run.placement, given.placement);
  override(run.update, given.update);
  override(run.style.padding, given.padding);
  override(run.style.layout, given.layout);
  override(run.style.batch_norm, given.batch_norm);
  override(run.pinned_host_memory, given.pinned);
  override(run.peer_access, given.peer);
  override(run.streams, given.streams);
  override(run.framework, given.framework);
  override(run.seed, given.seed);
  override(run.feed_ahead, given.feed_ahead);
  override(run.prefetch, given.prefetch);
  override(run.readers, given.readers);
  choose_data(run, given.data);
  options.arithmetic = given.arithmetic;
  options.backend = given.backend;
  options.csv_path = given.csv_path;
  options.list_boxes = given.list_boxes;
  options.list_faults = given.list_faults;
  options.table = given.table.empty() ? '\0' : given.table.front();
  options.box = base.box;
  if (box_from_environment && *box_from_environment) options.box = box_from_environment;
  if (!given.box.empty()) options.box = given.box;
  options.box_is_given = !given.box.empty() || (box_from_environment && *box_from_environment);
  return options;
}

tl::unexpected<OptionsExit> usage_error(const std::string& what) {
  return tl::unexpected(OptionsExit{fmt::format("trainer: {}\n", what), 2});
}

// Faults that are choices a run could make by its other options.
void apply_faults(Configuration& run) {
  run.gpus -= run.faults.unused_gpus;
  if (run.faults.pageable_input) run.pinned_host_memory = false;
  if (run.faults.pageable_input || run.faults.unified_memory) run.feed_each_step = true;
}

std::string contradiction(const Configuration& run) {
  const bool on_cpu = run.placement == OpPlacement::cpu;
  if (on_cpu && run.update == UpdateStyle::all_reduce)
    return "--placement cpu keeps the weights on the host: it goes with --update host, not all-reduce";
  if (on_cpu && run.update != UpdateStyle::host) return "--placement cpu goes with --update host only";
  if (run.model == ModelKind::mlp && run.update == UpdateStyle::host_overlapped)
    return "--update host-overlapped: the MLP clips by the norm of all gradients, so no variable can be updated before the "
           "last gradient is there; choose host";
  if (run.faults.serialized_towers && run.update == UpdateStyle::host_overlapped)
    return "--fault serialized-towers: an overlapped update needs the towers beside it; choose another --update";
  if (run.faults.one_stream && run.update == UpdateStyle::all_reduce)
    return "--fault one-stream: towers that share a stream have nothing to all-reduce between GPUs; choose --update host or gpu0";
  if (run.faults.collective_on_compute_stream && run.update != UpdateStyle::all_reduce)
    return "--fault collective-on-compute-stream: there is no collective; add --update all-reduce";
  if (on_cpu && run.faults.unified_memory) return "--fault unified-memory: the host reads its own memory; choose --placement gpu";
  if (on_cpu && run.streams > 1) return "--streams: ops on the host use none; choose --placement gpu";
  if (run.real_data && (run.model != ModelKind::resnet || on_cpu))
    return "--data: images are for the residual network on GPUs; choose dummy";
  if (run.feed_ahead && (!run.feed_each_step || run.real_data || on_cpu))
    return "--feed-ahead is for GPUs that are fed the same batch in each step: the MLP, or --fault pageable-input, with --data dummy";
  if (run.feed_ahead && run.faults.unified_memory) return "--feed-ahead: managed memory is not copied; leave out --fault unified-memory";
  if (run.gpus < 1) return "--fault unused-gpu needs --gpus 2 or more";
  const Faults& faults = run.faults;
  if (std::max({faults.straggler_gpu, faults.slow_link_gpu, faults.far_socket_gpu, faults.slow_clock_gpu}) >= run.gpus)
    return "--fault straggler, slow-link, far-socket and slow-clock: no such GPU in this run; give one below --gpus";
  return mismatch(run.style.layout, run.style.batch_norm);
}

}  // namespace

tl::expected<Options, OptionsExit> parse_options(int argc, const char* const* argv,
                                                 const char* box_from_environment) {
  CLI::App app("A small data-parallel training program with NVTX annotations.", "trainer");
  Given given;
  add_options(app, given);
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    return tl::unexpected(OptionsExit{app.help(), 0});
  } catch (const CLI::ParseError& error) {
    return tl::unexpected(
        OptionsExit{fmt::format("trainer: {}\nRun trainer --help for the options.\n", error.what()), 2});
  }
  if (!is_data(given.data))
    return usage_error(fmt::format("--data {}: it is dummy, synthetic-files or cifar10:DIR", given.data));
  Options options = resolve(given, box_from_environment);
  for (const std::string& fault : given.faults) {
    if (const auto added = add_fault(options.configuration.faults, fault); !added) return usage_error(added.error());
  }
  apply_faults(options.configuration);
  if (const std::string wrong = contradiction(options.configuration); !wrong.empty()) return usage_error(wrong);
  if (options.configuration.real_data && options.configuration.data_folder.empty()) {
    if (options.arithmetic == ArithmeticMode::on)
      return usage_error("--arithmetic on needs images; give --data cifar10:DIR or dummy");
    options.arithmetic = ArithmeticMode::off;
  }
  return options;
}

}  // namespace trainer
