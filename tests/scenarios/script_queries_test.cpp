// What people's scripts ask of an Nsight Systems export runs on a trace of ours too, with the same columns: queries in the style of
// its report scripts, each on a recording and on real exports.
#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>

#include "tests/scenarios/recorded_run.h"
#include "tests/scenarios/sql_rows.h"

using namespace gputrace::tests;

namespace {

struct Query {
  const char* name;
  const char* table;  // without it the script has nothing to say
  const char* sql;
};

const Query kQueries[] = {
    {"kernels by total time", "CUPTI_ACTIVITY_KIND_KERNEL",
     "WITH total AS (SELECT sum(end - start) AS ns FROM CUPTI_ACTIVITY_KIND_KERNEL)"
     " SELECT round(sum(k.end - k.start) * 100.0 / (SELECT ns FROM total), 1) AS \"Time (%)\", sum(k.end - k.start) AS \"Total Time (ns)\","
     " count(*) AS Instances, avg(k.end - k.start) AS \"Avg (ns)\", min(k.end - k.start) AS \"Min (ns)\","
     " max(k.end - k.start) AS \"Max (ns)\", s.value AS Name FROM CUPTI_ACTIVITY_KIND_KERNEL k"
     " JOIN StringIds s ON s.id = k.demangledName GROUP BY k.demangledName ORDER BY 2 DESC"},
    {"kernels with their grids and registers", "CUPTI_ACTIVITY_KIND_KERNEL",
     "SELECT m.value AS Base, gridX || ' ' || gridY || ' ' || gridZ AS GridXYZ, blockX || ' ' || blockY || ' ' || blockZ AS BlockXYZ,"
     " registersPerThread, staticSharedMemory + dynamicSharedMemory AS shared, count(*) AS n FROM CUPTI_ACTIVITY_KIND_KERNEL"
     " JOIN StringIds m ON m.id = shortName GROUP BY 1, 2, 3, 4, 5 ORDER BY n DESC"},
    {"memory operations by size", "CUPTI_ACTIVITY_KIND_MEMCPY",
     "SELECT 'CUDA memcpy ' || oper.label AS Operation, count(*) AS Count, sum(bytes) / 1e6 AS \"Total (MB)\", max(bytes) / 1e6 AS \"Max (MB)\""
     " FROM CUPTI_ACTIVITY_KIND_MEMCPY m JOIN ENUM_CUDA_MEMCPY_OPER oper ON oper.id = m.copyKind GROUP BY m.copyKind ORDER BY 3 DESC"},
    {"memory kinds of copies", "CUPTI_ACTIVITY_KIND_MEMCPY",
     "SELECT src.label AS Source, dst.label AS Destination, count(*) AS n, sum(m.end - m.start) AS ns FROM CUPTI_ACTIVITY_KIND_MEMCPY m"
     " JOIN ENUM_CUDA_MEM_KIND src ON src.id = m.srcKind JOIN ENUM_CUDA_MEM_KIND dst ON dst.id = m.dstKind GROUP BY 1, 2 ORDER BY 4 DESC"},
    {"API calls by total time", "CUPTI_ACTIVITY_KIND_RUNTIME",
     "SELECT CASE WHEN s.value LIKE '%\\_v%' ESCAPE '\\' THEN substr(s.value, 1, instr(s.value, '_v') - 1) ELSE s.value END AS Name,"
     " count(*) AS \"Num Calls\", sum(r.end - r.start) AS \"Total Time (ns)\" FROM CUPTI_ACTIVITY_KIND_RUNTIME r"
     " JOIN StringIds s ON s.id = r.nameId GROUP BY 1 ORDER BY 3 DESC"},
    {"launch to execution", "CUPTI_ACTIVITY_KIND_KERNEL",
     "SELECT s.value AS Kernel, count(*) AS n, avg(r.end - r.start) AS api, avg(CASE WHEN k.start > r.end THEN k.start - r.end ELSE 0 END)"
     " AS queued, avg(k.end - k.start) AS ran FROM CUPTI_ACTIVITY_KIND_KERNEL k JOIN CUPTI_ACTIVITY_KIND_RUNTIME r"
     " ON r.correlationId = k.correlationId AND r.globalTid / 0x1000000 = k.globalPid / 0x1000000"
     " JOIN StringIds s ON s.id = k.shortName GROUP BY k.shortName ORDER BY n DESC"},
    {"NVTX ranges", "NVTX_EVENTS",
     "SELECT coalesce(e.text, s.value) AS Range, coalesce(d.text, ds.value, '') AS Domain, count(*) AS Instances,"
     " sum(e.end - e.start) AS \"Total Time (ns)\" FROM NVTX_EVENTS e LEFT JOIN StringIds s ON s.id = e.textId"
     " LEFT JOIN NVTX_EVENTS d ON d.eventType = 75 AND d.domainId = e.domainId AND d.globalTid / 0x1000000 = e.globalTid / 0x1000000"
     " LEFT JOIN StringIds ds ON ds.id = d.textId WHERE e.eventType IN (59, 60) AND e.end IS NOT NULL GROUP BY 1, 2 ORDER BY 4 DESC"},
    {"GPU work by time, kernels and copies", "CUPTI_ACTIVITY_KIND_MEMCPY",
     "SELECT k.start AS start, k.end - k.start AS duration, k.correlationId AS CorrId, s.value AS Name, deviceId, contextId, streamId"
     " FROM CUPTI_ACTIVITY_KIND_KERNEL k JOIN StringIds s ON s.id = k.shortName UNION ALL SELECT m.start, m.end - m.start, m.correlationId,"
     " '[CUDA memcpy ' || oper.label || ']', deviceId, contextId, streamId FROM CUPTI_ACTIVITY_KIND_MEMCPY m"
     " JOIN ENUM_CUDA_MEMCPY_OPER oper ON oper.id = m.copyKind ORDER BY start LIMIT 100"},
    {"synchronizations by type", "CUPTI_ACTIVITY_KIND_SYNCHRONIZATION",
     "SELECT t.label AS Type, count(*) AS n, sum(y.end - y.start) AS ns FROM CUPTI_ACTIVITY_KIND_SYNCHRONIZATION y"
     " JOIN ENUM_CUPTI_SYNC_TYPE t ON t.id = y.syncType GROUP BY 1 ORDER BY 3 DESC"},
    {"the profiler's own time", "PROFILER_OVERHEAD",
     "SELECT s.value AS Name, count(*) AS n, sum(o.end - o.start) AS ns FROM PROFILER_OVERHEAD o JOIN StringIds s ON s.id = o.nameId"
     " GROUP BY 1 ORDER BY 3 DESC"},
    {"processes and their threads", "ThreadNames",
     "SELECT p.name AS Process, p.pid AS PID, (t.globalTid & 0xFFFFFF) AS TID, s.value AS Thread FROM ThreadNames t"
     " JOIN StringIds s ON s.id = t.nameId LEFT JOIN PROCESSES p ON p.globalPid = (t.globalTid & ~0xFFFFFF) ORDER BY 2, 3"},
    {"which profiler, and which schema", "META_DATA_EXPORT",
     "SELECT name, value FROM META_DATA_EXPORT WHERE name IN ('EXPORT_PRODUCT_VERSION', 'EXPORT_SCHEMA_VERSION') ORDER BY 1"}};

std::filesystem::path our_trace() {
  report_of("--scenario A-base --steps 6");
  return scratch() / "A-base.sqlite";
}

std::vector<std::filesystem::path> exports() {
  std::vector<std::filesystem::path> files;
  for (const char* name : {"a100_lm_2_7B_clean.sqlite", "nsysai_mfu_2gpu_before.sqlite", "nsysai_h100_2gpu_1s.sqlite"}) {
    const auto file = std::filesystem::path(GPUTRACE_SOURCE_DIR) / "../shared/data/nsys" / name;
    if (std::filesystem::exists(file)) files.push_back(file);
  }
  return files;
}

std::int64_t whole(const std::string& text) { return std::strtoll(text.c_str(), nullptr, 10); }

std::int64_t one_number(const std::filesystem::path& file, const std::string& query) {
  const SqlRows result = sql_rows(file, query);
  INFO(query << ": " << result.error);
  REQUIRE(result.rows.size() == 1);
  return whole(result.rows[0][0]);
}

}  // namespace

