#include "tests/analyzer/signatures/explained_rows.h"

using namespace gputrace::tests;

TEST_CASE("collectives: operation, algorithm, protocol and type in old and new names") {
  check_explained({
      {"ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)", "nccl", "all-reduce",
       "communication", "nccl: all-reduce ring", "float"},
      {"ncclKernel_AllReduce_RING_LL_Sum_half(ncclDevComm*, unsigned long, ncclWork*)", "nccl", "all-reduce",
       "communication", "nccl: all-reduce ring", "half"},
      {"ncclDevKernel_AllGather_RING_LL(ncclDevKernelArgsStorage<4096ul>)", "nccl", "all-gather",
       "communication", "nccl: all-gather ring", ""},
      {"ncclDevKernel_SendRecv(ncclDevKernelArgsStorage<(unsigned long)4096>)", "nccl", "send and receive",
       "communication", "nccl: send and receive", ""},
      {"ncclDevKernel_ReduceScatter_Sum_bf16_RING_SIMPLE(ncclDevComm*)", "nccl", "reduce-scatter",
       "communication", "nccl: reduce-scatter ring", "bfloat16"},
      {"mscclKernel_Prod_half_LL_false", "msccl", "programmed collective", "communication",
       "msccl: programmed collective", "half"},
      {"mscclKernel_MinMax_int64_t_Simple_false", "msccl", "programmed collective", "communication",
       "msccl: programmed collective", "int64"},
      {"_Z33ncclAllReduceTreeLLKernel_sum_i328ncclColl", "nccl", "all-reduce", "communication",
       "nccl: all-reduce tree", "int"},
      {"_Z33ncclBroadcastRingLLKernel_copy_i88ncclColl", "nccl", "broadcast", "communication",
       "nccl: broadcast ring", "int8"},
      {"_ZN12_GLOBAL__N_113oneRankReduceI13FuncPreMulSumIjEEEvPvS3_mmb.intern.b96e08b3df0d779d", "nccl",
       "reduce on one rank", "communication", "nccl: reduce on one rank", ""},
      {"void (anonymous namespace)::multimem_all_reduce_kernel<c10::BFloat16, 16>(c10::BFloat16*, unsigned l"
       "ong, unsigned int**, unsigned long, unsigned long)",
       "symmetric memory", "all-reduce", "communication", "symmetric memory: all-reduce", "bfloat16"},
      {"void dpsk::ep::internode::combine<false, 8, __nv_bfloat16, 8, 2, 16, 24>(int4*, float*, bool const*,"
       " int4 const*, float const*, int4 const*, int4 const*, int const*, int const*, dpsk::ep::internode::S"
       "ourceMeta const*, int const*, int const*, int const*, int, int, int, int, void*, int, int, void**, i"
       "nt, int, int, int, int*)",
       "deepep", "expert combine", "communication", "deepep: expert combine", "bfloat16"},
  });
}

TEST_CASE("the protocol tells LL, LL128 and simple apart") {
  CHECK(sentence_of("ncclDevKernel_AllReduce_Sum_f32_RING_LL").find("LL protocol") != std::string::npos);
  CHECK(sentence_of("ncclDevKernel_AllReduce_Sum_f32_RING_LL128").find("LL128 protocol") !=
        std::string::npos);
  CHECK(sentence_of("ncclDevKernel_AllReduce_Sum_f32_TREE_SIMPLE").find("tree · simple protocol") !=
        std::string::npos);
  CHECK(sentence_of("ncclDevKernel_AllReduce_Sum_f32_RING_LL").find("waiting for the slowest rank") !=
        std::string::npos);
}
