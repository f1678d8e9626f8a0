// Training runs on the modelled machine, with what the GPUs did.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "trainer/options.h"
#include "trainer/training_run.h"
#include "trainer/virtual_box/activity.h"

namespace trainer::test {

struct RecordedKernel {
  std::string_view name;
  int device;
  std::int64_t start_ns, end_ns;
};

struct RecordedCopy {
  Memory from, to;
  int from_device, to_device;
  std::uint64_t bytes;
  std::int64_t start_ns, end_ns;
};

// Keeps kernels and copies; drops the rest.
class Recorder final : public virtual_box::ActivitySink {
 public:
  std::vector<RecordedKernel> kernels;
  std::vector<RecordedCopy> copies;
  std::vector<virtual_box::MigrationActivity> migrations;

  void describe(const virtual_box::MachineProfile&) override {}
  void add_context(const virtual_box::Place&) override {}
  void add(const virtual_box::StreamActivity&) override {}
  void add(const virtual_box::ApiActivity&) override {}
  void add(const virtual_box::KernelActivity& activity) override;
  void add(const virtual_box::CopyActivity& activity) override;
  void add(const virtual_box::FillActivity&) override {}
  void add(const virtual_box::SynchronizationActivity&) override {}
  void add(const virtual_box::EventActivity&) override {}
  void add(const virtual_box::QueueFullActivity&) override {}
  void add(const virtual_box::MigrationActivity& activity) override { migrations.push_back(activity); }

  std::int64_t kernel_ns(int device) const;
  std::int64_t kernel_ns(int device, std::string_view name) const;
};

struct RecordedRun {
  Recorder recorder;
  RunSummary summary;
  std::string output;
};

// As the program runs it, with these arguments ("--scenario", "A-base", ...).
std::unique_ptr<RecordedRun> recorded_run(const std::vector<const char*>& arguments);

// A backend of that machine, told to nobody.
std::unique_ptr<Backend> box(const std::string& profile, const Configuration& run = {});

}  // namespace trainer::test