TEST_CASE("Queries of scripts for Nsight Systems find what they ask for in a trace of ours") {
  for (const Query& query : kQueries) {
    INFO(query.name);
    const SqlRows ours = sql_rows(our_trace(), query.sql);
    CHECK(ours.error == "");
    CHECK_FALSE(ours.rows.empty());
  }
}

TEST_CASE("The same queries run on real exports, with the same columns") {
  if (exports().empty()) {
    WARN("no exports of Nsight Systems here: skipped");
    return;
  }
  for (const auto& file : exports()) {
    int answered = 0;
    for (const Query& query : kQueries) {
      INFO(file.filename() << ": " << query.name);
      const SqlRows ours = sql_rows(our_trace(), query.sql);
      if (!has_table(file, query.table)) continue;
      const SqlRows theirs = sql_rows(file, query.sql);
      CHECK(theirs.error == "");
      CHECK(theirs.columns == ours.columns);
      answered += !theirs.rows.empty();
    }
    CHECK(answered >= 6);
  }
}

TEST_CASE("What the queries add up is what the trace holds: joins lose no row and double none") {
  const auto file = our_trace();
  const auto sum = [](const SqlRows& result, std::size_t column) {
    std::int64_t total = 0;
    for (const auto& row : result.rows) total += whole(row.at(column));
    return total;
  };
  CHECK(sum(sql_rows(file, kQueries[0].sql), 2) == one_number(file, "SELECT count(*) FROM CUPTI_ACTIVITY_KIND_KERNEL"));
  CHECK(sum(sql_rows(file, kQueries[0].sql), 1) == one_number(file, "SELECT sum(end - start) FROM CUPTI_ACTIVITY_KIND_KERNEL"));
  CHECK(sum(sql_rows(file, kQueries[2].sql), 1) == one_number(file, "SELECT count(*) FROM CUPTI_ACTIVITY_KIND_MEMCPY"));
  CHECK(sum(sql_rows(file, kQueries[4].sql), 1) == one_number(file, "SELECT count(*) FROM CUPTI_ACTIVITY_KIND_RUNTIME"));
  CHECK(sum(sql_rows(file, kQueries[5].sql), 1) == one_number(file, "SELECT count(*) FROM CUPTI_ACTIVITY_KIND_KERNEL"));
  CHECK(sum(sql_rows(file, kQueries[6].sql), 2) == one_number(file, "SELECT count(*) FROM NVTX_EVENTS WHERE eventType IN (59, 60) AND end IS NOT NULL"));
}
