// Profiles are TOML. Each key is required and each unknown key is an error, so that a misspelt figure is never a default.
#include "trainer/virtual_box/machine_profile.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#define TOML_EXCEPTIONS 0
#define TOML_HEADER_ONLY 1
#include <toml++/toml.h>

namespace trainer::virtual_box {
namespace {

namespace fs = std::filesystem;

// Takes keys from one table and keeps the first thing wrong with it.
class TableReader {
 public:
  TableReader(const toml::table* table, std::string name, std::string& error) : table_(table), name_(std::move(name)), error_(error) {
    if (!table_) fail("[" + name_ + "] is missing");
  }
  // A key that nobody asked for is a misspelt one.
  ~TableReader() {
    if (!table_) return;
    for (const auto& [key, node] : *table_)
      if (!taken_.contains(std::string(key.str()))) fail("unknown key '" + std::string(key.str()) + "' in [" + name_ + "]");
  }
  TableReader(const TableReader&) = delete;
  TableReader& operator=(const TableReader&) = delete;

  void read(const char* key, double& value, double low, double high) {
    const auto found = node(key).value<double>();
    if (!table_) return;
    if (!found || !(*found >= low && *found <= high)) return wrong(key, "a number", low, high);
    value = *found;
  }
  void read(const char* key, int& value, int low, int high) {
    const auto found = node(key).value_exact<std::int64_t>();
    if (!table_) return;
    if (!found || *found < low || *found > high) return wrong(key, "a whole number", low, high);
    value = static_cast<int>(*found);
  }
  void read(const char* key, std::string& value) {
    const auto found = node(key).value<std::string>();
    if (!table_) return;
    if (!found || found->empty()) return fail("[" + name_ + "] needs a text '" + key + "'");
    value = *found;
  }
  std::vector<int> read_list(const char* key, int high) {
    std::vector<int> values;
    const toml::array* list = node(key).as_array();
    if (!table_) return values;
    if (!list || list->empty()) fail("[" + name_ + "] needs a list '" + key + "'");
    for (std::size_t i = 0; list && i < list->size(); ++i) {
      const auto value = (*list)[i].value_exact<std::int64_t>();
      if (!value || *value < 0 || *value > high) { wrong(key, "whole numbers", 0, high); break; }
      values.push_back(static_cast<int>(*value));
    }
    return values;
  }
  std::vector<const toml::table*> tables(const char* key) {
    std::vector<const toml::table*> found;
    const toml::array* list = node(key).as_array();
    for (std::size_t i = 0; list && i < list->size(); ++i) found.push_back((*list)[i].as_table());
    return found;
  }
  const toml::table* table(const char* key) { return node(key).as_table(); }
  void fail(const std::string& what) { if (error_.empty()) error_ = what; }

 private:
  toml::node_view<const toml::node> node(const char* key) {
    taken_.insert(key);
    return table_ ? (*table_)[key] : toml::node_view<const toml::node>{};
  }
  template <class Number>
  void wrong(const char* key, const char* what, Number low, Number high) {
    std::ostringstream text;
    text << "'" << key << "' in [" << name_ << "] must be " << what << " from " << low << " to " << high;
    fail(text.str());
  }

