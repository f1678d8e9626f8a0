#include "trainer/virtual_box/machine_profile.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

using namespace trainer::virtual_box;

namespace {

std::string profile_text(const std::string& name) {
  std::ifstream file(std::filesystem::path(GPUTRACE_SOURCE_DIR) / "trainer/virtual_box/profiles" / (name + ".toml"));
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const auto at = text.find(from);
  REQUIRE(at != std::string::npos);
  return text.replace(at, from.size(), to);
}

std::string error_of(const std::string& text) {
  const auto profile = parse_profile(text, "box.toml");
  REQUIRE_FALSE(profile);
  return profile.error();
}

}  // namespace

TEST_CASE("every profile in the folder can be read, under its file's name") {
  const std::filesystem::path folder = std::filesystem::path(GPUTRACE_SOURCE_DIR) / "trainer/virtual_box/profiles";
  int count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const auto profile = read_profile(entry.path().stem());
    INFO((profile ? "" : profile.error()));
    REQUIRE(profile);
    CHECK(profile->name == entry.path().stem());
    ++count;
  }
  CHECK(count >= 6);
}

TEST_CASE("the names of the profiles come in order, each once") {
  const std::vector<std::string> names = profile_names();
  CHECK(std::is_sorted(names.begin(), names.end()));
  CHECK(std::count(names.begin(), names.end(), "8x-h100-nvswitch") == 1);
}

TEST_CASE("peaks follow from the published figures") {
  const auto gtx = read_profile("2x-gtx-1060");
  REQUIRE(gtx);
  CHECK(gtx->gpu.peak_gflops() == Approx(4372).epsilon(0.001));   // NVIDIA: 4.4 TFLOP/s at boost
  CHECK(gtx->host.cores * gtx->host.core_gflops() == Approx(537.6));
  const auto titan = read_profile("4x-titan-x");
  REQUIRE(titan);
  CHECK(titan->gpu.peak_gflops() == Approx(6604.8));              // NVIDIA: 6.6 TFLOP/s
  REQUIRE(titan->pcie.switches.size() == 2);
  CHECK(titan->pcie.switches[1].gpus == std::vector<int>{2, 3});
  CHECK(read_profile("4x-v100-nvlink")->gpu.peak_gflops() == Approx(15667).epsilon(0.001));    // NVIDIA: 15.7 TFLOP/s
  CHECK(read_profile("4x-k80")->gpu.peak_gflops() * 2 == Approx(8736).epsilon(0.001));         // NVIDIA: 8.73 a board
  CHECK(read_profile("2x-rtx-4090")->gpu.peak_gflops() == Approx(82575).epsilon(0.001));       // NVIDIA: 82.6 TFLOP/s
  CHECK(read_profile("8x-h100-nvswitch")->gpu.peak_gflops() == Approx(66908).epsilon(0.001));  // NVIDIA: 66.9 TFLOP/s
}

TEST_CASE("a profile is found by path too") {
  const std::filesystem::path file = std::filesystem::temp_directory_path() / "virtual_box_profile_reader_test.toml";
  std::ofstream(file) << replaced(profile_text("2x-gtx-1060"), "name = \"2x-gtx-1060\"", "name = \"mine\"");
  const auto profile = read_profile(file);
  std::filesystem::remove(file);
  REQUIRE(profile);
  CHECK(profile->name == "mine");
  CHECK(read_profile(file).error() == "cannot read machine profile " + file.string());
  CHECK_FALSE(read_profile("/"));
}

TEST_CASE("what is wrong with a profile is said with its file and key") {
  const std::string good = profile_text("4x-titan-x");
  REQUIRE(parse_profile(good, "box.toml"));
  CHECK(error_of(replaced(good, "count = 4", "count = 0")) == "box.toml: 'count' in [gpu] must be a whole number from 1 to 16");
  CHECK(error_of(replaced(good, "count = 4", "count = 4.5")) == "box.toml: 'count' in [gpu] must be a whole number from 1 to 16");
  CHECK(error_of(replaced(good, "clock_mhz = 1075.0", "clock_mhz = \"fast\"")) == "box.toml: 'clock_mhz' in [gpu] must be a number from 1 to 10000");
  CHECK(error_of(replaced(good, "clock_mhz = 1075.0", "clock_mhz = nan")) == "box.toml: 'clock_mhz' in [gpu] must be a number from 1 to 10000");
  CHECK(error_of(replaced(good, "sm_count = 24", "")) == "box.toml: 'sm_count' in [gpu] must be a whole number from 1 to 1024");
  CHECK(error_of(replaced(good, "[gpu]", "[gpu]\nsm_cuont = 24")) == "box.toml: unknown key 'sm_cuont' in [gpu]");
  CHECK(error_of(replaced(good, "[host]", "[hots]")) == "box.toml: [host] is missing");
  CHECK(error_of(replaced(good, "gpus = [0, 1]", "gpus = [0, 4]")) == "box.toml: 'gpus' in [pcie.switches] must be whole numbers from 0 to 3");
  CHECK(error_of(replaced(good, "gpus = [0, 1]", "gpus = [0, 2]")) == "box.toml: GPU 2 is on two switches");
  CHECK(error_of(replaced(good, "\"all\" ", "\"most\" ")) == "box.toml: 'peer_access' in [pcie] must be \"all\", \"switch\" or \"none\"");
  CHECK(error_of(good + "\n[[nvlink]]\ngpus = [1, 1]\nlinks = 1\ngbps_per_direction = 20.0\n") == "box.toml: 'gpus' in [nvlink] must name two GPUs");
  const std::string nvswitch = "\n[nvswitch]\nlinks = 18\ngbps_per_direction = 25.0\n";
  CHECK(parse_profile(good + nvswitch, "box.toml")->nvswitch.port_gbps() == 450);
  CHECK(error_of(good + "\n[nvswitch]\nlinks = 18\n") == "box.toml: 'gbps_per_direction' in [nvswitch] must be a number from 0.1 to 10000");
  CHECK(error_of(good + nvswitch + "ports = 8\n") == "box.toml: unknown key 'ports' in [nvswitch]");
  CHECK(error_of(good + nvswitch + "[[nvlink]]\ngpus = [0, 1]\nlinks = 1\ngbps_per_direction = 20.0\n") ==
        "box.toml: [nvswitch] and [[nvlink]] cannot both be there");
  CHECK(error_of(replaced(good, "[5, 2]", "[5]")) == "box.toml: 'compute_capability' in [gpu] must be two whole numbers");
  CHECK(error_of("") == "box.toml: [top level] needs a text 'name'");
  CHECK(error_of("name = 'x'") == "box.toml: [gpu] is missing");
}

TEST_CASE("text that is no TOML is an error of one line with its place") {
  CHECK(error_of("name = \n").starts_with("box.toml:1: "));
  CHECK(error_of(std::string("\x00\xff\xfe garbage", 12)).starts_with("box.toml:1: "));
  CHECK(error_of("[gpu\n").find('\n') == std::string::npos);
}
