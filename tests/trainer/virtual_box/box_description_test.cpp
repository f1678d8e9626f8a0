#include "trainer/virtual_box/box_description.h"

#include <catch2/catch.hpp>

#include "tests/trainer/virtual_box/test_machine.h"

using namespace virtual_box_test;
using trainer::virtual_box::describe;

namespace {

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("a machine without switches: GPUs under the root") {
  CHECK(describe(round_machine()) ==
        "round\n"
        "  2 x Round GPU (compute 6.1): 10 SMs of 100 lanes, 500 MHz, 1.0 TFLOP/s, 100.0 GB/s, 8 GiB\n"
        "  host Round processor: 4 cores, 1.0 GHz, 100.0 GB/s\n"
        "  root\n"
        "    GPU 0 (PCIe 2.0 x16, 8.0 GB/s)\n"
        "    GPU 1 (PCIe 2.0 x16, 8.0 GB/s)\n"
        "  peer access: over PCIe between all GPUs\n");
}

TEST_CASE("GPUs are shown under their switch, the rest under the root") {
  MachineProfile machine = round_machine();
  machine.gpu.count = 3;
  machine.pcie.switches = {{8, {0, 1}}};
  machine.pcie.peer_access = PeerAccess::common_switch;
  const std::string text = describe(machine);
  CHECK(has(text, "    switch (uplink PCIe 2.0 x8, 4.0 GB/s)\n      GPU 0 (PCIe 2.0 x16, 8.0 GB/s)\n      GPU 1 "));
  CHECK(has(text, "\n    GPU 2 (PCIe 2.0 x16, 8.0 GB/s)\n"));
  CHECK(has(text, "peer access: over PCIe within a switch"));
}

TEST_CASE("NVLink by pair, NVSwitch by port") {
  MachineProfile machine = round_machine();
  machine.nvlinks = {{{0, 1}, 2, 25.0}};
  machine.pcie.peer_access = PeerAccess::none;
  CHECK(has(describe(machine), "  NVLink: GPU 0 - GPU 1, 50 GB/s\n  peer access: none over PCIe\n"));
  machine.nvlinks.clear();
  machine.nvswitch = {18, 25.0};
  CHECK(has(describe(machine), "  NVSwitch: a port of 450 GB/s for every GPU\n"));
}