  const toml::table* table_;
  std::string name_;
  std::string& error_;
  std::set<std::string> taken_;
};

void read_gpu(const toml::table* table, GpuModel& gpu, std::string& error) {
  TableReader in(table, "gpu", error);
  in.read("count", gpu.count, 1, 16);
  in.read("name", gpu.name);
  if (const auto version = in.read_list("compute_capability", 99); version.size() == 2) {
    gpu.compute_major = version[0];
    gpu.compute_minor = version[1];
  } else {
    in.fail("'compute_capability' in [gpu] must be two whole numbers");
  }
  in.read("sm_count", gpu.sm_count, 1, 1024);
  in.read("lanes_per_sm", gpu.lanes_per_sm, 1, 1024);
  in.read("clock_mhz", gpu.clock_mhz, 1.0, 10000.0);
  in.read("memory_gbps", gpu.memory_gbps, 0.1, 100000.0);
  in.read("memory_mib", gpu.memory_mib, 1, 1 << 24);
  in.read("l2_kib", gpu.l2_kib, 1, 1 << 20);
  in.read("max_threads_per_sm", gpu.max_threads_per_sm, 32, 4096);
  in.read("max_blocks_per_sm", gpu.max_blocks_per_sm, 1, 128);
  in.read("registers_per_sm", gpu.registers_per_sm, 1, 1 << 24);
  in.read("shared_kib_per_sm", gpu.shared_kib_per_sm, 1, 4096);
  in.read("copy_engines_per_direction", gpu.copy_engines_per_direction, 1, 8);
  in.read("load_latency_cycles", gpu.load_latency_cycles, 0.0, 10000.0);
}

void read_host(const toml::table* table, HostModel& host, std::string& error) {
  TableReader in(table, "host", error);
  in.read("processor", host.processor);
  in.read("cores", host.cores, 1, 1024);
  in.read("clock_ghz", host.clock_ghz, 0.1, 10.0);
  in.read("flops_per_cycle", host.flops_per_cycle, 1, 1024);
  in.read("memory_gbps", host.memory_gbps, 0.1, 10000.0);
  in.read("pageable_gbps", host.pageable_gbps, 0.01, 1000.0);
}

void read_switches(TableReader& pcie, PcieModel& model, int gpu_count, std::string& error) {
  std::set<int> placed;
  for (const toml::table* table : pcie.tables("switches")) {
    TableReader in(table, "pcie.switches", error);
    PcieSwitch entry;
    in.read("lanes", entry.uplink_lanes, 1, 32);
    entry.gpus = in.read_list("gpus", gpu_count - 1);
    for (int gpu : entry.gpus)
      if (!placed.insert(gpu).second) in.fail("GPU " + std::to_string(gpu) + " is on two switches");
    model.switches.push_back(std::move(entry));
  }
}

void read_pcie(const toml::table* table, PcieModel& pcie, int gpu_count, std::string& error) {
  TableReader in(table, "pcie", error);
  in.read("generation", pcie.generation, 1, 6);
  in.read("gpu_lanes", pcie.gpu_lanes, 1, 32);
  std::string access;
  in.read("peer_access", access);
  if (access == "all") pcie.peer_access = PeerAccess::all;
  else if (access == "switch") pcie.peer_access = PeerAccess::common_switch;
  else if (access != "none") in.fail("'peer_access' in [pcie] must be \"all\", \"switch\" or \"none\"");
  read_switches(in, pcie, gpu_count, error);
}

NvlinkEdge read_nvlink(const toml::table* table, int gpu_count, std::string& error) {
  TableReader in(table, "nvlink", error);
  NvlinkEdge edge;
  const auto gpus = in.read_list("gpus", gpu_count - 1);
  if (gpus.size() == 2 && gpus[0] != gpus[1]) std::copy(gpus.begin(), gpus.end(), edge.gpus);
  else in.fail("'gpus' in [nvlink] must name two GPUs");
  in.read("links", edge.links, 1, 32);
  in.read("gbps_per_direction", edge.gbps_per_direction, 0.1, 10000.0);
  return edge;
}

// The one table that a machine may lack.
void read_nvswitch(const toml::table* table, NvswitchModel& nvswitch, std::string& error) {
  if (!table) return;
  TableReader in(table, "nvswitch", error);
  in.read("links", nvswitch.links, 1, 64);
  in.read("gbps_per_direction", nvswitch.gbps_per_direction, 0.1, 10000.0);
}

void read_efficiency(const toml::table* table, Efficiency& factors, std::string& error) {
  TableReader in(table, "efficiency", error);
  in.read("matmul_efficiency", factors.matmul, 0.001, 1.0);
  in.read("convolution_efficiency", factors.convolution, 0.001, 1.0);
  in.read("memory_efficiency", factors.memory, 0.001, 1.0);
  in.read("index_cycles", factors.index_cycles, 0.0, 100000.0);
  in.read("cpu_efficiency", factors.cpu, 0.001, 1.0);
  in.read("pcie_efficiency", factors.pcie, 0.001, 1.0);
  in.read("framework_op_us", factors.framework_op_us, 0.0, 1e6);
  in.read("newer_framework_op_us", factors.newer_framework_op_us, 0.0, 1e6);
}

void read_driver(const toml::table* table, DriverCosts& driver, std::string& error) {
  TableReader in(table, "driver", error);
  const std::pair<const char*, double&> costs[] = {
      {"launch_us", driver.launch_us},           {"copy_us", driver.copy_us},         {"event_us", driver.event_us},
      {"synchronize_us", driver.synchronize_us}, {"create_us", driver.create_us},     {"allocate_us", driver.allocate_us},
      {"context_us", driver.context_us},         {"submit_us", driver.submit_us},     {"kernel_start_us", driver.kernel_start_us},
      {"copy_start_us", driver.copy_start_us},
  };
  for (const auto& [key, value] : costs) in.read(key, value, 0.0, 1e7);
}

fs::path program_folder() {
  std::error_code ignored;  // without /proc the source tree alone is searched
  return fs::read_symlink("/proc/self/exe", ignored).parent_path();
}

std::vector<fs::path> profile_folders() {
  return {program_folder() / "../share/gputrace/profiles", fs::path(VIRTUAL_BOX_PROFILES_DIR)};
}

std::string known_profiles() {
  std::string text;
  for (const std::string& name : profile_names()) text += (text.empty() ? "" : ", ") + name;
  return text.empty() ? "none found" : text;
}

tl::expected<fs::path, std::string> find_profile(const std::string& name_or_path) {
  std::error_code absent;
  if (name_or_path.find('/') != std::string::npos || name_or_path.ends_with(".toml")) return fs::path(name_or_path);
  for (const fs::path& folder : profile_folders())
    if (const fs::path file = folder / (name_or_path + ".toml"); fs::is_regular_file(file, absent)) return file;
  return tl::unexpected("no machine profile '" + name_or_path + "'; known: " + known_profiles() + " (or give the path of a .toml file)");
}

}  // namespace

double pcie_gbps(int generation, int lanes) {
  constexpr double kLaneGbps[] = {0.25, 0.5, 8.0 / 8 * 128 / 130, 16.0 / 8 * 128 / 130, 32.0 / 8 * 128 / 130, 64.0 / 8 * 242 / 256};
  return lanes * kLaneGbps[std::clamp(generation, 1, 6) - 1];
}

std::vector<std::string> profile_names() {
  std::set<std::string> names;
  for (const fs::path& folder : profile_folders()) {
    std::error_code absent;
    for (const auto& entry : fs::directory_iterator(folder, absent))
      if (entry.path().extension() == ".toml") names.insert(entry.path().stem());
  }
  return {names.begin(), names.end()};
}

tl::expected<MachineProfile, std::string> parse_profile(const std::string& text, const std::string& origin) {
  const toml::parse_result parsed = toml::parse(text, origin);
  if (!parsed) {
    const auto& position = parsed.error().source().begin;
    return tl::unexpected(origin + ":" + std::to_string(position.line) + ": " + std::string(parsed.error().description()));
  }
  MachineProfile profile;
  std::string error;
  {
    TableReader in(&parsed.table(), "top level", error);
    in.read("name", profile.name);
    read_gpu(in.table("gpu"), profile.gpu, error);
    read_host(in.table("host"), profile.host, error);
    read_pcie(in.table("pcie"), profile.pcie, profile.gpu.count, error);
    for (const toml::table* edge : in.tables("nvlink")) profile.nvlinks.push_back(read_nvlink(edge, profile.gpu.count, error));
    read_nvswitch(in.table("nvswitch"), profile.nvswitch, error);
    if (profile.nvswitch.links > 0 && !profile.nvlinks.empty()) in.fail("[nvswitch] and [[nvlink]] cannot both be there");
    read_efficiency(in.table("efficiency"), profile.efficiency, error);
    read_driver(in.table("driver"), profile.driver, error);
  }
  if (!error.empty()) return tl::unexpected(origin + ": " + error);
  return profile;
}

tl::expected<MachineProfile, std::string> read_profile(const std::string& name_or_path) {
  const auto path = find_profile(name_or_path);
  if (!path) return tl::unexpected(path.error());
  std::ifstream file(*path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  if (!file || !text) return tl::unexpected("cannot read machine profile " + path->string());
  return parse_profile(text.str(), path->string());
}

}  // namespace trainer::virtual_box
