// The tables of real Nsight Systems exports equal what SQL says of the same file.
#include <sqlite3.h>

#include <cmath>
#include <filesystem>
#include <map>
#include <memory>

#include <catch2/catch.hpp>

#include "tests/reports/summary_samples.h"
#include "trace/trace_reader.h"

using namespace gputrace;

namespace {

const auto kFolder = std::filesystem::path(GPUTRACE_SOURCE_DIR) / "../shared/data/nsys";

struct Closer {
  void operator()(sqlite3* db) const { sqlite3_close(db); }
  void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
};

struct Sums {
  double total = 0, squares = 0;
  std::int64_t count = 0, min = 0, max = 0;
};

// Name to sums, from rows (name, value). Empty where the table is absent.
std::map<std::string, Sums> query(const std::filesystem::path& file, const std::string& rows) {
  sqlite3* opened = nullptr;
  REQUIRE(sqlite3_open_v2(("file:" + file.string() + "?immutable=1").c_str(), &opened,
                          SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, nullptr) == SQLITE_OK);
  const std::unique_ptr<sqlite3, Closer> db(opened);
  const std::string sql =
      "SELECT name, sum(v), sum(1.0*v*v), count(*), min(v), max(v) FROM (" + rows + ") GROUP BY name";
  sqlite3_stmt* prepared = nullptr;
  if (sqlite3_prepare_v2(db.get(), sql.c_str(), -1, &prepared, nullptr) != SQLITE_OK) return {};
  const std::unique_ptr<sqlite3_stmt, Closer> statement(prepared);
  std::map<std::string, Sums> result;
  while (sqlite3_step(prepared) == SQLITE_ROW) {
    const char* name = reinterpret_cast<const char*>(sqlite3_column_text(prepared, 0));
    result[name] = {sqlite3_column_double(prepared, 1), sqlite3_column_double(prepared, 2),
                    sqlite3_column_int64(prepared, 3), sqlite3_column_int64(prepared, 4),
                    sqlite3_column_int64(prepared, 5)};
  }
  return result;
}

void check_row(const reports::SummaryTable& table, std::size_t row, const Sums& sums, const std::string& unit,
               const std::string& count_header, double scale) {
  const auto figure = [&](const std::string& header) { return std::stod(tests::cell(table, row, header)) * scale; };
  const auto n = static_cast<double>(sums.count);
  const double mean = sums.total / n;
  const double variance = n > 1 ? std::max(0.0, (sums.squares - n * mean * mean) / (n - 1)) : 0;
  const std::string total = scale == 1 ? "Total Time" + unit : "Total" + unit;
  CHECK(figure(total) == Approx(sums.total).epsilon(1e-9));
  CHECK(tests::cell(table, row, count_header) == std::to_string(sums.count));
  CHECK(figure("Avg" + unit) == Approx(mean).epsilon(1e-9));
  CHECK(figure("Min" + unit) == Approx(static_cast<double>(sums.min)));
  CHECK(figure("Max" + unit) == Approx(static_cast<double>(sums.max)));
  // The sum of squares loses digits where values are large and alike; the margin is that loss.
  const double lost = std::sqrt(sums.squares * 1e-13);
  CHECK(figure("StdDev" + unit) == Approx(std::sqrt(variance)).epsilon(1e-5).margin(lost));
}

struct Case {
  const char* summary;
  const char* rows;  // SQL for (name, v)
  const char* name_header;
  const char* count_header;
  const char* unit;
  double scale;
};

const Case kCases[] = {
    {"cuda_gpu_kern_sum",
     "SELECT s.value AS name, k.end - k.start AS v FROM CUPTI_ACTIVITY_KIND_KERNEL k JOIN StringIds s ON s.id = "
     "k.demangledName",
     "Name", "Instances", " (ns)", 1},
    {"cuda_gpu_mem_time_sum",
     "SELECT '[CUDA memcpy ' || e.label || ']' AS name, end - start AS v FROM CUPTI_ACTIVITY_KIND_MEMCPY JOIN "
     "ENUM_CUDA_MEMCPY_OPER e ON e.id = copyKind",
     "Operation", "Count", " (ns)", 1},
    {"cuda_gpu_mem_size_sum",
     "SELECT '[CUDA memcpy ' || e.label || ']' AS name, bytes AS v FROM CUPTI_ACTIVITY_KIND_MEMCPY JOIN "
     "ENUM_CUDA_MEMCPY_OPER e ON e.id = copyKind",
     "Operation", "Count", " (MB)", 1e6},
    {"cuda_api_sum",
     "SELECT CASE WHEN substr(s.value, -6, 2) = '_v' THEN substr(s.value, 1, length(s.value) - 6) ELSE s.value END AS "
     "name, end - start AS v FROM CUPTI_ACTIVITY_KIND_RUNTIME JOIN StringIds s ON s.id = nameId",
     "Name", "Num Calls", " (ns)", 1}};


// Range text to projected durations, as SQL joins ranges, calls and activities.
const char* const kProjectedRanges =
    "SELECT ':' || text AS name, max(a.end) - min(a.start) AS v FROM NVTX_EVENTS n JOIN CUPTI_ACTIVITY_KIND_RUNTIME r ON "
    "r.globalTid = n.globalTid AND r.start BETWEEN n.start AND n.end JOIN (SELECT start, end, correlationId, globalPid FROM "
    "CUPTI_ACTIVITY_KIND_KERNEL UNION ALL SELECT start, end, correlationId, globalPid FROM CUPTI_ACTIVITY_KIND_MEMCPY UNION "
    "ALL SELECT start, end, correlationId, globalPid FROM CUPTI_ACTIVITY_KIND_MEMSET) a ON a.correlationId = r.correlationId "
    "AND a.globalPid = r.globalTid / 0x1000000 * 0x1000000 WHERE n.eventType = 59 GROUP BY n.rowid";

const char* const kKernelsWithCall =
    "SELECT s.value AS name, max(r.end, k.end) - r.start AS v FROM CUPTI_ACTIVITY_KIND_KERNEL k JOIN "
    "CUPTI_ACTIVITY_KIND_RUNTIME r ON r.correlationId = k.correlationId AND r.globalTid / 0x1000000 * 0x1000000 = "
    "k.globalPid JOIN StringIds s ON s.id = k.demangledName";

const char* const kCollectives =
    "SELECT 'all' AS name, end - start AS v FROM CUPTI_ACTIVITY_KIND_KERNEL k JOIN StringIds s ON s.id = k.shortName "
    "WHERE s.value LIKE 'nccl%'";

// Range, kernel and thread to durations, of every range around the kernel's call.
const char* const kKernelsByRange =
    "SELECT ':' || n.text || '|' || s.value AS name, k.end - k.start AS v FROM NVTX_EVENTS n JOIN CUPTI_ACTIVITY_KIND_RUNTIME r "
    "ON r.globalTid = n.globalTid AND r.start BETWEEN n.start AND n.end JOIN CUPTI_ACTIVITY_KIND_KERNEL k ON k.correlationId = "
    "r.correlationId AND k.globalPid = r.globalTid / 0x1000000 * 0x1000000 JOIN StringIds s ON s.id = k.demangledName WHERE "
    "n.eventType = 59";

double column_sum(const reports::SummaryTable& table, const std::string& header) {
  double sum = 0;
  for (std::size_t row = 0; row < table.rows.size(); ++row) sum += std::stod(tests::cell(table, row, header));
  return sum;
}

}  // namespace

