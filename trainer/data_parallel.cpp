#include "trainer/data_parallel.h"

#include <fmt/format.h>

#include <algorithm>

#include "trainer/synthetic_data.h"

namespace trainer {

namespace {

constexpr std::uint64_t kWeightNumbers = 1ULL << 40;  // a stream of numbers beyond those of the data

std::vector<Tensor*> values_of(const Model& model) {
  std::vector<Tensor*> values;
  for (const Variable& variable : model.variables) values.push_back(variable.value);
  return values;
}

}  // namespace

DataParallel::DataParallel(Backend& backend, const Configuration& configuration)
    : backend_(backend), configuration_(configuration) {
  for (int gpu = 0; gpu < configuration.gpus; ++gpu) {
    towers_.push_back(std::make_unique<Tower>(backend, configuration, gpu));
  }
}

tl::expected<void, std::string> DataParallel::initialize() {
  for (int unused = 0; unused < configuration_.faults.unused_gpus; ++unused)
    backend_.set_device((configuration_.gpus + unused) % backend_.device_count());
  if (const auto read = read_images(); !read) return read;
  bool enough = !updates_masters() || make_masters();
  for (const auto& tower : towers_) {
    if (configuration_.faults.one_stream && tower != towers_.front()) tower->share_streams(*towers_.front());
    enough = enough && tower->allocate(masters_);
  }
  enough = enough && (updates_masters() ? make_host_update() : make_gpu_updates());
  enough = enough && make_pipeline();
  if (!enough) {
    return tl::unexpected<std::string>(
        "not enough memory to compute values; use --arithmetic off or a smaller --batch");
  }
  initialize_weights();
  for (const auto& tower : towers_) tower->initialize();
  return {};
}

tl::expected<void, std::string> DataParallel::read_images() {
  if (configuration_.data_folder.empty()) return {};
  auto images = Cifar10::read(configuration_.data_folder);
  if (!images) return tl::unexpected(images.error());
  images_ = *std::move(images);
  return {};
}

bool DataParallel::make_pipeline() {
  if (!configuration_.real_data) return true;
  pipeline_.emplace(backend_, configuration_, images_ ? &*images_ : nullptr);
  for (const auto& tower : towers_) tower->read_from(*pipeline_);
  return pipeline_->allocate();
}

void DataParallel::run_beside_readers(const std::function<void()>& loop) {
  if (!pipeline_) return loop();
  auto threads = pipeline_->readers();
  threads.emplace_back("training loop", loop);
  backend_.run_threads(threads);
}

bool DataParallel::make_masters() {
  const Memory host_memory = configuration_.pinned_host_memory ? Memory::pinned : Memory::pageable;
  const Memory memory = configuration_.update == UpdateStyle::gpu0 ? Memory::device : host_memory;
  for (const Variable& variable : towers_.front()->model().variables) {
    master_weights_.push_back(Tensor{.shape = variable.value->shape, .name = variable.name, .persistent = true});
    Tensor& master = master_weights_.back();
    master.buffer = backend_.allocate(memory, 0, master.shape.size_bytes(), configuration_.arithmetic);
    master.data = static_cast<float*>(master.buffer.data);
    masters_.push_back(&master);
    if (configuration_.arithmetic && !master.data) return false;
  }
  return true;
}

bool DataParallel::make_host_update() {
  std::vector<std::vector<Tensor*>> gradients(masters_.size());
  for (const auto& tower : towers_) {
    for (std::size_t i = 0; i < masters_.size(); ++i) gradients[i].push_back(tower->host_gradients()[i]);
  }
  if (configuration_.update == UpdateStyle::gpu0) {
    updates_.emplace_back(configuration_, towers_.front()->placement(), masters_, gradients);
    return updates_.back().allocate(backend_, Memory::device, 0, configuration_.arithmetic);
  }
  const Placement host{.requested = "/cpu:0", .device = "/cpu:0", .on_gpu = false};
  if (configuration_.update == UpdateStyle::host) {
    updates_.emplace_back(configuration_, host, masters_, gradients);
    return updates_.back().allocate(backend_, Memory::pageable, 0, configuration_.arithmetic);
  }
  for (std::size_t i = 0; i < masters_.size(); ++i) {
    updates_.emplace_back(configuration_, host, std::vector<Tensor*>{masters_[i]},
                          std::vector<std::vector<Tensor*>>{gradients[i]});
    if (!updates_.back().allocate(backend_, Memory::pageable, 0, configuration_.arithmetic)) return false;
    updated_.push_back(backend_.create_counter());
  }
  for (const auto& tower : towers_) tower->wait_for_updates(updated_);
  return true;
}

bool DataParallel::make_gpu_updates() {
  for (const auto& tower : towers_) {
    std::vector<std::vector<Tensor*>> gradients;
    for (const Variable& variable : tower->model().variables) gradients.push_back({variable.gradient});
    updates_.emplace_back(configuration_, tower->placement(), values_of(tower->model()), gradients);
    if (!updates_.back().allocate(backend_, Memory::device, tower->device(), configuration_.arithmetic))
      return false;
  }
  return make_rings();
}

bool DataParallel::make_rings() {
  for (const auto& tower : towers_) {
    const bool apart = towers_.size() > 1 && !configuration_.faults.collective_on_compute_stream;
    ring_streams_.push_back(apart ? backend_.create_stream(tower->device()) : tower->stream());
    reduced_.push_back(backend_.create_event(tower->device()));
  }
  bool enough = true;
  for (std::size_t bucket = 0; bucket < towers_.front()->buckets().size(); ++bucket) {
    std::vector<Buffer> buffers;
    for (const auto& tower : towers_) buffers.push_back(tower->buckets()[bucket].gradients);
    rings_.emplace_back(backend_, std::move(buffers), ring_streams_);
    enough = enough && (rings_.back().has_storage() || !configuration_.arithmetic);
  }
  return enough;
}

// Every copy of a variable starts from the same numbers.
void DataParallel::initialize_weights() {
  if (!configuration_.arithmetic) return;
  for (const auto& tower : towers_) {
    const std::vector<Variable>& variables = tower->model().variables;
    for (std::size_t i = 0; i < variables.size(); ++i) {
      Tensor& weights = master_weights_.empty() ? *variables[i].value : master_weights_[i];
      NormalNumbers numbers(configuration_.seed, kWeightNumbers + i);
      std::vector<float> values(static_cast<std::size_t>(weights.elements()));
      for (float& value : values) value = variables[i].initial_mean + variables[i].initial_deviation * numbers.next();
      backend_.upload(weights.buffer, values.data(), weights.shape.size_bytes());
    }
    if (!master_weights_.empty()) return;
  }
}

void DataParallel::run_towers() {
  using Thread = std::pair<std::string, std::function<void()>>;
  std::vector<Thread> threads;
  for (const auto& tower : towers_) {
    threads.emplace_back(fmt::format("tower {}", tower->device()), [&tower = *tower] { tower.run_step(); });
  }
  if (configuration_.faults.serialized_towers) {
    for (const Thread& thread : threads) {
      backend_.run_threads({thread});
      backend_.synchronize_device(towers_[static_cast<std::size_t>(&thread - threads.data())]->device());
    }
    if (reduces_beside_backward()) reduce_handed_out_buckets();
    return;
  }
  if (reduces_beside_backward()) {
    threads.emplace_back("all-reduce", [this] {
      name_calling_thread("all-reduce");
      reduce_handed_out_buckets();
    });
  }
  if (update_pending_) threads.emplace_back("update", [this] { apply_pending_updates(); });
  backend_.run_threads(threads);
}

// A bucket's ring is handed out as soon as every tower has handed out the ops that complete it, whatever the GPUs have done.
void DataParallel::reduce_handed_out_buckets() {
  for (std::size_t bucket = 0; bucket < rings_.size(); ++bucket) {
    for (std::size_t i = 0; i < towers_.size(); ++i) {
      const Tower::Bucket& part = towers_[i]->buckets()[bucket];
      backend_.wait_until_reached(part.handed_out, steps_ + 1);
      backend_.wait(ring_streams_[i], part.ready);
    }
    rings_[bucket].run();
  }
  for (std::size_t i = 0; i < towers_.size(); ++i) backend_.record(reduced_[i], ring_streams_[i]);
}

// Variables in the order in which the forward pass needs them.
void DataParallel::apply_pending_updates() {
  for (std::size_t i = 0; i < updates_.size(); ++i) {
    updates_[i].run(backend_, {});
    backend_.advance(updated_[i]);
  }
}

void DataParallel::finish() {
  if (update_pending_) apply_pending_updates();
  update_pending_ = false;
}

StepResult DataParallel::run_step(int step) {
  const Range range(Concern::step, fmt::format("step {}", step));
  const std::int64_t start_ns = backend_.now_ns();
  if (pipeline_) pipeline_->begin_step(step);
  run_towers();
  update_weights();
  ++steps_;
  if (pipeline_) pipeline_->end_step(step);  // the step ends with its copies done
  const Faults& faults = configuration_.faults;
  if (faults.pause_every_steps > 0 && (step + 1) % faults.pause_every_steps == 0)
    backend_.pause(static_cast<std::int64_t>(faults.pause_ms * 1e6));
  StepResult result{.duration_ns = backend_.now_ns() - start_ns};
  for (const auto& tower : towers_) result.loss += tower->loss() / static_cast<float>(towers_.size());
  return result;
}

void DataParallel::update_weights() {
  if (configuration_.update == UpdateStyle::host_overlapped) {
    update_pending_ = true;
    return;
  }
  if (updates_masters()) {
    const Stream stream = towers_.front()->stream();
    updates_.front().run(backend_, stream);
    if (configuration_.update == UpdateStyle::gpu0) backend_.synchronize(stream);
    return;
  }
  if (!reduces_beside_backward())
    for (RingAllReduce& ring : rings_) ring.run();
  for (std::size_t gpu = 0; gpu < towers_.size(); ++gpu) {
    backend_.set_device(towers_[gpu]->device());
    if (reduces_beside_backward()) backend_.wait(towers_[gpu]->stream(), reduced_[gpu]);
    updates_[gpu].run(backend_, towers_[gpu]->stream());
  }
  for (const auto& tower : towers_) backend_.synchronize(tower->stream());
}

double DataParallel::flops_per_step() const {
  double sum = 0;
  for (const auto& tower : towers_) sum += tower->flops();
  return sum;
}

std::vector<const Tensor*> DataParallel::weights() const {
  std::vector<const Tensor*> result;
  if (!master_weights_.empty()) {
    for (const Tensor& master : master_weights_) result.push_back(&master);
    return result;
  }
  for (const Variable& variable : towers_.front()->model().variables) result.push_back(variable.value);
  return result;
}

}  // namespace trainer
