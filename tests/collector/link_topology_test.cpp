#include <array>

#include <catch2/catch.hpp>

#include "collector/link_topology.h"

using namespace gputrace;
using collector::LinkTopology;
using collector::pcie_bytes_per_s;

namespace {

spool::PcieRecord gpu(std::uint32_t device, std::uint16_t bus) {
  spool::PcieRecord record;
  record.header.id = device;
  record.generation = 3;
  record.rate = 8000;
  record.width = 16;
  record.upstream_bus = bus;
  return record;
}

spool::PcieRecord bridge(std::uint16_t upstream, std::uint32_t secondary) {
  spool::PcieRecord record;
  record.bridge = 1;
  record.upstream_bus = upstream;
  record.secondary_bus = secondary;
  return record;
}

collector::Uuid uuid(std::uint8_t first) { return {first}; }

spool::NvlinkRecord nvlink(std::uint8_t a, std::uint8_t b, std::uint32_t count, std::uint64_t kb_per_s) {
  spool::NvlinkRecord record;
  record.version = 2;
  record.count = count;
  record.type[0] = record.type[1] = 1;
  record.end[0][0] = a;
  record.end[1][0] = b;
  record.bandwidth_kb_per_s = kb_per_s;
  return record;
}

}  // namespace

TEST_CASE("Raw PCIe rates less line coding") {
  CHECK(pcie_bytes_per_s(1, 2500, 16) == 4'000'000'000);    // 8b/10b
  CHECK(pcie_bytes_per_s(2, 5000, 8) == 4'000'000'000);
  CHECK(pcie_bytes_per_s(3, 8000, 16) == 15'753'846'153);   // 128b/130b
  CHECK(pcie_bytes_per_s(5, 32000, 16) == 63'015'384'615);
  CHECK(pcie_bytes_per_s(3, 0, 16) == 0);
}

TEST_CASE("Rates in GT/s, as CUPTI's header has them, are taken too") {
  for (const auto [generation, rate, bytes] :
       {std::array<std::int64_t, 3>{3, 8, 15'753'846'153}, {1, 2, 4'000'000'000}}) {
    LinkTopology topology;
    spool::PcieRecord record = gpu(0, 6);
    record.generation = static_cast<std::uint16_t>(generation);
    record.rate = static_cast<std::uint16_t>(rate);
    topology.add(record);
    CHECK(topology.links().at(0).bytes_per_s == bytes);
  }
}

TEST_CASE("A real box: two GPUs behind one PCIe switch") {
  LinkTopology topology;
  topology.add(gpu(0, 6));
  topology.add(gpu(1, 7));
  for (const auto& record : {bridge(4, 6), bridge(4, 7), bridge(3, 4), bridge(0, 3), bridge(0, 3)})
    topology.add(record);
  const auto links = topology.links();
  REQUIRE(links.size() == 6);  // the repeated bridge counts once
  CHECK((links[0].from == "gpu:0" && links[0].to == "switch:0000:06"));
  CHECK(links[0].bytes_per_s == 15'753'846'153);
  CHECK((links[2].from == "switch:0000:03" && links[2].to == "root:0000:00"));
  CHECK((links[3].from == "switch:0000:04" && links[3].to == "switch:0000:03"));
  CHECK((links[4].from == "switch:0000:06" && links[4].to == "switch:0000:04"));
  CHECK(links[2].bytes_per_s == 0);  // bridges give no rate: not captured
  CHECK(topology.bus_location(1) == "0000:07:00.0");
  CHECK(topology.bus_location(2) == "");
}

TEST_CASE("NVLinks join GPUs by UUID; one direction is half of what CUPTI gives") {
  LinkTopology topology;
  topology.add_gpu(3, uuid(1));
  topology.add_gpu(0, uuid(2));
  topology.add(nvlink(1, 2, 2, 100'000'000));
  topology.add(nvlink(2, 1, 2, 100'000'000));  // the same pair seen by another process
  topology.add(nvlink(1, 9, 1, 50'000'000));   // to a GPU that this process does not see
  const auto links = topology.links();
  REQUIRE(links.size() == 1);
  CHECK((links[0].from == "gpu:0" && links[0].to == "gpu:3"));
  CHECK(links[0].width == 2);
  CHECK(links[0].bytes_per_s == 50'000'000'000);
  CHECK(links[0].kind == trace::LinkKind::nvlink);
}

TEST_CASE("UUIDs are written as NVIDIA writes them") {
  CHECK(collector::uuid_text({0x04, 0x57, 0xdc, 0xbe, 0xd8, 0xc5, 0xe5, 0xa2, 0x5b, 0x99, 0x1a, 0x7d, 0x86, 0x80,
                              0x2b, 0xdb}) == "0457dcbe-d8c5-e5a2-5b99-1a7d86802bdb");
  CHECK(collector::uuid_text({}) == "");
}
