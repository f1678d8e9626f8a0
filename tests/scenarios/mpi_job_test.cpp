// An MPI job on the virtual machine: one trace of all ranks.
#include <catch2/catch.hpp>
#include <cstdlib>
#include <set>

#include "tests/scenarios/recorded_run.h"
#include "tests/scenarios/sql_rows.h"

using namespace gputrace::tests;

TEST_CASE("A job of four ranks started by mpirun is one trace, with each process named by its rank") {
  if (std::system("mpirun --version > /dev/null 2>&1") != 0) {
    WARN("no mpirun here: skipped");
    return;
  }
  const ProgramResult run =
      run_in_scratch("export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1; " + program("gputrace") +
                     " record --no-report -o mpi.sqlite -- mpirun --oversubscribe -n 4 " + program("trainer") +
                     " --scenario B-1gpu --steps 2 --arithmetic off");
  INFO(run.output);
  REQUIRE(run.exit_status == 0);
  CHECK_THAT(run.output, Catch::Contains("events of 4 processes"));
  const auto file = scratch() / "mpi.sqlite";
  const SqlRows names = sql_rows(file, "SELECT name FROM PROCESSES ORDER BY name");
  CHECK(names.rows == std::vector<std::vector<std::string>>{{"trainer rank 0"}, {"trainer rank 1"}, {"trainer rank 2"}, {"trainer rank 3"}});
  const SqlRows kernels = sql_rows(file, "SELECT p.name, count(*) FROM CUPTI_ACTIVITY_KIND_KERNEL k JOIN PROCESSES p USING(globalPid)"
                                         " GROUP BY k.globalPid");
  REQUIRE(kernels.rows.size() == 4);
  std::set<std::string> counts;
  for (const auto& row : kernels.rows) counts.insert(row.at(1));
  CHECK(counts.size() == 1);  // each rank did the same
  CHECK(sql_rows(file, "SELECT value FROM GPUTRACE_CAPTURE WHERE key = 'complete'").rows.at(0).at(0) == "true");
  CHECK(sql_rows(file, "SELECT count(DISTINCT name) FROM META_DATA_CAPTURE WHERE name LIKE 'PROCESS_%_OMPI_COMM_WORLD_RANK'").rows.at(0).at(0) == "4");
}