TEST_CASE("summaries of real exports equal SQL") {
  if (!std::filesystem::exists(kFolder)) {
    WARN("skipped: no shared data");
    return;
  }
  for (const char* name : {"nsysai_h100_2gpu_1s", "a100_lm_2_7B", "a100_lm_2_7B_clean", "nsysai_mfu_2gpu_before"}) {
    const auto file = kFolder / (std::string(name) + ".sqlite");
    const auto trace = trace::read_trace(file);
    REQUIRE(trace);
    for (const Case& check : kCases) {
      INFO(name << " " << check.summary);
      const auto expected = query(file, check.rows);
      const auto table = tests::make_summary(check.summary, *trace);
      std::size_t compared = 0;  // every row of SQL has its row here, and the other way round
      for (std::size_t row = 0; row < table.rows.size(); ++row) {
        const std::string row_name = tests::cell(table, row, check.name_header);
        INFO(row_name);
        if (row_name == "[CUDA memset]") continue;
        REQUIRE(expected.count(row_name) == 1);
        check_row(table, row, expected.at(row_name), check.unit, check.count_header, check.scale);
        ++compared;
      }
      CHECK(compared == expected.size());
      CHECK(table.missing.empty() == !expected.empty());
    }
  }
}

TEST_CASE("the NVTX summary of a real export equals SQL") {
  const auto file = kFolder / "nsysai_h100_2gpu_1s.sqlite";
  if (!std::filesystem::exists(file)) {
    WARN("skipped: no shared data");
    return;
  }
  const auto trace = trace::read_trace(file);
  REQUIRE(trace);
  const auto expected = query(file, "SELECT ':' || text AS name, end - start AS v FROM NVTX_EVENTS WHERE eventType = 59");
  const auto table = tests::make_summary("nvtx_sum", *trace);
  CHECK(table.rows.size() == expected.size());
  for (std::size_t row = 0; row < table.rows.size(); ++row) {
    const std::string name = tests::cell(table, row, "Range");
    INFO(name);
    REQUIRE(expected.count(name) == 1);
    check_row(table, row, expected.at(name), " (ns)", "Instances", 1);
  }
}

