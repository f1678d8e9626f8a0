#include "trainer/modelled_machine.h"

namespace trainer {

namespace {

constexpr int kNarrowLanes = 4;  // of a link that --fault slow-link names

}  // namespace

virtual_box::MachineProfile machine_for(virtual_box::MachineProfile profile, const Configuration& run) {
  const Faults& faults = run.faults;
  profile.peer_enabled = run.peer_access;
  if (run.framework == FrameworkVersion::newer)
    profile.efficiency.framework_op_us = profile.efficiency.newer_framework_op_us;
  if (faults.slow_link_gpu >= 0) profile.pcie.narrow_links.emplace_back(faults.slow_link_gpu, kNarrowLanes);
  if (faults.far_socket_gpu >= 0) profile.pcie.far_gpus.push_back(faults.far_socket_gpu);
  if (faults.slow_clock_gpu >= 0) profile.slow_clocks.emplace_back(faults.slow_clock_gpu, faults.slow_clock_percent / 100);
  return profile;
}

}  // namespace trainer
