#include "trace/kineto_collectives.h"

#include <catch2/catch.hpp>

using gputrace::trace::collective_text;

namespace {

constexpr const char* kName = "\"record_param_comms\"";

}  // namespace

TEST_CASE("a collective says which one, of what type, how many bytes, and among whom") {
  CHECK(collective_text(kName, R"({"External id": 2099, "Collective name": "allreduce", "dtype": "Float", "In msg nelems": 2049000, "Out msg nelems": 2049000, )"
                               R"("Group size": 2, "Process Group Ranks": "[0, 1]"})") ==
        "record_param_comms, collective = allreduce, type = Float, elements = 2049000, bytes = 8196000, group size = 2, group = [0, 1]");
  CHECK(collective_text(kName, R"({"Collective name": "broadcast", "dtype": "BFloat16", "In msg nelems": "3"})") ==
        "record_param_comms, collective = broadcast, type = BFloat16, elements = 3, bytes = 6");
}

TEST_CASE("of a type whose size is not known no bytes are told, and what is absent is left out") {
  CHECK(collective_text(kName, R"({"Collective name": "alltoall", "dtype": "Quaternion", "In msg nelems": 3})") ==
        "record_param_comms, collective = alltoall, type = Quaternion, elements = 3");
  CHECK(collective_text(kName, R"({"Collective name": "barrier"})") == "record_param_comms, collective = barrier");
  CHECK(collective_text(kName, R"({"Collective name": "allreduce", "dtype": "Double", "In msg nelems": 9223372036854775807})") ==
        "record_param_comms, collective = allreduce, type = Double, elements = 9223372036854775807");
}

TEST_CASE("other events, events without a collective, and damaged arguments are as before") {
  CHECK_FALSE(collective_text("\"aten::add\"", R"({"Collective name": "allreduce"})"));
  CHECK_FALSE(collective_text(kName, R"({"External id": 1})"));
  CHECK_FALSE(collective_text(kName, ""));
  CHECK_FALSE(collective_text(kName, "[1, 2]"));
  CHECK(collective_text(kName, R"({"Collective name": "allreduce", "dtype": 7, "In msg nelems": "many", "Group size": null})") ==
        "record_param_comms, collective = allreduce, type = 7");
}

TEST_CASE("a list of very many ranks is cut") {
  std::string ranks = "[0";
  for (int rank = 1; rank < 2'000; ++rank) ranks += ", " + std::to_string(rank);
  const auto text = collective_text(kName, R"({"Collective name": "allreduce", "Process Group Ranks": ")" + ranks + "]\"}");
  REQUIRE(text);
  CHECK(text->size() < 300);
}
