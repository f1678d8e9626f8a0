#include "trainer/tower.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <map>

#include "trainer/memory_plan.h"
#include "trainer/synthetic_data.h"

namespace trainer {

namespace {

Placement placement_of_tower(const Configuration& configuration, int device) {
  const std::string gpu = fmt::format("/gpu:{}", device);
  const bool on_gpu = configuration.placement == OpPlacement::gpu;
  return {.requested = gpu, .device = on_gpu ? gpu : "/cpu:0", .on_gpu = on_gpu};
}

Model build_model(Graph& graph, const Configuration& configuration) {
  if (configuration.model == ModelKind::mlp) {
    MlpShape shape = configuration.mlp;
    shape.batch = configuration.batch_per_gpu;
    return build_mlp(graph, shape);
  }
  ResnetShape shape = configuration.resnet;
  shape.batch = configuration.batch_per_gpu;
  return build_resnet(graph, shape, configuration.style);
}

Buffer part_of(const Buffer& whole, std::size_t offset_bytes, std::size_t size_bytes) {
  Buffer part = whole;
  part.address += offset_bytes;
  part.size_bytes = size_bytes;
  if (part.data) part.data = static_cast<std::byte*>(part.data) + offset_bytes;
  return part;
}

void attach(Tensor& tensor, const Buffer& buffer) {
  tensor.buffer = buffer;
  tensor.data = static_cast<float*>(buffer.data);
}

std::size_t last_writer(const std::vector<Op>& ops, const Tensor* tensor) {
  std::size_t index = ops.size();
  while (index > 0 && std::find(ops[index - 1].outputs.begin(), ops[index - 1].outputs.end(), tensor) == ops[index - 1].outputs.end())
    --index;
  return index - 1;  // every gradient has one
}

// The same pictures in every layout: they are made as NHWC.
void to_nchw(Tensor& images) {
  const std::vector<float> nhwc(images.data, images.data + images.elements());
  change_layout(nhwc.data(), Layout::nhwc, size_of(images.shape, Layout::nchw), images.data);
}

}  // namespace

Tower::Tower(Backend& backend, const Configuration& configuration, int index)
    : backend_(backend),
      configuration_(configuration),
      index_(index),
      device_(configuration.faults.one_stream ? 0 : index % backend.device_count()),
      graph_(fmt::format("tower_{}", index), placement_of_tower(configuration, device_)),
      model_(build_model(graph_, configuration)),
      feed_text_(Concern::data, "feed batch") {}

Memory Tower::host_memory() const {
  return configuration_.pinned_host_memory ? Memory::pinned : Memory::pageable;
}

Buffer Tower::take(Memory memory, std::size_t size_bytes) {
  const Buffer buffer = backend_.allocate(memory, device_, size_bytes, configuration_.arithmetic);
  short_of_storage_ |= configuration_.arithmetic && !buffer.data;
  return buffer;
}

void Tower::place(Tensor& tensor, Memory memory) { attach(tensor, take(memory, tensor.shape.size_bytes())); }

Tensor* Tower::host_twin(const Tensor& tensor) {
  host_tensors_.push_back(Tensor{.shape = tensor.shape, .persistent = true});
  place(host_tensors_.back(), host_memory());
  return &host_tensors_.back();
}

// Where an update on GPU 0 finds this tower's gradients, or the host's.
Tensor* Tower::master_twin(const Tensor& tensor) {
  if (configuration_.update != UpdateStyle::gpu0) return host_twin(tensor);
  host_tensors_.push_back(Tensor{.shape = tensor.shape, .persistent = true});
  const Buffer buffer = backend_.allocate(Memory::device, 0, tensor.shape.size_bytes(), configuration_.arithmetic);
  short_of_storage_ |= configuration_.arithmetic && !buffer.data;
  attach(host_tensors_.back(), buffer);
  return &host_tensors_.back();
}

bool Tower::allocate(const std::vector<Tensor*>& host_weights) {
  // A framework opens every GPU at its start, whatever it will run there.
  backend_.set_device(device_);
  while (streams_.size() < static_cast<std::size_t>(configuration_.streams)) streams_.push_back(backend_.create_stream(device_));
  const Memory home = on_gpu() ? Memory::device : Memory::pageable;
  place(*model_.input, on_gpu() && configuration_.faults.unified_memory ? Memory::managed : home);
  for (Tensor* tensor : {model_.labels, model_.loss}) {
    if (tensor) place(*tensor, home);
  }
  for (std::size_t i = 0; i < model_.variables.size(); ++i) {
    Tensor& value = *model_.variables[i].value;
    if (on_gpu())
      place(value, Memory::device);
    else
      attach(value, host_weights[i]->buffer);
  }
  allocate_gradients();
  allocate_temporaries();
  make_sequences(host_weights);
  make_buckets();
  const std::vector<Op>& ops = graph_.ops();
  first_backward_op_ = static_cast<std::size_t>(
      std::find_if(ops.begin(), ops.end(), [](const Op& op) { return op.is_backward; }) - ops.begin());
  if (configuration_.faults.op_on_host && on_gpu()) choose_op_on_host();
  return !short_of_storage_;
}

// The op in the middle of the forward pass, and the largest of what it reads that this step has computed.
void Tower::choose_op_on_host() {
  op_on_host_ = first_backward_op_ / 2;
  for (const Tensor* input : graph_.ops()[op_on_host_].inputs)
    if (!input->persistent && (!worked_on_ || input->elements() > worked_on_->elements())) worked_on_ = input;
  if (worked_on_) worked_on_host_ = take(host_memory(), worked_on_->shape.size_bytes());
}

// What is computed stays the same: each value is written as it was read.
void Tower::work_on_host() {
  if (!worked_on_) return;
  const std::size_t bytes = worked_on_->shape.size_bytes();
  if (streams_.size() > 1) backend_.synchronize_device(device_);  // any of them may compute what is worked on
  backend_.copy_async(worked_on_host_, worked_on_->buffer, bytes, stream());
  backend_.synchronize(stream());
  HostWork work{.work = {.bytes = 2.0 * static_cast<double>(bytes)}, .threads = 1, .arithmetic = {}};
  if (auto* values = static_cast<volatile float*>(worked_on_host_.data))
    work.arithmetic = [values, count = bytes / sizeof(float)] {
      for (std::size_t i = 0; i < count; ++i) values[i] = values[i];
    };
  backend_.host_work(work);
  backend_.copy_async(worked_on_->buffer, worked_on_host_, bytes, stream());
  if (streams_.size() > 1) backend_.synchronize(stream());
}

void Tower::allocate_gradients() {
  std::size_t total_bytes = 0;
  for (const Variable& variable : model_.variables) total_bytes += variable.gradient->shape.size_bytes();
  gradient_buffer_ = take(on_gpu() ? Memory::device : Memory::pageable, total_bytes);
  std::size_t offset_bytes = 0;
  for (const Variable& variable : model_.variables) {
    const std::size_t size_bytes = variable.gradient->shape.size_bytes();
    attach(*variable.gradient, part_of(gradient_buffer_, offset_bytes, size_bytes));
    offset_bytes += size_bytes;
  }
}

void Tower::allocate_temporaries() {
  const MemoryPlan plan = plan_memory(graph_.ops(), streams_.size() == 1);
  planned_bytes_ = plan.size_bytes;
  const Memory home = on_gpu() ? Memory::device : Memory::pageable;
  const Buffer block = take(home, plan.size_bytes);
  for (const auto& [tensor, offset_bytes] : plan.offset_bytes) {
    attach(*tensor, part_of(block, offset_bytes, tensor->shape.size_bytes()));
  }
}

// Per variable, the op that reads it first.
std::vector<std::size_t> Tower::first_uses() const {
  std::vector<std::size_t> uses;
  const std::vector<Op>& ops = graph_.ops();
  for (const Variable& variable : model_.variables) {
    const auto first = std::find_if(ops.begin(), ops.end(), [&](const Op& op) {
      return std::find(op.inputs.begin(), op.inputs.end(), variable.value) != op.inputs.end();
    });
    uses.push_back(static_cast<std::size_t>(first - ops.begin()));
  }
  return uses;
}

void Tower::make_stages(const std::vector<Tensor*>& host_weights) {
  const bool overlaps = configuration_.update == UpdateStyle::host_overlapped;
  const std::vector<std::size_t> uses = first_uses();
  std::map<std::size_t, std::vector<std::size_t>> variables_before{{0, {}}};  // by op
  for (std::size_t i = 0; i < uses.size(); ++i) variables_before[overlaps ? uses[i] : 0].push_back(i);
  const std::vector<Op>& ops = graph_.ops();
  for (auto at = variables_before.begin(); at != variables_before.end(); ++at) {
    std::vector<Op> receives;
    for (const std::size_t i : at->second) {
      const Variable& variable = model_.variables[i];
      if (!copies_weights()) continue;
      receives.push_back(copy_op(fmt::format("tower_{}/{}/read", index_, variable.name), graph_.placement(),
                                 host_weights[i], variable.value));
    }
    const std::size_t end = std::next(at) == variables_before.end() ? ops.size() : std::next(at)->first;
    std::vector<Op> computes(ops.begin() + static_cast<std::ptrdiff_t>(at->first), ops.begin() + static_cast<std::ptrdiff_t>(end));
    stages_.push_back({at->second, at->first, OpSequence(std::move(receives), configuration_.arithmetic),
                       OpSequence(std::move(computes), configuration_.arithmetic)});
    if (streams_.size() > 1) stages_.back().compute.spread(backend_, device_, static_cast<int>(streams_.size()));
  }
}

void Tower::make_sequences(const std::vector<Tensor*>& host_weights) {
  make_stages(host_weights);
  host_loss_ = Tensor{.shape = model_.loss->shape, .persistent = true};
  std::vector<Op> sends;
  const std::string scope = fmt::format("tower_{}/", index_);
  const Placement host{.requested = "/cpu:0", .device = "/cpu:0", .on_gpu = false};
  const Placement gpu0{.requested = "/gpu:0", .device = "/gpu:0", .on_gpu = true};
  for (const Variable& variable : model_.variables) {
    if (!copies_weights()) {
      host_gradients_.push_back(variable.gradient);
      continue;
    }
    host_gradients_.push_back(master_twin(*variable.gradient));
    sends.push_back(copy_op(scope + variable.name + "/gradient", configuration_.update == UpdateStyle::gpu0 ? gpu0 : host,
                            variable.gradient, host_gradients_.back()));
  }
  if (on_gpu()) {
    place(host_loss_, host_memory());
    sends.push_back(copy_op(scope + "loss/fetch", host, model_.loss, &host_loss_));
    fed_.emplace_back(host_twin(*model_.input), model_.input);
    if (model_.labels) fed_.emplace_back(host_twin(*model_.labels), model_.labels);
    if (configuration_.feed_ahead) {
      feed_ahead_.emplace(backend_, device_);
      for (const auto& [from, to] : fed_) feed_ahead_->add(*from, *to, take(Memory::device, to->shape.size_bytes()));
    }
    if (configuration_.faults.read_loss_every_step || configuration_.faults.read_loss_every_op) read_loss_to_ = take(Memory::pageable, model_.loss->shape.size_bytes());
  } else {
    attach(host_loss_, model_.loss->buffer);
  }
  send_gradients_ = OpSequence(std::move(sends), configuration_.arithmetic);
}

void Tower::initialize() {
  if (configuration_.arithmetic) {
    const std::int64_t first_example = index_ * configuration_.batch_per_gpu;
    Tensor& input = on_gpu() ? *fed_[0].first : *model_.input;
    if (model_.labels) {
      fill_labelled_images(configuration_.seed, first_example, model_.classes, input,
                           on_gpu() ? *fed_[1].first : *model_.labels);
      if (configuration_.style.layout == Layout::nchw) to_nchw(input);
    } else {
      fill_normal(configuration_.seed, first_example, input);
    }
  }
  if (feed_ahead_)
    feed_ahead_->copy_next();
  else if (on_gpu() && !configuration_.feed_each_step && !pipeline_)
    feed();
}

void Tower::feed() {
  const Range range(feed_text_);
  if (pipeline_) {
    const InputPipeline::Slot& slot = pipeline_->wait_for_batch(index_, steps_);
    feed(slot.images, *model_.input);
    feed(slot.labels, *model_.labels);
    return;
  }
  if (feed_ahead_) return feed_ahead_->feed(stream());
  for (const auto& [from, to] : fed_) feed(*from, *to);
}

void Tower::feed(const Tensor& from, const Tensor& to) {
  const std::size_t bytes = from.shape.size_bytes();
  if (to.buffer.memory != Memory::managed) return backend_.copy_async(to.buffer, from.buffer, bytes, stream());
  HostWork write{.work = {.bytes = 2.0 * static_cast<double>(bytes)}, .threads = 1, .arithmetic = {}};
  if (to.data && from.data) write.arithmetic = [&] { std::memcpy(to.data, from.data, bytes); };
  backend_.touch_on_host(to.buffer, bytes);
  backend_.host_work(write);
  backend_.touch_on_device(to.buffer, bytes, stream());
}

void Tower::run_step() {
  name_calling_thread(fmt::format("tower {}", index_));
  if (on_gpu()) {
    backend_.set_device(device_);
    if (configuration_.feed_each_step || pipeline_) feed();
  }
  receive_and_compute();
  if (feed_ahead_) feed_ahead_->copy_next();
  if (configuration_.faults.read_loss_every_step && on_gpu())
    backend_.copy_async(read_loss_to_, model_.loss->buffer, model_.loss->shape.size_bytes(), stream());
  send_gradients_.run(backend_, stream());
  if (copies_weights()) backend_.synchronize(stream());
}

void Tower::receive_and_compute() {
  for (const Stage& stage : stages_) {
    if (!updated_.empty())
      for (const std::size_t variable : stage.variables) backend_.wait_until_reached(updated_[variable], steps_);
    stage.receive.run(backend_, stream());
    if (feed_ahead_ && &stage == &stages_.front()) feed_ahead_->let_next_come(stream());
    stage.compute.run_on(backend_, streams_, hooks(stage.first_op));
  }
  if (!buckets_.empty()) hand_out(buckets_.back());
  ++steps_;
}

// Gradients are complete in the order in which the backward pass reaches their variables: from the last to the first.
// Where ops run side by side, all are one bucket that is complete at the end.
void Tower::make_buckets() {
  if (configuration_.update != UpdateStyle::all_reduce || configuration_.gpus < 2) return;
  const std::size_t limit_bytes = streams_.size() == 1 ? configuration_.bucket_bytes : gradient_buffer_.size_bytes;
  std::size_t end_bytes = gradient_buffer_.size_bytes, offset_bytes = end_bytes, completed_by = 0;
  for (std::size_t i = model_.variables.size(); i-- > 0;) {
    const Tensor* gradient = model_.variables[i].gradient;
    offset_bytes -= gradient->shape.size_bytes();
    completed_by = std::max(completed_by, last_writer(graph_.ops(), gradient));
    if (end_bytes - offset_bytes < limit_bytes && i > 0) continue;
    if (i > 0) bucket_after_.emplace(completed_by, buckets_.size());
    buckets_.push_back({part_of(gradient_buffer_, offset_bytes, end_bytes - offset_bytes), backend_.create_event(device_),
                        backend_.create_counter()});
    end_bytes = offset_bytes;
  }
}

void Tower::hand_out(const Bucket& bucket) {
  backend_.record(bucket.ready, stream());
  backend_.advance(bucket.handed_out);
}

// What happens around single ops: an all-reduce is told of a bucket, and faults.
OpHooks Tower::hooks(std::size_t first_op) {
  const Faults& faults = configuration_.faults;
  OpHooks hooks;
  const bool straggles = on_gpu() && faults.straggler_gpu == index_;
  if (straggles || op_on_host_ != SIZE_MAX) {
    hooks.before = [this, first_op, straggles](std::size_t op) {
      if (first_op + op == op_on_host_) work_on_host();
      if (straggles && first_op + op == first_backward_op_) backend_.pause(static_cast<std::int64_t>(configuration_.faults.straggler_ms * 1e6));
    };
  }
  const bool reads_loss = faults.read_loss_every_op && on_gpu(), hands_out = buckets_.size() > 1;
  if (reads_loss || hands_out) {
    hooks.after = [this, first_op, reads_loss](std::size_t op) {
      const auto [first, last] = bucket_after_.equal_range(first_op + op);
      for (auto bucket = first; bucket != last; ++bucket) hand_out(buckets_[bucket->second]);
      if (reads_loss) backend_.copy_async(read_loss_to_, model_.loss->buffer, model_.loss->shape.size_bytes(), stream());
    };
  }
  return hooks;
}

double Tower::flops() const {
  double sum = 0;
  for (const Op& op : graph_.ops()) sum += op.flops;
  return sum;
}

}  // namespace trainer