TEST_CASE("the projection of a real export's NVTX ranges equals SQL") {
  const auto file = kFolder / "nsysai_h100_2gpu_1s.sqlite";
  if (!std::filesystem::exists(file)) {
    WARN("skipped: no shared data");
    return;
  }
  const auto trace = trace::read_trace(file);
  REQUIRE(trace);
  const auto expected = query(file, kProjectedRanges);
  const auto table = tests::make_summary("nvtx_gpu_proj_sum", *trace);
  REQUIRE_FALSE(expected.empty());
  CHECK(table.rows.size() == expected.size());
  for (std::size_t row = 0; row < table.rows.size(); ++row) {
    const std::string name = tests::cell(table, row, "Range");
    INFO(name);
    REQUIRE(expected.count(name) == 1);
    CHECK(tests::cell(table, row, "Range Instances") == std::to_string(expected.at(name).count));
    CHECK(std::stod(tests::cell(table, row, "Total Proj Time (ns)")) == Approx(expected.at(name).total).epsilon(1e-12));
  }
}

TEST_CASE("kernels and copies in one table are those of both tables") {
  for (const char* name : {"nsysai_h100_2gpu_1s", "a100_lm_2_7B"}) {
    const auto file = kFolder / (std::string(name) + ".sqlite");
    if (!std::filesystem::exists(file)) {
      WARN("skipped: no shared data");
      return;
    }
    INFO(name);
    const auto trace = trace::read_trace(file);
    REQUIRE(trace);
    auto expected = query(file, kCases[0].rows);
    for (const auto& [operation, sums] : query(file, kCases[1].rows)) expected[operation] = sums;
    const auto table = tests::make_summary("cuda_gpu_sum", *trace);
    std::size_t compared = 0;
    for (std::size_t row = 0; row < table.rows.size(); ++row) {
      const std::string operation = tests::cell(table, row, "Operation");
      if (operation == "[CUDA memset]") continue;
      INFO(operation);
      REQUIRE(expected.count(operation) == 1);
      check_row(table, row, expected.at(operation), " (ns)", "Instances", 1);
      ++compared;
    }
    CHECK(compared == expected.size());
  }
}

