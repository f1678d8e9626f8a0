#include "reports/remedy_code.h"

#include <algorithm>
#include <array>

namespace gputrace::reports {
namespace {

constexpr const char *kPyTorch = "PyTorch", *kTensorFlow = "TensorFlow", *kCuda = "CUDA", *kShell = "shell";

constexpr std::array kLines{
    CodeLine{"allocation-in-loop", kCuda, "cudaMallocAsync(&p, bytes, stream);  // from a pool; cudaFreeAsync(p, stream) after use"},
    CodeLine{"allocation-in-loop", kPyTorch, "buffer = torch.empty(shape, device=device)  # once, before the loop; then fill it"},
    CodeLine{"blocking-readbacks", kPyTorch, "total += loss.detach()  # stays on the GPU; total.item() once, after the loop"},
    CodeLine{"blocking-readbacks", kTensorFlow, "session.run(train_op)  # fetch the loss every hundredth step only"},
    CodeLine{"blocking-readbacks", kCuda, "cudaMemcpyAsync(pinned, value, bytes, cudaMemcpyDeviceToHost, stream);  // read a step later"},
    CodeLine{"collectives-on-compute-stream", kPyTorch, "work = dist.all_reduce(bucket, async_op=True)  # in a hook of the backward pass"},
    CodeLine{"collectives-on-compute-stream", kCuda, "cudaStreamWaitEvent(comm, gradients_ready, 0);  // then ncclAllReduce(..., comm)"},
    CodeLine{"cpu-placed-ops", kTensorFlow, "with tf.device('/gpu:%d' % i):  # and no tf.device('/cpu:0') inside it"},
    CodeLine{"cpu-placed-ops", kPyTorch, "model.to(device); batch = batch.to(device, non_blocking=True)"},
    CodeLine{"input-stall", kPyTorch, "DataLoader(data, batch_size, num_workers=8, prefetch_factor=4, persistent_workers=True)"},
    CodeLine{"input-stall", kTensorFlow, "data.map(decode, num_parallel_calls=tf.data.AUTOTUNE).batch(n).prefetch(tf.data.AUTOTUNE)"},
    CodeLine{"launch-bound", kPyTorch, "model = torch.compile(model, mode=\"reduce-overhead\")  # fewer kernels, as CUDA graphs"},
    CodeLine{"launch-bound", kTensorFlow, "@tf.function(jit_compile=True)  # XLA fuses element-wise chains, padding, broadcasts"},
    CodeLine{"launch-bound", kCuda, "cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal);  // later cudaGraphLaunch(step, stream)"},
    CodeLine{"low-kernel-concurrency", kPyTorch, "with torch.cuda.stream(side):  # independent work; side.wait_stream(main) before it"},
    CodeLine{"low-kernel-concurrency", kCuda, "cudaStreamCreateWithFlags(&side, cudaStreamNonBlocking);"},
    CodeLine{"pageable-copies", kPyTorch, "DataLoader(data, pin_memory=True)  # and batch.to(device, non_blocking=True)"},
    CodeLine{"pageable-copies", kTensorFlow, "data.batch(n).prefetch(tf.data.AUTOTUNE)  # pinned buffers, which feed_dict has not"},
    CodeLine{"pageable-copies", kCuda, "cudaHostAlloc(&host, bytes, cudaHostAllocDefault);  // instead of malloc"},
    CodeLine{"pcie-bound-transfers", kPyTorch, "with torch.cuda.stream(side): next_batch = next_batch.to(device, non_blocking=True)"},
    CodeLine{"pcie-bound-transfers", kCuda, "cudaMemcpyAsync(next, pinned, bytes, cudaMemcpyHostToDevice, copy_stream);  // beside the kernels"},
    CodeLine{"periodic-pauses", kPyTorch, "gc.disable()  # before the loop; gc.collect() at a step of your choice"},
    CodeLine{"slow-clock", kShell, "nvidia-smi -q -d CLOCK,PERFORMANCE,TEMPERATURE"},
    CodeLine{"slow-link", kShell, "nvidia-smi -q | grep -A 8 'Link Width'  # and: nvidia-smi topo -m"},
    CodeLine{"slow-link", kShell, "numactl --cpunodebind=N --membind=N ./train  # N: the socket that the GPU hangs on"},
    CodeLine{"small-grids", kTensorFlow, "tf.compat.v1.nn.fused_batch_norm(x, scale, offset, data_format='NHWC')"},
    CodeLine{"small-grids", kPyTorch, "torch.nn.BatchNorm2d(channels)  # instead of sums over axes 0, 2, 3 of your own"},
    CodeLine{"sync-stalls", kCuda, "cudaStreamWaitEvent(next, done, 0);  // instead of cudaEventSynchronize(done)"},
    CodeLine{"sync-stalls", kPyTorch, "losses.append(loss.detach())  # no .item(), .cpu() or torch.cuda.synchronize() in the loop"},
    CodeLine{"tiny-copies", kPyTorch, "batch = torch.stack(parts).to(device, non_blocking=True)  # one copy for all parts"},
    CodeLine{"tiny-copies", kCuda, "cudaMemcpyAsync(device, packed, all_bytes, cudaMemcpyHostToDevice, stream);  // packed on the host"},
    CodeLine{"towers-serialized", kPyTorch, "torchrun --nproc_per_node=N train.py  # with DistributedDataParallel"},
    CodeLine{"towers-serialized", kTensorFlow, "session.run(all_tower_ops)  # one call for all towers"},
    CodeLine{"unified-memory-migrations", kCuda, "cudaMemPrefetchAsync(p, bytes, device, stream);  // before the kernels that read it"},
    CodeLine{"unused-gpus", kPyTorch, "torchrun --nproc_per_node=N train.py  # torch.cuda.set_device(local_rank) in each"},
    CodeLine{"unused-gpus", kTensorFlow, "strategy = tf.distribute.MirroredStrategy()"},
    CodeLine{"unused-gpus", kCuda, "cudaSetDevice(i);  // on each thread, before its first call"},
    CodeLine{"weight-update-blocks-forward", kPyTorch, "model = DistributedDataParallel(model, device_ids=[rank])"},
    CodeLine{"weight-update-blocks-forward", kTensorFlow, "strategy = tf.distribute.MirroredStrategy()"},
};

}  // namespace

std::span<const CodeLine> all_code_lines() { return kLines; }

std::span<const CodeLine> code_lines(std::string_view rule) {
  const auto is_of = [rule](const CodeLine& line) { return rule == line.rule; };
  const auto first = std::find_if(kLines.begin(), kLines.end(), is_of);
  return {first, std::find_if_not(first, kLines.end(), is_of)};
}

}  // namespace gputrace::reports
