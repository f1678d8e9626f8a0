#include "trainer/virtual_box/topology.h"

#include <catch2/catch.hpp>

#include "tests/trainer/virtual_box/test_machine.h"

using namespace virtual_box_test;

namespace {

MachineProfile switched_machine() {
  MachineProfile machine = round_machine();
  machine.gpu.count = 4;
  machine.pcie.switches = {{16, {0, 1}}, {16, {2, 3}}};
  machine.driver.copy_us = 0;  // all start at once
  return machine;
}

// The copies' durations without their start cost, by source or target device.
struct Transfer {
  int from, to;  // -1: the host
};
std::vector<std::int64_t> transfer_ns(const MachineProfile& machine, const std::vector<Transfer>& transfers) {
  Rig rig(machine);
  std::vector<Stream> streams;
  const Buffer host = rig.host(Memory::pinned);
  for (const auto& [from, to] : transfers) {
    const Stream stream = rig.backend->create_stream(from >= 0 ? from : to);
    streams.push_back(stream);
    rig.backend->copy_async(to < 0 ? host : rig.device(to), from < 0 ? host : rig.device(from), 8'000'000, stream);
  }
  for (const Stream& stream : streams) rig.backend->synchronize(stream);
  std::vector<std::int64_t> durations(transfers.size());
  for (const auto& copy : rig.recorder.copies)
    for (std::size_t i = 0; i < streams.size(); ++i)
      if (copy.place.device == streams[i].device && copy.place.stream == 12u + static_cast<unsigned>(streams[i].id))
        durations[i] = copy.end_ns - copy.start_ns - 1_us;
  return durations;
}

using Durations = std::vector<std::int64_t>;

}  // namespace

TEST_CASE("copies to two GPUs of one switch share its uplink") {
  CHECK(transfer_ns(switched_machine(), {{-1, 0}}) == Durations{1_ms});
  CHECK(transfer_ns(switched_machine(), {{-1, 0}, {-1, 1}}) == Durations{2_ms, 2_ms});
  CHECK(transfer_ns(switched_machine(), {{-1, 0}, {-1, 2}}) == Durations{1_ms, 1_ms});
  CHECK(transfer_ns(switched_machine(), {{-1, 0}, {-1, 1}, {-1, 2}}) == Durations{2_ms, 2_ms, 1_ms});
}

TEST_CASE("opposite directions of a link do not share it") {
  CHECK(transfer_ns(switched_machine(), {{-1, 0}, {1, -1}}) == Durations{1_ms, 1_ms});
}

TEST_CASE("a peer copy under one switch leaves the uplink free, one across uses both uplinks") {
  CHECK(transfer_ns(switched_machine(), {{0, 1}, {2, -1}}) == Durations{1_ms, 1_ms});
  CHECK(transfer_ns(switched_machine(), {{0, 1}, {-1, 0}}) == Durations{1_ms, 1_ms});
  CHECK(transfer_ns(switched_machine(), {{0, 2}, {1, -1}}) == Durations{2_ms, 2_ms});  // up the same uplink
  CHECK(transfer_ns(switched_machine(), {{0, 2}, {-1, 3}}) == Durations{2_ms, 2_ms});  // down the same uplink
}

TEST_CASE("without peer access a copy between GPUs goes through host memory") {
  MachineProfile machine = switched_machine();
  machine.pcie.peer_access = PeerAccess::common_switch;
  machine.host.memory_gbps = 8;  // written and read: 4 GB/s
  CHECK(transfer_ns(machine, {{0, 1}}) == Durations{1_ms});
  CHECK(transfer_ns(machine, {{0, 2}}) == Durations{2_ms});
  machine.pcie.peer_access = PeerAccess::none;
  CHECK(transfer_ns(machine, {{0, 1}}) == Durations{2_ms});
}

TEST_CASE("NVLink joins its pair only, each direction for itself") {
  MachineProfile machine = switched_machine();
  machine.nvlinks = {{{0, 2}, 2, 20.0}};
  CHECK(transfer_ns(machine, {{0, 2}, {2, 0}}) == Durations{200_us, 200_us});
  CHECK(transfer_ns(machine, {{0, 3}}) == Durations{1_ms});
}

TEST_CASE("an NVSwitch carries all pairs at once, and a GPU's port is shared by all that it sends") {
  MachineProfile machine = switched_machine();
  machine.nvswitch = {4, 10.0};
  CHECK(transfer_ns(machine, {{0, 1}, {1, 2}, {2, 3}, {3, 0}}) == Durations{200_us, 200_us, 200_us, 200_us});
  CHECK(transfer_ns(machine, {{0, 2}, {1, 2}}) == Durations{400_us, 400_us});  // one port into GPU 2
  CHECK(transfer_ns(machine, {{-1, 0}}) == Durations{1_ms});                   // the host is on PCIe still
}

TEST_CASE("a lane's rate after line coding") {
  CHECK(pcie_gbps(1, 1) == Approx(0.25));
  CHECK(pcie_gbps(2, 16) == Approx(8));
  CHECK(pcie_gbps(3, 16) == Approx(15.754).epsilon(1e-4));
  CHECK(pcie_gbps(5, 16) == Approx(63.015).epsilon(1e-4));
}

TEST_CASE("a link that came up narrow is slow for its GPU alone") {
  MachineProfile machine = switched_machine();
  machine.pcie.switches.clear();
  machine.pcie.narrow_links = {{1, 4}};
  CHECK(transfer_ns(machine, {{-1, 0}, {-1, 1}}) == Durations{1_ms, 4_ms});
}