TEST_CASE("kernels by NVTX range, and ranges one by one, of a real export equal SQL") {
  const auto file = kFolder / "nsysai_h100_2gpu_1s.sqlite";
  if (!std::filesystem::exists(file)) {
    WARN("skipped: no shared data");
    return;
  }
  const auto trace = trace::read_trace(file);
  REQUIRE(trace);
  const auto expected = query(file, kKernelsByRange);
  REQUIRE_FALSE(expected.empty());
  const auto table = tests::make_summary("nvtx_kern_sum", *trace);
  std::map<std::string, std::pair<double, double>> summed;  // threads together, as SQL has them: count and time
  for (std::size_t row = 0; row < table.rows.size(); ++row) {
    auto& [count, total_ns] = summed[tests::cell(table, row, "NVTX Range") + "|" + tests::cell(table, row, "Kernel Name")];
    count += std::stod(tests::cell(table, row, "Kern Inst"));
    total_ns += std::stod(tests::cell(table, row, "Total Time (ns)"));
  }
  CHECK(summed.size() == expected.size());
  for (const auto& [name, sums] : expected) {
    INFO(name);
    CHECK(summed[name].first == static_cast<double>(sums.count));
    CHECK(summed[name].second == Approx(sums.total).epsilon(1e-12));
  }
  const auto projected = query(file, kProjectedRanges);
  std::int64_t ranges = 0;
  double projected_ns = 0;
  for (const auto& [name, sums] : projected) ranges += sums.count, projected_ns += sums.total;
  const auto one_by_one = tests::make_summary("nvtx_gpu_proj_trace", *trace);
  CHECK(static_cast<std::int64_t>(one_by_one.rows.size()) == ranges);
  CHECK(column_sum(one_by_one, "Projected Duration (ns)") == Approx(projected_ns).epsilon(1e-12));
}

TEST_CASE("calls and launches of a real export, one by one, sum to what SQL sums") {
  const auto file = kFolder / "a100_lm_2_7B.sqlite";
  if (!std::filesystem::exists(file)) {
    WARN("skipped: no shared data");
    return;
  }
  const auto trace = trace::read_trace(file);
  REQUIRE(trace);
  const auto calls = query(file, "SELECT 'all' AS name, end - start AS v FROM CUPTI_ACTIVITY_KIND_RUNTIME").at("all");
  const auto table = tests::make_summary("cuda_api_trace", *trace);
  CHECK(static_cast<std::int64_t>(table.rows.size()) == calls.count);
  CHECK(column_sum(table, "Duration (ns)") == calls.total);
  double launches = 0, launched_ns = 0;
  for (const auto& [kernel, sums] : query(file, kKernelsWithCall)) {
    launches += static_cast<double>(sums.count);
    launched_ns += sums.total;
  }
  const auto launched = tests::make_summary("cuda_kern_exec_trace", *trace);
  CHECK(static_cast<double>(launched.rows.size()) == launches);
  CHECK(column_sum(launched, "Total Dur (ns)") == launched_ns);
}

TEST_CASE("every activity, every launch and every collective of real exports is in the tables") {
  if (!std::filesystem::exists(kFolder)) {
    WARN("skipped: no shared data");
    return;
  }
  for (const char* name : {"a100_lm_2_7B", "nsysai_mfu_2gpu_before"}) {
    INFO(name);
    const auto file = kFolder / (std::string(name) + ".sqlite");
    const auto trace = trace::read_trace(file);
    REQUIRE(trace);
    const auto activities = tests::make_summary("cuda_gpu_trace", *trace);
    CHECK(activities.rows.size() == trace->kernels.size() + trace->copies.size() + trace->fills.size());
    const auto kernels = query(file, kKernelsWithCall);
    double count = 0, total_ns = 0;
    for (const auto& [kernel, sums] : kernels) count += static_cast<double>(sums.count), total_ns += sums.total;
    const auto launches = tests::make_summary("cuda_kern_exec_sum", *trace);
    CHECK(column_sum(launches, "Count") == count);
    double measured_ns = 0;
    for (std::size_t row = 0; row < launches.rows.size(); ++row) {
      measured_ns += std::stod(tests::cell(launches, row, "TAvg (ns)")) * std::stod(tests::cell(launches, row, "Count"));
    }
    CHECK(measured_ns == Approx(total_ns).epsilon(1e-8));
  }
  const auto file = kFolder / "nsysai_mfu_2gpu_before.sqlite";
  const auto trace = trace::read_trace(file);
  REQUIRE(trace);
  const auto expected = query(file, kCollectives);
  CHECK(column_sum(tests::make_summary("nccl_sum", *trace), "Total Time (ns)") == expected.at("all").total);
}
