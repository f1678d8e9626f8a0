#include "reports/link_table.h"

#include <catch2/catch.hpp>

#include "reports/format.h"

using namespace gputrace::reports;
using gputrace::analyzer::Diagnosis;
using gputrace::analyzer::LinkUse;
using gputrace::analyzer::PeerLink;
using gputrace::trace::DeviceId;

namespace {

// In a window of 100 ms.
Diagnosis diagnosis_with(std::vector<LinkUse> uses) {
  Diagnosis diagnosis;
  diagnosis.window = {0, 100'000'000};
  diagnosis.links.uses = std::move(uses);
  return diagnosis;
}

LinkUse use(int device, std::int64_t total_ns) {
  LinkUse use;
  use.device = DeviceId{device};
  use.direction = "host to device";
  use.memory = "pinned";
  use.size = "1 to 16 MiB";
  use.count = 4;
  use.bytes = 50'000'000;
  use.total_ns = total_ns;
  use.exposed_ns = total_ns / 4;
  use.beside_ns = total_ns / 2;
  use.gbps = 10.2;
  use.link_gbps = 15.75;
  use.link_source = "recorded: PCIe 3.0 x16";
  return use;
}

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("links: a row tells rate, exposed time and time beside other GPUs; rows below a hundredth of the window are left out") {
  const auto rows = link_rows(diagnosis_with({use(0, 40'000'000), use(1, 1'000'000), use(2, 999'999)}), 9);
  REQUIRE(rows.size() == 2);
  CHECK(rows[0].copy == "GPU 0, host to device, pinned");
  CHECK(rows[0].rate == "10.2 of 15.8 GB/s");
  CHECK(rows[0].exposed == "25.0 %");
  CHECK(rows[0].beside == "50.0 %");
  CHECK(link_rows(diagnosis_with({use(0, 40'000'000), use(1, 1'000'000)}), 1).size() == 1);
}

TEST_CASE("links: what was not captured is not told as zero") {
  LinkUse unknown = use(0, 40'000'000);
  unknown.gbps.reset();
  unknown.exposed_ns.reset();
  const auto rows = link_rows(diagnosis_with({unknown}), 9);
  CHECK(rows.at(0).rate == "size not captured");
  CHECK(rows.at(0).exposed == "-");
}

TEST_CASE("links: GPUs of one link share a sentence, and a shared uplink is told") {
  auto shared = use(1, 30'000'000);
  shared.shared_by = 2;
  shared.shared_gbps = 7.875;
  const auto sentences = link_sentences(diagnosis_with({use(3, 40'000'000), use(0, 35'000'000), shared}));
  REQUIRE(sentences.size() == 2);
  CHECK(sentences[0] == "possible, GPU 0, 3: recorded: PCIe 3.0 x16, 15.8 GB/s");
  CHECK(contains(sentences[1], "2 GPUs share an uplink, which leaves each 7.88 GB/s when all copy host to device"));
}

TEST_CASE("links: pairs of GPUs and slow links are told, at most eight of each") {
  Diagnosis diagnosis = diagnosis_with({});
  CHECK(link_sentences(diagnosis).empty());
  for (int to = 1; to <= 9; ++to) {
    PeerLink peer;
    peer.to = DeviceId{to};
    peer.bytes = 90'000'000;
    peer.total_ns = 1'000'000;
    peer.gbps = 90;
    peer.link_gbps = 100;
    peer.kind = to == 1 ? "NVLink x4" : "unknown";
    peer.source = to == 1 ? "inferred" : "best seen";
    diagnosis.links.peers.push_back(peer);
  }
  diagnosis.links.faults.push_back({.device = DeviceId{1}, .kind = "narrow link", .text = "GPU 1: slow", .to_device_factor = {}, .from_device_factor = {}});
  const auto sentences = link_sentences(diagnosis);
  REQUIRE(sentences.size() == 10);
  CHECK(sentences[0] == "GPU 0 to 1: 90.0 MB in 1.00 ms, 90 of 100 GB/s, NVLink x4 (inferred)");
  CHECK(contains(sentences[1], "kind of link not known"));
  CHECK(sentences[8] == "1 more pairs of GPUs copy to each other");
  CHECK(sentences[9] == "narrow link: GPU 1: slow");
}

TEST_CASE("links: text and Markdown have the section where there is something to say, and not otherwise") {
  for (const char* format : {"text", "markdown"}) {
    CHECK(contains(find_format(format)->render(diagnosis_with({use(0, 40'000'000)}), {}), "Links: rate against what is possible"));
    CHECK_FALSE(contains(find_format(format)->render(diagnosis_with({use(0, 999'999)}), {}), "Links: rate"));
  }
}
