#include "tests/analyzer/signatures/explained_rows.h"

using namespace gputrace::tests;

TEST_CASE("copies and fills by direction") {
  check_explained({
      {"[CUDA memcpy HtoD]", "memory", "copy host to device", "copy", "memory: copy host to device", ""},
      {"[CUDA memcpy DtoH]", "memory", "copy device to host", "copy", "memory: copy device to host", ""},
      {"[CUDA memcpy DtoD]", "memory", "copy within the device", "copy", "memory: copy within the device",
       ""},
      {"[CUDA memcpy PtoP]", "memory", "copy between devices", "copy", "memory: copy between devices", ""},
      {"[CUDA memset]", "memory", "fill", "copy", "memory: fill", ""},
      {"Memcpy HtoD (Pageable -> Device)", "memory", "copy host to device", "copy",
       "memory: copy host to device", ""},
      {"Memcpy DtoH (Device -> Pinned)", "memory", "copy device to host", "copy",
       "memory: copy device to host", ""},
      {"Memset (Device)", "memory", "fill", "copy", "memory: fill", ""},
      {"CopyHostToDevice", "memory", "copy host to device", "copy", "memory: copy host to device", ""},
      {"__amd_rocclr_fillBufferAligned.kd", "memory", "fill", "copy", "memory: fill", ""},
      {"__amd_rocclr_copyBuffer", "memory", "copy", "copy", "memory: copy", ""},
  });
}

TEST_CASE("pageable memory is named as the cause of waiting, pinned is not") {
  CHECK(sentence_of("Memcpy HtoD (Pageable -> Device)").find("pinned memory lifts both") !=
        std::string::npos);
  CHECK(sentence_of("Memcpy HtoD (Pinned -> Device)").find("lifts") == std::string::npos);
}

TEST_CASE("a kernel of the program that copies is no memory operation") {
  CHECK(gputrace::analyzer::Explainer().explain("copyComplex(void*)").library != "memory");
}
